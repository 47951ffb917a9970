"""Estimate the answer to a closed question from word statistics, if no model wrote an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from medground.evidence import Evidence
from medground.question import Question
from medground.run import Run
from medground.verify.context import usable

if TYPE_CHECKING:
    from medground.lean.model import Lean

_TASKS: dict[str, Literal["yes-no", "yes-no-maybe"]] = {"yes-no": "yes-no", "yes-no-maybe": "yes-no-maybe"}


def lean_of(question: Question, evidence: Sequence[Evidence], run: Run) -> Lean | None:
    """The calibrated lean from the research papers that the answer quotes; None if it does not apply.

    The value and its probability are those of the first paper, because the lean was calibrated on single abstracts. It
    is silent (no value) if another quoted paper on the subject leans the other way; `documents` names those that agree.

    Args:
        question: the question.
        evidence: the quotes that the answer shows, best first.
        run: the run, with its ledger.
    """
    task = _TASKS.get(question.task)
    if task is None or run.writer is None or run.writer.is_model:
        return None
    quoted = (run.ledger.documents[e.document_id] for e in usable(evidence, run))
    texts = {document.id: document.text for document in quoted if document.kind == "research"}
    if not texts:
        return None
    from medground.lean.model import lean  # slow to import

    with run.trace.span("lean", documents=list(texts)) as span:
        found = {name: lean(question.text, [text], task=task) for name, text in texts.items()}
        result = next(iter(found.values()))
        if {one.value for one in found.values()} - {None, result.value}:
            result = replace(result, value=None)
        span.set(value=result.value, probability=result.probability)
    agreeing = tuple(name for name, one in found.items() if result.value and one.value == result.value)
    return replace(result, documents=agreeing)
