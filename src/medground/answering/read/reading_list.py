"""Turn hits into a reading list of numbered sentences: the documents whose sentences answer best come first, in
batches.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from medground.answering.captions import design
from medground.language.prohibition import forbidden
from medground.language.prose import is_prose
from medground.language.question_reading import Asked
from medground.language.quoting.judged import TOGETHER, AnswerNetwork, Candidate, Judged, log_sum, read_together
from medground.language.quoting.leading import POINTS_BACK, cell_named, is_quotable, says_beside, says_the_same
from medground.language.sentences import Span, sentence_spans
from medground.models.operators.base import SentencedPassage, SentenceView
from medground.values.document import Document, Hit, Passage
from medground.values.evidence import Evidence, SentenceNames, TextSpan
from medground.values.steps import ReadingBatch

_APART = 3
"""Characters between a sentence and the next one of its paragraph, at most one less."""
_LONGEST = 900
"""Characters of a quote of two sentences."""
_WHOLE = 0.9
"""Share of a document's characters from which it is shown whole: white space and labels are in no sentence."""


def named(
    document: Document, passages: Sequence[Passage], names: SentenceNames, strengths: Mapping[int, float] | None = None
) -> SentencedPassage:
    """Passages of one document as a model is shown them: what paper it is, and its sentences in text order.

    The ids of its sentences are theirs in the whole run. `strengths` are by the offset of a sentence's start.
    """
    known = strengths or {}
    # by their places: passages of one document may overlap
    spoken = {p.start + start: p.text[start:end] for p in passages for start, end in spans(p.text)}
    views = tuple(
        SentenceView(id=names.of_sentence(document.id, start, start + len(text)), text=text, strength=known.get(start))
        for start, text in sorted(spoken.items())
    )
    return headed(document, passages[0].section, views, names)


def headed(
    document: Document, section: str | None, sentences: tuple[SentenceView, ...], names: SentenceNames
) -> SentencedPassage:
    """Sentences of a document under a head that says what paper it is, and how much of it is shown."""
    return SentencedPassage(
        id=names.of_document(document.id),
        paper=document.id,
        title=document.title,
        year=document.year,
        design=design(document),
        journal=document.journal or "",
        section=section or "",
        share=share_of(sentences, document),
        sentences=sentences,
    )


def share_of(sentences: Sequence[SentenceView], document: Document) -> str:
    """How much of a document its sentences are, such as `40 % of the text`; empty where it is shown whole."""
    share = sum(len(sentence.text) for sentence in sentences) / max(1, len(document.text.strip()))
    return "" if share >= _WHOLE else f"{max(1, round(100 * share))} % of the text"


def with_antecedent(sentence: str, names: SentenceNames, document: Document) -> TextSpan:
    """The position of a sentence; with the sentence before it in the same paragraph if it begins with `This` or so."""
    identity, start, end = names[sentence]
    before = names.before(sentence)
    if before is None or not POINTS_BACK.match(document.text, start, end) or end - before[1] > _LONGEST:
        return identity, start, end
    former = document.text[before[1] : before[2]]
    apart = document.text[before[2] : start].strip(" ")
    if apart or not is_prose(former) or says_the_same(former, document.text[start:end]):
        return identity, start, end
    return identity, before[1], end


@lru_cache(maxsize=2048)
def spans(text: str) -> tuple[Span, ...]:
    """The sentences of a passage. Remembered, because a passage is weighed before it is shown."""
    return tuple(sentence_spans(text))


PASSAGES_PER_DOCUMENT = 3
WEIGHED = 8
"""Passages of a document whose sentences are weighed; the strongest of them are read."""
GAINS = {
    "cell": 40.0,  # a row of a table whose name and column a question names, or what it asks of a paper's funding
    "defines": 8.0,  # it says what the thing is, where that is asked
    "another subject": -8.0,  # its document names nothing of the question where another does: it would be refused
    "another type": -8.0,  # it tells of another type of the thing
}
"""What is added to the learned score of a sentence, by the name of the term."""
_FORBIDS = 1.0
"""How much stronger than all other sentences is the strongest one that forbids what a question asks leave for."""


