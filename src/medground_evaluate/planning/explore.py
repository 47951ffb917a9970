"""The run of a training question: it may ask the operators of exploring, judging and reading, and keeps no trace."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from medground.answering.declaration import Declaration
from medground.answering.run import Run
from medground.answering.trace import Trace
from medground.engine.engine import Engine
from medground.errors import UsageError
from medground.home.settings import Settings
from medground.models.operators.base import Operator
from medground.models.operators.reasoning import reason_or_recall
from medground.recipes.omni_rag.operators import ExploredSource
from medground.recipes.omni_rag.read_plan import read_plan
from medground.recipes.omni_rag.search import plannable, search_plan
from medground.recipes.omni_rag.settings import OmniRagSettings
from medground.recipes.pubmed_reasoner.answering import recall
from medground.values.document import Hit
from medground.values.question import Question
from medground.values.source_description import SourceDescription
from medground.values.source_plan import SourceFound, SourcePlan, SourceQuery, tagged
from medground.values.steps import Progress, no_progress
from medground_evaluate.demonstrations.records import Source, read_records
from medground_evaluate.items import Item
from medground_evaluate.planning.cost import CallEstimate, cost_table, estimate_exploring, step_cost
from medground_evaluate.planning.exploring import QUERIES, ExploreInput, explore, judge_found
from medground_evaluate.planning.work import (
    Asked,
    Explored,
    Head,
    Judged,
    JudgedQuery,
    Piece,
    Spent,
    State,
    Tried,
    Unfinished,
    WorkFile,
    read_work,
    work_through,
)

OPERATORS: tuple[Operator[Any, Any], ...] = (explore, judge_found, recall, reason_or_recall)


def run_of(engine: Engine, question: Question) -> Run:
    """A run with the engine's sources and models."""
    declared = Declaration(name="planner-training", operators=OPERATORS, settings=engine.recipe.settings)
    return Run(
        question,
        engine.settings,
        declared,
        engine.sources,
        engine.models,
        trace=Trace("planner", None),
        clock=time.monotonic,
    )


def question_of(asked: Asked) -> Question:
    """The question as it was asked."""
    return Question(text=asked.text, task=asked.task, options=asked.options, context=asked.context)


@dataclass(frozen=True)
class Exploration:
    """What is explored.

    Attributes:
        source: the data set; only its training questions are taken.
        queries: queries for each source.
        sources: names of the sources to explore; empty for all that are open.
        limit: most questions; None for all.
        seed: of the order of the questions.
    """

    source: Source
    queries: int = QUERIES
    sources: tuple[str, ...] = ()
    limit: int | None = None
    seed: int = 0


@dataclass(frozen=True)
class Finished:
    """A step that has gone through all its questions: how many lines the file has, and what is still missing."""

    path: Path
    head: Head
    lines: int
    unfinished: tuple[Unfinished, ...]
    seconds: float


async def explore_questions(
    wanted: Exploration,
    settings: Settings,
    out: Path,
    *,
    workers: int = 1,
    progress: Progress = no_progress,
) -> Finished:
    """Explore training questions into a file; the same call resumes it.

    Raises:
        UsageError: the set has no training question, a source is unknown, or the file was made with other options.
        ConfigError: a model or a corpus cannot be used.
        SourceUnavailable: no source could be searched.
        StorageFailed: the file cannot be written.
    """
    started = time.monotonic()
    records = await asyncio.to_thread(read_records, wanted.source)
    items = list(records.training)
    random.Random(wanted.seed).shuffle(items)
    items = items[: wanted.limit]
    async with await Engine.open(settings, progress=progress) as engine:
        sources = _chosen(plannable(run_of(engine, items[0].question)), wanted.sources)
        head = Head(
            step="exploration",
            dataset=records.dataset,
            digest=records.digest,
            seed=wanted.seed,
            model=engine.models.of(explore.name).name,
            settings_hash=engine.settings.hash,
            snapshots=tuple(dict.fromkeys(s.state for s in engine.sources if s.state is not None)),
            sources=sources,
            options={"queries": wanted.queries, **_found_of(engine.settings)},
        )
        with WorkFile(out, head, Explored) as work:
            done = {one.question.id for one in work.done}
            failures = await work_through(
                [item for item in items if item.id not in done],
                lambda item: explored(item, sources, wanted.queries, run_of(engine, item.question)),
                work,
                name=lambda item: item.id,
                workers=workers,
                progress=progress,
            )
            return Finished(out, head, len(work.done), tuple(failures), time.monotonic() - started)


async def check_exploring(wanted: Exploration, settings: Settings) -> CallEstimate:
    """What an exploration will need; sources are opened, nothing is asked.

    Raises:
        UsageError: the set has no training question, or a source is unknown.
        ConfigError: a model or a corpus cannot be used.
    """
    records = await asyncio.to_thread(read_records, wanted.source)
    items = records.training[: wanted.limit]
    async with await Engine.open(settings) as engine:
        sources = _chosen(plannable(run_of(engine, items[0].question)), wanted.sources)
        model = engine.models.of(explore.name).name
    return estimate_exploring(len(items), len(sources), wanted.queries, model)


