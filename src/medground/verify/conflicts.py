"""Find sources that disagree. Both sides are reported, never averaged.

A model that read the quotes gave each a stance: quotes for and against from different papers are a conflict.
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.answer import Conflict, Side
from medground.evidence import Evidence, Stance
from medground.question import Question
from medground.run import Run
from medground.verify.context import usable
from medground.verify.reporting import why_not_finding

_SIDES: tuple[Stance, ...] = ("supports", "contradicts", "mixed")


async def find_conflicts(question: Question, evidence: Sequence[Evidence], run: Run) -> list[Conflict]:
    """Find conflicts between quotes from different documents. Retracted papers and stored relations are left out.

    Quotes that no model extracted have no stance, so nothing is known of their sides.
    """
    reader = run.reader
    if reader is None or not reader.is_model:
        return []
    findings = [e for e in usable(evidence, run) if e.origin == "text" and not _is_not_finding(e, run)]
    with run.trace.span("find conflicts", quotes=len(findings), found_by=reader.name) as span:
        found = _by_stance(question, findings, reader.name)
        span.set(conflicts=len(found))
    return found


def _is_not_finding(evidence: Evidence, run: Run) -> bool:
    return why_not_finding(evidence.quote, run.ledger.documents[evidence.document_id]) is not None


def _by_stance(question: Question, evidence: Sequence[Evidence], reader: str) -> list[Conflict]:
    """One conflict if papers support both sides. A paper with quotes for and against is mixed and on neither side."""
    stances: dict[str, set[Stance]] = {}
    for quote in evidence:
        stances.setdefault(quote.document_id, set()).add(quote.stance)
    placed: dict[str, Stance] = {document: _side(given) for document, given in stances.items()}
    if not {"supports", "contradicts"} <= set(placed.values()):
        return []
    sides = [
        Side(stance=stance, evidence=ids)
        for stance in _SIDES
        if (ids := tuple(e.id for e in evidence if placed[e.document_id] == stance and e.stance != "unknown"))
    ]
    return [Conflict(about=question.text, sides=tuple(sides), found_by=reader)]


def _side(stances: set[Stance]) -> Stance:
    known = stances - {"unknown"}
    if not known:
        return "unknown"
    return next(iter(known)) if len(known) == 1 else "mixed"