@dataclass(frozen=True)
class Reading:
    """A document to read.

    Attributes:
        document_id: its id.
        rank: its place in the list, from 1.
        passages: its passages to be read, best first.
        scores: its best score by each ranker.
        judged: how likely each of its sentences answers, by the offset of its start in the document.
        found: the best passages by which the search found it, where others may have taken their place.
    """

    document_id: str
    rank: int
    passages: tuple[Passage, ...]
    scores: Mapping[str, float] = field(default_factory=dict)
    judged: Mapping[int, Judged] = field(default_factory=dict)
    found: tuple[Passage, ...] = ()

    @property
    def strengths(self) -> dict[int, float]:
        """How good a quote each of its sentences is, by the offset of its start in the document."""
        return {start: judged.answers for start, judged in self.judged.items()}

    @property
    def nearness(self) -> float:
        """Cosine of its nearest passage with the question; 0 if vectors did not find it."""
        return self.scores.get("dense", 0.0)


def reading_list(hits: Sequence[Hit], most: int, each: int = PASSAGES_PER_DOCUMENT) -> list[Reading]:
    """At most `most` documents, each with its best `each` passages, in the order of their best hits."""
    grouped: dict[str, list[Passage]] = {}
    scores: dict[str, dict[str, float]] = {}
    for hit in hits:
        passages = grouped.setdefault(hit.passage.document_id, [])
        best = scores.setdefault(hit.passage.document_id, {})
        for ranker, score in hit.scores.items():
            best[ranker] = max(score, best.get(ranker, score))
        if len(passages) < each:
            passages.append(hit.passage)
    return [
        Reading(document_id, rank, tuple(passages), scores[document_id])
        for rank, (document_id, passages) in enumerate(list(grouped.items())[:most], start=1)
    ]


def best_first(asked: Asked, readings: Sequence[Reading], network: AnswerNetwork | None = None) -> list[Reading]:
    """The readings with their sentences judged, the likeliest to hold the best quote first.

    Of each, the `PASSAGES_PER_DOCUMENT` passages with the strongest sentences are kept, the strongest first.
    """
    weighed = [_strongest(asked, reading) for reading in with_strengths(asked, readings, network)]
    ordered = sorted(weighed, key=lambda reading: -log_sum(_quotable(asked, reading).values()))
    return [replace(reading, rank=rank) for rank, reading in enumerate(ordered, start=1)]


def text_of(reading: Reading) -> str:
    """The title and the text of what is read of a document."""
    return "\n".join([*(passage.title for passage in reading.passages[:1]), *(p.text for p in reading.passages)])


def _quotable(asked: Asked, reading: Reading) -> dict[int, float]:
    """The strengths of the sentences that may be quoted: what is not prose puts no paper first."""
    return {at: judged.answers for at, judged in reading.judged.items() if is_quotable(asked, judged.sentence)}


def _strongest(asked: Asked, reading: Reading) -> Reading:
    if len(reading.passages) <= PASSAGES_PER_DOCUMENT:
        return reading
    strengths = _quotable(asked, reading)

    def strength(passage: Passage) -> float:
        return max((s for at, s in strengths.items() if passage.start <= at < passage.end), default=-math.inf)

    kept = tuple(sorted(reading.passages, key=strength, reverse=True)[:PASSAGES_PER_DOCUMENT])
    judged = {at: found for at, found in reading.judged.items() if any(p.start <= at < p.end for p in kept)}
    return replace(reading, passages=kept, judged=judged, found=reading.passages[:PASSAGES_PER_DOCUMENT])


