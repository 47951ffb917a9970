"""What statements are compared with: the quotes they cite, or the first passages of a context (CONTEXT-j).

Source: Reason and Verify, section 3.4 (CONTEXT-1 to CONTEXT-5); Self-MedRAG, section 3.5 (all passages of a round).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from medground.answering.read.evidence import described
from medground.answering.run import Run
from medground.answering.verify.critic import Reads
from medground.corpus.retraction import why_aside
from medground.language import words
from medground.language.prose import is_prose
from medground.language.sentences import sentence_spans
from medground.models.operators.base import EvidenceView
from medground.values.document import Hit, Passage
from medground.values.evidence import Evidence, Sentence

WINDOW, WINDOW_WORDS = 3, 90
"""Most sentences and words of a window."""


@dataclass(frozen=True)
class Premise:
    """A slice of a retrieved document, and the rank of its passage in the context, counted from 1.

    `exact`: the slice is what is quoted, because the critic read no more than that.
    """

    document_id: str
    start: int
    end: int
    rank: int
    exact: bool = False

    def holds(self, evidence: Evidence) -> bool:
        """Whether a quote is inside the slice."""
        return evidence.document_id == self.document_id and self.start <= evidence.start and evidence.end <= self.end


@dataclass(frozen=True)
class Context:
    """The premises `P1`, `P2`, ... that all statements of a rationale share, and the position of each."""

    views: tuple[EvidenceView, ...] = ()
    places: Mapping[str, Premise] = field(default_factory=dict)

    def cites(self, best: str | None, sentence: Sentence, run: Run) -> bool:
        """Whether a sentence cites a whole premise, so that a judgement on the premise holds for the citation too."""
        place = self.places.get(best or "")
        quotes = [e for e in run.ledger.evidence if e.id in sentence.evidence]
        return place is None or any(place.holds(e) and e.end - e.start == place.end - place.start for e in quotes)

    def evidence(self, best: str | None, sentence: Sentence, run: Run) -> str | None:
        """The ledger id of the quote that represents a premise.

        An exact premise is quoted as it is. Of others, a quote that the sentence cites is preferred; otherwise the
        closest sentence of the passage is quoted. An id that is not a premise of the context is already a ledger id.
        """
        place = self.places.get(best or "")
        if place is None:
            return best
        terms = words.terms(sentence.text)
        if place.exact:
            return run.ledger.quote(place.document_id, place.start, place.end, rank=place.rank).id
        cited = [e for e in run.ledger.evidence if e.id in sentence.evidence and place.holds(e)]
        if cited:
            return max(cited, key=lambda e: words.coverage(terms, words.terms(e.quote))).id
        text = run.ledger.documents[place.document_id].text[place.start : place.end]
        spans = sentence_spans(text) or [(0, len(text))]
        start, end = max(spans, key=lambda span: words.coverage(terms, words.terms(text[span[0] : span[1]])))
        quote = run.ledger.quote(place.document_id, place.start + start, place.start + end, rank=place.rank)
        return quote.id


async def context_of(hits: Sequence[Hit], run: Run, *, reads: Reads = "passages") -> Context:
    """The first `verify.context` passages as premises, best first, without retracted papers.

    Args:
        reads: what the critic is given of each passage: its sentences, its windows (neighbouring sentences), or all.

    Raises:
        SourceUnavailable: a document can no longer be fetched.
    """
    first = list(hits)[: run.settings.verify.context]
    passages = [hit.passage for hit in first if hit.passage.text.strip()]
    await run.retrieve([p.document_id for p in passages])
    views: list[EvidenceView] = []
    places: dict[str, Premise] = {}
    for rank, passage in enumerate(passages, start=1):
        if not _is_usable(passage, run):
            continue
        for number, (start, end) in enumerate(premise_spans(passage.text, reads), start=1):
            key = f"P{rank}" if reads == "passages" else f"P{rank}.S{number}"
            where = passage.start + start, passage.start + end
            places[key] = Premise(passage.document_id, *where, rank, exact=reads == "windows")
            quote, section = passage.text[start:end], passage.section or ""
            views.append(EvidenceView(id=key, section=section, quote=quote, **described(passage)))
    return Context(tuple(views), places)


def usable(evidence: Sequence[Evidence], run: Run) -> list[Evidence]:
    """The quotes that may be used as evidence: not those of retracted papers or of notices about papers."""
    return [e for e in evidence if why_aside(run.ledger.documents[e.document_id]) is None]


def cited_evidence(sentence: Sentence, run: Run) -> list[Evidence]:
    """The quotes that a sentence cites and that may be used as evidence."""
    return usable([e for e in run.ledger.evidence if e.id in sentence.evidence], run)


def premise_spans(text: str, reads: Reads) -> list[tuple[int, int]]:
    """The slices of a passage that are premises; what is not prose is in no sentence and no window."""
    if reads == "passages":
        return [(0, len(text))]
    sentences = sentence_spans(text)
    prose = [is_prose(text[start:end]) for start, end in sentences]
    if reads == "sentences":
        return [span for span, is_kept in zip(sentences, prose, strict=True) if is_kept]
    numbers = range(len(sentences))
    runs = ((n, m) for n in numbers for m in numbers[n : n + WINDOW] if all(prose[n : m + 1]))
    spans = ((sentences[n][0], sentences[m][1], n == m) for n, m in runs)
    return [(start, end) for start, end, alone in spans if alone or len(text[start:end].split()) <= WINDOW_WORDS]


def _is_usable(passage: Passage, run: Run) -> bool:
    document = run.ledger.documents.get(passage.document_id)
    return not (document is None or why_aside(passage) or why_aside(document)) and run.stands(passage)
