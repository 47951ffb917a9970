"""The documents that a question finds, the likeliest to hold the best quote first."""

import asyncio
from collections.abc import Sequence

from medground.answering.explanation import tell_judged
from medground.answering.rank.fuse import distinct
from medground.answering.rank.rerank import network_of, rerank
from medground.answering.read.evidence import with_findings
from medground.answering.read.readable import readable, texts
from medground.answering.read.reading_list import WEIGHED, Reading, best_first, reading_list
from medground.answering.run import Run
from medground.language import words
from medground.language.follow_up import questions_in
from medground.language.question_reading import Asked
from medground.recipes.base import fused
from medground.values.lookup import Lookup
from medground.values.question import Question


def each_question(question: Question, run: Run) -> list[Asked]:
    """Each of several questions in one text, which is searched by itself."""
    asked = run.reading(question)
    return [asked] if question.options else [one for _, one in questions_in(asked)]


def _by_author(asked: Asked, readings: Sequence[Reading], run: Run) -> tuple[Asked, Sequence[Reading]]:
    """The papers of the authors that a question names, and the question without them; both unchanged if none is."""
    names = [subject.said for subject in asked.subjects if subject.said.istitle() and not subject.heading]
    said = {stem for name in names for stem in words.terms(name) if words.weight(stem) >= words.MOST}
    authors = {r.document_id: words.terms(", ".join(run.ledger.documents[r.document_id].authors)) for r in readings}
    named = said.intersection(*[[stem for stems in authors.values() for stem in stems]])
    if not named:
        return asked, readings
    text = " ".join(word for word in asked.text.split() if named.isdisjoint(words.terms(word)))
    theirs = [reading for reading in readings if not named.isdisjoint(authors[reading.document_id])]
    return asked.reworded(text), theirs


async def found_readings(
    asked: Asked, lookup: Lookup, run: Run, only: Sequence[str] | None
) -> tuple[Asked, list[Reading]]:
    """The question without the authors that it names, and the documents that a lookup finds, the likeliest to hold the
    best quote first.
    """
    retrieval, lookup = run.settings.retrieval, lookup.replace(sources=tuple(only or ()))
    found = texts(fused(await run.look_up(lookup), run))
    hits = await rerank(retrieval.reranker, asked.text, distinct(await readable(found, run)), retrieval.keep, run)
    await run.retrieve([hit.passage.document_id for hit in hits])
    listed = with_findings(asked, reading_list(hits, retrieval.keep, WEIGHED), run.ledger.documents)
    asked, theirs = _by_author(asked, listed, run)
    ordered = await asyncio.to_thread(best_first, asked, theirs, await network_of(run))
    tell_judged(asked, ordered, run)
    return asked, ordered
