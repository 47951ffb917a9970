"""Whether what a model says is reported nowhere stands in a document that was found."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from medground.answering.read.sentence_names import TextSpan
from medground.answering.run import Run
from medground.corpus.retraction import why_aside
from medground.language import words
from medground.language.question_reading import QuestionReading, reading_of
from medground.language.sentences import sentence_spans
from medground.language.word_lists import forms
from medground.values.document import Document

_FRAME = forms("absence")["frame"]
_HELD = 0.75
"""Minimum share of an absence's words, by weight, in a sentence with its title that reports the thing after all."""
_LONGEST = 200_000
"""Characters of a document in which it is looked for."""


def reported(absences: Sequence[str], run: Run) -> dict[str, TextSpan]:
    """For each absence that a document found refutes, the sentence that reports the thing."""
    documents = [one for one in run.ledger.documents.values() if why_aside(one) is None]
    found = ((absence, _place(absence, documents)) for absence in absences)
    return {absence: place for absence, place in found if place is not None}


def _place(absence: str, documents: Iterable[Document]) -> TextSpan | None:
    asked = reading_of(_FRAME.sub(" ", absence))
    wanted = frozenset(words.terms(asked.text))
    numbers = frozenset(term for term in wanted if term[:1].isdigit())
    if not wanted:
        return None
    best: tuple[float, TextSpan] | None = None
    for document in documents:
        title = _terms(asked, document.title)
        for start, end in _sentences(document.text[:_LONGEST]):
            held = title | _terms(asked, document.text[start:end])
            share = words.coverage(wanted, held) if numbers <= held else 0.0
            if share >= _HELD and not wanted <= title and (best is None or share > best[0]):
                best = share, (document.id, start, end)
    return best[1] if best else None


def _terms(asked: QuestionReading, text: str) -> frozenset[str]:
    return frozenset(words.terms(asked.in_own_words(text)))


@lru_cache(maxsize=64)
def _sentences(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(sentence_spans(text))


def reported_after_all(absences: Sequence[str], run: Run) -> dict[str, str]:
    """For each absence that a document found refutes, what it reports."""
    texts = {name: document.text for name, document in run.ledger.documents.items()}
    found = reported(absences, run).items()
    return {absence: f"{name} reports: “{texts[name][start:end]}”" for absence, (name, start, end) in found}