async def explored(item: Item, sources: Sequence[SourceDescription], queries: int, run: Run) -> Explored:
    """One question: ask for the queries of each source, and search for all of them.

    Raises:
        ModelFailed: the model wrote no usable queries.
        SourceUnavailable: no source could be searched.
    """
    views = tuple(ExploredSource(name=one.name, kind=one.kind, about=one.about) for one in sources)
    began = run.clock()
    output = await run.ask(explore, ExploreInput(question=run.question.text, sources=views, queries_for_each=queries))
    written = {
        one.source: tuple(SourceQuery(term=query.term, text=query.text) for query in one.queries) for one in output.plan
    }
    plan = _writable(SourcePlan(queries=written), sources, queries)
    asked = run.clock()
    found = await search_plan(plan, run)
    tried, passages = _tried(found)
    spent = Spent.of(run.usage, retrieval=run.clock() - asked, inference=asked - began)
    return Explored(question=asked_of(item), queries=tuple(tried), passages=passages, spent=spent)


def asked_of(item: Item) -> Asked:
    """A question of a data set with its gold answer in words."""
    question = item.question
    said = "; ".join(question.worded(item.gold))
    return Asked(
        id=item.id,
        text=question.text,
        task=question.task,
        options=question.options,
        context=question.context,
        gold=item.gold,
        reference=item.reference,
        answer=": ".join(part for part in (said, item.reference) if part),
        documents=item.documents,
    )


def _writable(plan: SourcePlan, sources: Sequence[SourceDescription], most: int) -> SourcePlan:
    """The plan as a planner could have written it: what its tagged form cannot hold is mended before it is searched."""
    return read_plan(tagged(plan, tuple(one.name for one in sources)), sources, most).plan


def _tried(found: Sequence[SourceFound]) -> tuple[list[Tried], dict[str, Piece]]:
    passages: dict[str, Piece] = {}
    tried: list[Tried] = []
    for one in found:
        for got in one.queries:
            passages.update({hit.passage.key: _piece(hit) for hit in got.hits})
            keys = tuple(dict.fromkeys(hit.passage.key for hit in got.hits))
            state: State = "found" if keys else "failed" if one.failure else "empty"
            tried.append(Tried(source=one.source.name, query=got.query, state=state, found=keys))
    return tried, passages


def _piece(hit: Hit) -> Piece:
    one = hit.passage
    return Piece(
        document_id=one.document_id, start=one.start, end=one.end, title=one.title, kind=one.kind, text=one.text
    )


def _found_of(settings: Settings) -> dict[str, object]:
    """What decides which passages a query finds, beside the settings that every recipe shares."""
    own = settings.section(OmniRagSettings).model_dump(mode="json", include={"depth", "kept"})
    return own | {"retractions": settings.recipe.retractions}


def _chosen(there: Sequence[SourceDescription], names: Sequence[str]) -> tuple[SourceDescription, ...]:
    if unknown := sorted(set(names) - {one.name for one in there}):
        known = ", ".join(one.name for one in there) or "none"
        raise UsageError(f"no source is called {', '.join(unknown)}; sources that are open: {known}")
    chosen = tuple(one for one in there if not names or one.name in names)
    if not chosen:
        raise UsageError("there is no source to explore; name corpora with --corpus, or a knowledge base with --kb")
    return chosen


def lines_of(finished: Finished, workers: int) -> Iterator[str]:
    """The lines of a step."""
    head = finished.head
    yield f"{finished.path}: {finished.lines:,} questions of {head.dataset}, {head.step} by {head.model}"
    if head.step == "exploration":
        explored = read_work(finished.path, Explored)[1]
        tried: list[Tried] = [query for one in explored for query in one.queries]
        for source in head.sources:
            mine = [one for one in tried if one.source == source.name]
            states = Counter(one.state for one in mine)
            each = fmean(len(one.found) for one in mine) if mine else 0.0
            counts = ", ".join(f"{states[state]:,} {state}" for state in ("found", "empty", "failed") if states[state])
            yield f"  {source.name}: {len(mine):,} queries ({counts}), {each:.1f} passages each"
        spent = [one.spent for one in explored]
    else:
        judged = read_work(finished.path, Judged)[1]
        labelled: list[JudgedQuery] = [query for one in judged for query in one.queries]
        for source in head.sources:
            labels = Counter(one.label for one in labelled if one.source == source.name)
            yield "  " + source.name + ": " + ", ".join(f"{labels[name]:,} {name}" for name in sorted(labels))
        spent = [one.spent for one in judged]
        if failed := [one.why for one in labelled if one.label == "failed"]:
            yield f"  {len(failed):,} queries have no label, such as: {failed[0]}"
    yield from cost_table([step_cost(head.step, spent)], workers=workers)
    yield f"this run took {finished.seconds:.1f} s with {workers} workers"
