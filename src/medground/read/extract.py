"""Screen documents and quote sentences as evidence, by asking operators.

A model answers with sentence ids, never with text, so a quote is verbatim by construction.
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.document import Document
from medground.evidence import Evidence
from medground.operators.reading import (
    ExtractInput,
    ScreenInput,
    SufficientInput,
    extract,
    screen,
    sufficient,
)
from medground.operators.views import EvidenceView, PassageView
from medground.question import Question
from medground.read.numbered import TextSpan, numbered, with_antecedent
from medground.read.order import Reading
from medground.run import Run


async def screen_batch(question: Question, batch: Sequence[Reading], run: Run) -> list[Reading]:
    """The documents of a batch that could help, in reading order (Eq. 12)."""
    by_id = {f"P{number}": reading for number, reading in enumerate(batch, start=1)}
    views = tuple(
        PassageView(
            id=key,
            title=reading.passages[0].title,
            year=reading.passages[0].year,
            design=", ".join(reading.passages[0].publication_types),
            text="\n".join(p.text for p in reading.passages),
            nearness=reading.nearness,
            unnamed=reading.unnamed,
        )
        for key, reading in by_id.items()
    )
    output = await run.ask(screen, ScreenInput(question=question.text, passages=views))
    kept = set(output.relevant)
    return [reading for key, reading in by_id.items() if key in kept]


async def extract_evidence(question: Question, readings: Sequence[Reading], run: Run) -> list[Evidence]:
    """Quote these documents and add the quotes to the ledger (Eq. 13 and 14).

    Raises:
        ModelFailed: the model returned no usable output.
        UnknownCitation: a reading's document was not retrieved.
    """
    places: dict[str, TextSpan] = {}
    ranks = {reading.document_id: reading.rank for reading in readings}
    verbatim = [(reading, [p for p in reading.passages if run.stands(p)]) for reading in readings]
    views = tuple(
        numbered(f"P{number}", run.ledger.documents[reading.document_id], passages, places, reading.strengths)
        for number, (reading, passages) in enumerate(verbatim, start=1)
        if passages
    )
    if not views:
        return []
    output = await run.ask(extract, ExtractInput(question=question.text, passages=views))
    quotes = []
    for found in output.sentences:
        document = run.ledger.documents[places[found.sentence][0]]
        span = with_antecedent(found.sentence, places, document)
        quotes.append(run.ledger.quote(*span, stance=found.stance, rank=ranks[document.id]))
    return quotes


async def is_sufficient(question: Question, evidence: Sequence[Evidence], run: Run) -> bool:
    """Whether reading may stop (Eq. 15)."""
    if not evidence:
        return False
    value = SufficientInput(question=question.text, evidence=evidence_views(evidence, run))
    return (await run.ask(sufficient, value)).sufficient


def evidence_views(evidence: Sequence[Evidence], run: Run) -> tuple[EvidenceView, ...]:
    """Evidence as it is shown to operators."""
    return tuple(_evidence_view(e, run.ledger.documents[e.document_id]) for e in evidence)


def _evidence_view(evidence: Evidence, document: Document) -> EvidenceView:
    return EvidenceView(
        id=evidence.id,
        title=document.title,
        year=document.year,
        design=", ".join(document.publication_types),
        section=evidence.section or "",
        stance=evidence.stance,
        quote=evidence.quote,
    )
