"""How sub-answers connect, and the background and synthesis that frame them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from medground.answering.read.reading_list import TextSpan, spans
from medground.answering.run import Run
from medground.errors import ModelFailed
from medground.language import words
from medground.language.finding_sentences import reports_result, states_purpose
from medground.language.prose import is_prose
from medground.language.quantities import quantities
from medground.models.operators.base import SentencedPassage, SentenceView
from medground.models.operators.differences import DOWN, UP
from medground.models.operators.writing import WrittenSentence
from medground.recipes.biomedsearch.reporting import (
    ComposeReportInput,
    ComposeReportOutput,
    ConnectInput,
    JoinedView,
    compose_report,
    connect_parts,
)
from medground.recipes.biomedsearch.sub_answers import Asks, Part
from medground.values.document import Document, Hit
from medground.values.evidence import Evidence
from medground.values.report import Connection
from medground.values.statement import Conflict

# Sentences that introduce a subject, from which the background of a report is written.

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


async def connected(answered: Sequence[Part], asks: Asks, run: Run) -> list[Connection]:
    """How the answered parts hang together; nothing where there is one only, or where the model fails."""
    if len(answered) < 2:
        return []
    value = ConnectInput(question=run.question.text, parts=tuple(part.view(run) for part in answered))
    try:
        output = await asks.ask(connect_parts, value)
    except ModelFailed as failed:
        run.warn(f"how the sub-answers connect could not be asked: {failed}")
        return []
    by = asks.answerer(connect_parts)
    return [
        Connection(**dict(one) | {"evidence": tuple(dict.fromkeys(one.evidence)), "found_by": by})
        for one in output.connections
    ]


def disagreeing(answered: Sequence[Part], conflicts: Sequence[Conflict]) -> list[Connection]:
    """The contradictions of sub-answers among the conflicts of their quotes."""
    owner = {quote.id: part.id for part in reversed(answered) for quote in part.evidence}
    found = []
    for conflict in conflicts:
        said: dict[str, Any] = {"relation": "contradicts", "found_by": conflict.found_by, "about": conflict.about}
        sides = [[e for e in side.evidence if e in owner] for side in conflict.sides]
        for one, other in combinations(sides, 2):
            pairs = {(owner[e], owner[f]): (e, f) for e in one for f in other if owner[e] != owner[f]}
            found += [Connection(first=a, second=b, evidence=quotes, **said) for (a, b), quotes in pairs.items()]
    return found


async def framed(
    answered: Sequence[Part], connections: Sequence[Connection], asks: Asks, run: Run
) -> tuple[ComposeReportOutput, list[Evidence]]:
    """Background, synthesis and answer, whose sentences cite quotes of the ledger, and the quotes of introductions.

    A model that fails leaves the report without them.
    """
    places: dict[str, TextSpan] = {}
    hits = [hit for part in answered for hit in part.hits]
    value = ComposeReportInput(
        question=run.question.text,
        task=run.question.task,
        options=run.question.options,
        introductions=introductions(run.question.text, hits, places, run),
        parts=tuple(part.view(run) for part in answered),
        connections=tuple(JoinedView(**one.model_dump(include=set(JoinedView.model_fields))) for one in connections),
        sentences=run.settings.recipe.sentences,
    )
    try:
        output = await asks.ask(compose_report, value)
    except ModelFailed as failed:
        run.warn(f"background and synthesis could not be written: {failed}")
        return ComposeReportOutput(background=(), synthesis=(), answer=()), []
    used = dict.fromkeys(e for one in (*output.background, *output.synthesis) for e in one.evidence if e in places)
    quotes = {one: run.ledger.quote(*places[one]) for one in used}
    background, synthesis = (_cited(sentences, quotes) for sentences in (output.background, output.synthesis))
    framed = output.model_copy(update={"background": background, "synthesis": synthesis})
    return framed, list(quotes.values())


def _cited(sentences: Sequence[WrittenSentence], quotes: Mapping[str, Evidence]) -> tuple[WrittenSentence, ...]:
    return tuple(
        one.model_copy(update={"evidence": tuple(quotes[e].id if e in quotes else e for e in one.evidence)})
        for one in sentences
    )
