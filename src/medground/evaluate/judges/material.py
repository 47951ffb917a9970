"""What judges of long answers see besides the answer: its reference answer, and the quotes that it cites."""

from __future__ import annotations

from pathlib import Path

from medground.answers import Answers
from medground.errors import UsageError
from medground.evaluate.judges.judged import JudgedRun
from medground.evaluate.results import items_of
from medground.operators.views import EvidenceView


def references_of(run: JudgedRun, data: Path) -> dict[str, str]:
    """Reference answers by item id, from the file that the run was made from.

    Raises:
        UsageError: the file is not the one that the run was made from, or cannot be read.
    """
    return {item.id: item.reference for item in items_of(run, data) if item.reference}


def quotes_of(run: JudgedRun, home: Path) -> dict[str, tuple[EvidenceView, ...]]:
    """The quotes that each answer of a run cites, by item id, from the answers stored under `home`.

    Answers that were removed or have no quotes are left out.
    """
    found: dict[str, tuple[EvidenceView, ...]] = {}
    for i, line in run.lines.items():
        if quotes := _quotes(Answers(home), line.trace):
            found[i] = quotes
    return found


def _quotes(answers: Answers, trace_id: str) -> tuple[EvidenceView, ...]:
    try:
        answer = answers.as_given(trace_id)
    except UsageError:  # from another version; the judge then sees no documents
        return ()
    if answer is None:
        return ()
    titles = {document.id: document.title for document in answer.documents}
    return tuple(
        EvidenceView(id=evidence.id, title=titles.get(evidence.document_id, ""), quote=evidence.quote)
        for evidence in answer.evidence
    )
