"""What statements are compared with: the quotes that each cites, or the first passages of a context (CONTEXT-j).

Source: Reason and Verify, section 3.4 (CONTEXT-1 to CONTEXT-5); Self-MedRAG, section 3.5 (all passages of a round).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from medground.document import Hit, Passage
from medground.evidence import Evidence
from medground.operators.views import EvidenceView
from medground.retraction import why_aside
from medground.run import Run
from medground.sentence import Sentence
from medground.text import words
from medground.text.sentences import sentence_spans


@dataclass(frozen=True)
class Premise:
    """A slice of a retrieved document, and the place of its passage in the context (1 first)."""

    document_id: str
    start: int
    end: int
    rank: int

    def holds(self, evidence: Evidence) -> bool:
        """Whether a quote stands inside the slice."""
        return evidence.document_id == self.document_id and self.start <= evidence.start and evidence.end <= self.end


@dataclass(frozen=True)
class Context:
    """Premises that every statement of a rationale shares, `P1`, `P2`, ..., and where each stands."""

    views: tuple[EvidenceView, ...] = ()
    places: Mapping[str, Premise] = field(default_factory=dict)

    def cites(self, best: str | None, sentence: Sentence, run: Run) -> bool:
        """Whether a sentence cites the whole of a premise: what holds for the premise then holds for its citation."""
        place = self.places.get(best or "")
        quotes = [e for e in run.ledger.evidence if e.id in sentence.evidence]
        return place is None or any(place.holds(e) and e.end - e.start == place.end - place.start for e in quotes)

    def evidence(self, best: str | None, sentence: Sentence, run: Run) -> str | None:
        """The ledger id of the quote that a premise stands for.

        A quote that the sentence cites inside the passage is preferred; else the nearest sentence of the passage
        becomes a quote. An id that is no premise of the context is a ledger id already.
        """
        place = self.places.get(best or "")
        if place is None:
            return best
        said = words.terms(sentence.text)
        cited = [e for e in run.ledger.evidence if e.id in sentence.evidence and place.holds(e)]
        if cited:
            return max(cited, key=lambda e: words.coverage(said, words.terms(e.quote))).id
        text = run.ledger.documents[place.document_id].text[place.start : place.end]
        spans = sentence_spans(text) or [(0, len(text))]
        start, end = max(spans, key=lambda span: words.coverage(said, words.terms(text[span[0] : span[1]])))
        quote = run.ledger.quote(place.document_id, place.start + start, place.start + end, rank=place.rank)
        return quote.id


async def context_of(hits: Sequence[Hit], run: Run, *, by_sentence: bool) -> Context:
    """The first `verify.context` passages as premises, best first; retracted papers are none.

    Args:
        hits: the context, in its order.
        run: the run; documents that the ledger lacks are fetched.
        by_sentence: one premise per sentence instead of one per passage, for a critic that compares words.

    Raises:
        SourceUnavailable: a document can no longer be fetched.
    """
    first = list(hits)[: run.settings.verify.context]
    passages = [hit.passage for hit in first if hit.passage.text.strip()]
    await run.retrieve([p.document_id for p in passages])
    views: list[EvidenceView] = []
    places: dict[str, Premise] = {}
    for rank, passage in enumerate(passages, start=1):
        if not _stands(passage, run):
            continue
        spans = sentence_spans(passage.text) if by_sentence else [(0, len(passage.text))]
        for number, (start, end) in enumerate(spans, start=1):
            key = f"P{rank}.S{number}" if by_sentence else f"P{rank}"
            places[key] = Premise(passage.document_id, passage.start + start, passage.start + end, rank)
            views.append(_view(key, passage, passage.text[start:end]))
    return Context(tuple(views), places)


def standing(evidence: Sequence[Evidence], run: Run) -> list[Evidence]:
    """The quotes that may support something: not those of retracted papers, and of notices about papers."""
    return [e for e in evidence if why_aside(run.ledger.documents[e.document_id]) is None]


def _stands(passage: Passage, run: Run) -> bool:
    document = run.ledger.documents.get(passage.document_id)
    if document is None or why_aside(passage) or why_aside(document):
        return False
    return run.stands(passage)


def _view(key: str, passage: Passage, quote: str) -> EvidenceView:
    return EvidenceView(
        id=key,
        title=passage.title,
        year=passage.year,
        design=", ".join(passage.publication_types),
        section=passage.section or "",
        quote=quote,
    )
