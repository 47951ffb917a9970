"""A report without a model: which sentences answer a sub-question, as far as its reading and the words of texts tell.

They show what a text is about, and not what it says: a reader must judge.
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.language import words
from medground.language.question_kinds import aspects_told
from medground.language.question_reading import QuestionReading, reading_of
from medground.models.operators.base import EvidenceView, SentencedPassage
from medground.models.operators.reading import quotes_on_topic
from medground.models.operators.writing import chosen_quotes

OWN = 0.4
"""Least share, in a quote and its title, of what a sub-question asks in words that are no aspect, such as pathways."""
LINES = 3
"""Most lines of the records of proteins in a sub-answer."""
_RECORDS = ("protein", "graph")


def answering(question: str, whole: str, passages: Sequence[SentencedPassage], most: int) -> tuple[EvidenceView, ...]:
    """The sentences that answer a sub-question, best first, then lines of records; empty if none does.

    Of the whole question, the best quotes of all passages on its topic, as in any answer. Of a part, passages must be
    about its things, and a quote speak of what it asks of them.
    """
    asked, texts = reading_of(question), [passage for passage in passages if passage.kind not in _RECORDS]
    if question != whole:
        texts = [passage for passage in texts if asked.is_about(_text(passage))]
    views = quotes_on_topic(question, texts)
    if question != whole:
        views = [view for view in views if _speaks(asked, whole, view)]
    records = [passage for passage in passages if passage.kind in _RECORDS]
    return (*chosen_quotes(question, views, most), *_lines(question, whole, records))


def why_not(question: str, passages: Sequence[SentencedPassage]) -> str:
    """Why no passage answers a question, as far as words tell."""
    unnamed = reading_of(question).unnamed([_text(passage) for passage in passages])
    return f"no passage mentions {' or '.join(unnamed)}" if unnamed else "no passage says enough of what it asks"


def _text(passage: SentencedPassage) -> str:
    return f"{passage.title}\n{' '.join(sentence.text for sentence in passage.sentences)}"


def _speaks(asked: QuestionReading, whole: str, view: EvidenceView) -> bool:
    if asked.aspects:
        return not asked.aspects.isdisjoint(aspects_told(view.quote))
    own = words.topic(asked.text) - words.topic(whole)
    return words.coverage(own, words.terms(f"{view.title} {view.quote}")) >= OWN


def _lines(question: str, whole: str, records: Sequence[SentencedPassage]) -> list[EvidenceView]:
    """Lines that share a word with the question, most of them first.

    Words of the record's name do not count, nor, where the sub-question has words of its own, those that it shares
    with the whole question: they are in the same lines for every sub-question.
    """
    topic = words.topic(question)
    own = topic - words.topic(whole) or topic
    found: list[tuple[float, float, EvidenceView]] = []
    for record in records:
        beyond = topic - frozenset(words.terms(record.title))
        for one in record.sentences:
            said = words.terms(f"{one.text} {record.section or ''}")
            view = EvidenceView(id=one.id, title=record.title, section=record.section, quote=one.text)
            found.append((words.coverage(own & beyond, said), words.coverage(beyond, said), view))
    found.sort(key=lambda one: (-one[0], -one[1]))
    return [view for share, _, view in found if share > 0][:LINES]
