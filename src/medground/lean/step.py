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
    """The calibrated lean from the first research paper that the answer quotes; None if it does not apply.

    It was calibrated on single research abstracts, so it reads one research document.
    """
    task = _TASKS.get(question.task)
    if task is None or run.writer is None or run.writer.is_model:
        return None
    ids = [e.document_id for e in usable(evidence, run)]
    documents = [d for d in map(run.ledger.documents.__getitem__, ids) if d.kind == "research"]
    if not documents:
        return None
    from medground.lean.model import lean  # slow to import

    with run.trace.span("lean", document=documents[0].id) as span:
        result = lean(question.text, [documents[0].text], task=task)
        span.set(value=result.value, probability=result.probability)
    return replace(result, document=documents[0].id)
