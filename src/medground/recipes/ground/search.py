"""The documents that a question finds, the likeliest to hold the best quote first."""

import asyncio
import contextlib
from collections.abc import Sequence
from itertools import islice

from medground.answering.explanation import tell_judged
from medground.answering.rank.fuse import distinct
from medground.answering.rank.rerank import network_of, rerank
from medground.answering.read.evidence import with_findings
from medground.answering.read.readable import readable, texts
from medground.answering.read.reading_list import WEIGHED, Reading, best_first, reading_list
from medground.answering.run import Run
from medground.errors import SourceUnavailable
from medground.language import words
from medground.language.follow_up import questions_in
from medground.language.question_reading import Asked
from medground.language.subject import Subject
from medground.recipes.base import fused
from medground.values.document import Hit
from medground.values.lookup import Lookup
from medground.values.query import all_of
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
    retrieval, lookup = run.settings.retrieval, lookup.model_copy(update={"sources": tuple(only or ())})
    found = texts(fused(await run.look_up(lookup), run))
    hits = await rerank(retrieval.reranker, asked.text, distinct(await readable(found, run)), retrieval.keep, run)
    read = "\n".join(f"{hit.passage.title}\n{hit.passage.text}" for hit in hits)
    lost = asked.not_named(read) if hits else []
    if lost:
        with contextlib.suppress(SourceUnavailable):  # the answer lists it, and what was found before stands
            hits = [*_as_well_found(await _naming(lost, asked, lookup, run), hits), *hits][: retrieval.keep]
    await run.retrieve([hit.passage.document_id for hit in hits])
    listed = with_findings(asked, reading_list(hits, retrieval.keep, WEIGHED), run.ledger.documents)
    asked, theirs = _by_author(asked, listed, run)
    ordered = await asyncio.to_thread(best_first, asked, theirs, await network_of(run))
    tell_judged(asked, ordered, run)
    return asked, ordered


async def _naming(things: Sequence[Subject], asked: Asked, lookup: Lookup, run: Run) -> list[Hit]:
    """What names things that decide, where the words of the question alone found none of it."""
    shown = ", ".join(thing.said for thing in things)
    named = {"asked": all_of([thing.query for thing in things]), "text": asked.text, "shown": shown}
    found = texts(fused(await run.look_up(lookup.model_copy(update=named)), run))
    return list(islice(distinct(await readable(found, run)), run.settings.retrieval.keep // 2))


def _as_well_found(named: Sequence[Hit], hits: Sequence[Hit]) -> list[Hit]:
    """Hits of another query, with the best one as well found by words as the best of the question's own hits."""
    best, top = (max((one.scores.get("bm25", 0.0) for one in some), default=0.0) for some in (named, hits))
    if not best:
        return list(named)
    share = top / best
    return [
        one.model_copy(update={"scores": {**one.scores, "bm25": one.scores.get("bm25", 0.0) * share}}) for one in named
    ]
