"""Sentences that introduce a subject, from which the background of a report is written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from medground.document import Document, Hit
from medground.operators.keyless.flags.cues import DOWN, UP
from medground.operators.keyless.sentences import reports_result, states_purpose
from medground.operators.views import SentencedPassage, SentenceView
from medground.read.numbered import TextSpan, spans
from medground.run import Run
from medground.text import words
from medground.text.prose import is_prose
from medground.text.quantities import quantities

_SECTION = re.compile(r"background|introduction|overview|definition", re.IGNORECASE)
_TEACHING = ("book", "wiki", "guideline")
_OPENING = 1
"""Sentences of an abstract without sections that introduce its subject."""
_ABOUT = 0.3
"""Least share of the question's topic words, by weight, in such a sentence."""
_MOST = 8
_POINTS_BACK = re.compile(
    r"(?:this|these|those|such|it|they|its|their|he|she|both|however|therefore|thus)\b", re.IGNORECASE
)

_OWN_WORK = re.compile(
    r"\b(?:we|our|us|(?:this|the present|the current) (?:study|trial|paper|review|report|case|analysis|series))\b",
    re.IGNORECASE,
)


def introductions(
    question: str, hits: Sequence[Hit], places: dict[str, TextSpan], run: Run
) -> tuple[SentencedPassage, ...]:
    """The sentences that introduce the subject of a question, those that name most of it first, at most eight.

    They are the background sections of papers, the first sentences of abstracts without sections, and texts that teach;
    no aims, results or pages of the web.

    Args:
        question: the whole question.
        hits: what was read; the documents are in the ledger.
        places: receives the place of each sentence by its id, `B1.S1` and so on.
        run: the run.
    """
    topic, seen = words.topic(question), dict.fromkeys(hit.passage.document_id for hit in hits)
    found: list[tuple[float, Document, TextSpan]] = []
    for document in (run.ledger.documents[i] for i in seen):
        for start, end in _opening(document):
            text = document.text[start:end]
            share = words.coverage(topic, words.terms(text))
            if share >= _ABOUT and _introduces(text):
                found.append((share, document, (document.id, start, end)))
    found.sort(key=lambda one: -one[0])
    views = []
    for number, (_, document, place) in enumerate(found[:_MOST], start=1):
        key = f"B{number}"
        places[f"{key}.S1"] = place
        sentence = SentenceView(id=f"{key}.S1", text=document.text[place[1] : place[2]])
        views.append(SentencedPassage(id=key, kind=document.kind, title=document.title, sentences=(sentence,)))
    return tuple(views)


def _introduces(text: str) -> bool:
    of_own_work = _POINTS_BACK.match(text) or _OWN_WORK.search(text) or states_purpose(text) or reports_result(text)
    found = UP.search(text) or DOWN.search(text) or quantities(text)
    return is_prose(text) and not (of_own_work or found)


def _opening(document: Document) -> Iterator[tuple[int, int]]:
    """The spans of the sentences of a document that may introduce its subject."""
    if document.kind in _TEACHING:
        yield from spans(document.text)
    elif document.kind == "research":
        named = [section for section in document.sections if _SECTION.search(section.label)]
        for section in named[:1]:
            for start, end in spans(document.text[section.start : section.end]):
                yield section.start + start, section.start + end
        if not document.sections:
            yield from spans(document.text)[:_OPENING]