def with_strengths(asked: Asked, readings: Sequence[Reading], network: AnswerNetwork | None = None) -> list[Reading]:
    """The readings, in the same order, with their sentences judged, by a network too if one is given.

    A document that names nothing of the question comes after others. A sentence that forbids what is asked comes first.
    """
    from medground.language.quoting.scorer import terms  # numpy is slow to import

    judged = list[dict[int, Judged]]()
    antecedents = [_antecedents(reading) for reading in readings]
    naming = [asked.names_any(text_of(reading)) for reading in readings]
    scored = terms(asked, candidates(readings))
    for reading, led, found, names in zip(readings, antecedents, scored, naming, strict=True):
        off = {} if names or not any(naming) else {"another subject": GAINS["another subject"]}
        pairs = zip(sentences_of(reading), found, strict=True)
        judged.append({p.start + at: _judged(asked, p, at, end, led, {**row, **off}) for (p, at, end), row in pairs})
    if network is not None:
        judged = read_together(asked, judged, network)
    forbidding = [
        (found, start)
        for found, led in zip(judged, antecedents, strict=True)
        for start, one in found.items()
        if forbidden(asked, one.title, one.sentence, led[start]) > 0
    ]
    if forbidding:
        most = max(found.answers for sentences in judged for found in sentences.values())
        lift = max(0.0, most + _FORBIDS - max(sentences[start].answers for sentences, start in forbidding))
        for sentences, start in forbidding:
            sentences[start] = sentences[start].with_term("forbids", lift)
    return [replace(reading, judged=sentences) for reading, sentences in zip(readings, judged, strict=True)]


def _antecedents(reading: Reading) -> dict[int, str]:
    """For the start of each sentence, the sentence before it if it points back to that, else nothing."""
    found, before, end = dict[int, str](), "", 0
    for at, sentence in places(reading):
        found[at] = before if POINTS_BACK.match(sentence) and at - end < _APART else ""
        before, end = sentence, at + len(sentence)
    return found


def _judged(
    asked: Asked, passage: Passage, start: int, end: int, antecedents: Mapping[int, str], terms: Mapping[str, float]
) -> Judged:
    """A sentence of a passage, judged for a question; its type is looked for in what it points back to as well."""
    title, sentence = passage.title, passage.text[start:end]
    whole = f"{antecedents[passage.start + start]} {sentence}"
    of_it = not asked.deciding or asked.names_any(title)  # what weakens or pays for another study is not asked
    held = {
        "cell": max(of_it and says_beside(asked, sentence), cell_named(asked, sentence, title, passage.section)),
        "another type": bool(asked.mistyped([whole]) or asked.mistyped([f"{title}\n{whole}"])),
        "defines": asked.is_defined_in(sentence),
    }
    return Judged(title, sentence, dict(terms) | {name: GAINS[name] * share for name, share in held.items() if share})


def candidates(readings: Sequence[Reading]) -> list[Candidate]:
    """The readings as the scorer sees them."""
    top = max((reading.scores.get("bm25", 0.0) for reading in readings), default=0.0) or 1.0
    return [
        Candidate(
            title=reading.passages[0].title if reading.passages else "",
            sentences=[sentence for _, sentence in places(reading)],
            by_words=max(reading.scores.get("bm25", 0.0), 0.0) / top,
            headings=[passage.section for passage, _, _ in sentences_of(reading)],
        )
        for reading in readings
    ]


def places(reading: Reading) -> list[tuple[int, str]]:
    """The sentences of a reading in text order, each with the offset of its start in the document."""
    return [(passage.start + start, passage.text[start:end]) for passage, start, end in sentences_of(reading)]


def sentences_of(reading: Reading) -> list[tuple[Passage, int, int]]:
    """The sentences of a reading in text order: passage, and start and end in its text."""
    passages = sorted(reading.passages, key=lambda p: p.start)
    return [(passage, start, end) for passage in passages for start, end in spans(passage.text)]


def log_odds(quote: Evidence, readings: Sequence[Reading]) -> float:
    """What a network says of the best sentence of a quote: the log-odds that it answers; 0 where none has read it."""
    judged = next((one.judged for one in readings if one.document_id == quote.document_id), {})
    read = (one.terms.get("read together", 0.0) for at, one in judged.items() if quote.start <= at < quote.end)
    return max(read, default=0.0) / TOGETHER


def reading_step(readings: Sequence[Reading], number: int = 1, of: int = 1) -> ReadingBatch:
    """The step that is reported while documents are read together: batch `number`, from 1, of at most `of`."""
    return ReadingBatch(documents=tuple(reading.document_id for reading in readings), number=number, of=of)
