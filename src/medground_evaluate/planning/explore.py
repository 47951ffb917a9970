"""Planning exploration: many queries for each source and training question, what each finds, and what that costs.

Source: Omni-RAG, section 4.2.1 and appendix B.3 (Tables 11 and 14). Estimates are rough.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
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
from medground.models.registry import list_price
from medground.recipes.omni_rag.operators import ExploredSource
from medground.recipes.omni_rag.read_plan import read_plan
from medground.recipes.omni_rag.search import plannable, search_plan
from medground.recipes.omni_rag.settings import OmniRagSettings
from medground.recipes.pubmed_reasoner.answering import recall
from medground.values.question import Question
from medground.values.source_description import SourceDescription
from medground.values.source_plan import SourceFound, SourcePlan, SourceQuery, tagged
from medground.values.steps import Progress, no_progress
from medground_evaluate.items import Item
from medground_evaluate.planning.exploring import QUERIES, ExploreInput, explore, judge_found
from medground_evaluate.planning.work import (
    Asked,
    Explored,
    Finished,
    Head,
    Judged,
    JudgedQuery,
    Piece,
    Spent,
    State,
    Tried,
    read_work,
    work_through,
)
from medground_evaluate.training_questions import Source, read_records

TOKENS_OF_A_PROMPT = 500
TOKENS_OF_A_QUERY = 15
TOKENS_OF_A_JUDGEMENT = 150
PASSAGES = 10
CHARACTERS_OF_A_TOKEN = 4.0
GIB = 2**30
OPERATORS: tuple[Operator[Any, Any], ...] = (explore, judge_found, recall, reason_or_recall)


def run_of(engine: Engine, question: Question) -> Run:
    """A run that may ask the operators of exploring, judging and reading, and keeps no trace."""
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
        return await work_through(
            {item.id: item for item in items},
            lambda item: explored(item, sources, wanted.queries, run_of(engine, item.question)),
            out,
            head,
            Explored,
            started=started,
            workers=workers,
            progress=progress,
        )


@dataclass(frozen=True)
class CallEstimate:
    """What exploring and judging need. `price` is in US dollars, None if unknown."""

    questions: int
    searches: int
    calls: int
    input_tokens: int
    output_tokens: int
    price: Decimal | None

    def __str__(self) -> str:
        price = "price unknown" if self.price is None else f"${self.price:.2f}"
        return (
            f"{self.questions:,} questions: at most {self.searches:,} searches, {self.calls:,} calls, about "
            f"{self.input_tokens:,} tokens in and {self.output_tokens:,} out, {price}; disk about "
            f"{self.searches * PASSAGES * 500 / GIB:.2f} GiB"
        )


def estimate_exploring(questions: int, sources: int, queries: int, model: str) -> CallEstimate:
    """One call for each question, and a search for each query."""
    made = questions * sources * queries
    into, out = questions * TOKENS_OF_A_PROMPT, made * TOKENS_OF_A_QUERY
    return CallEstimate(questions, made, questions, into, out, _price(model, into, out))


def estimate_judging(explored: Sequence[Explored], passages: int | None, model: str) -> CallEstimate:
    """One call for each query that found something; half of the passages of a graph."""
    found = [(one, tried) for one in explored for tried in one.queries if tried.found]
    characters = sum(
        len(one.passages[key].text)
        for one, tried in found
        for key in tried.found[: passages if passages is not None else len(tried.found)]
    )
    into = round(characters / CHARACTERS_OF_A_TOKEN) + len(found) * TOKENS_OF_A_PROMPT
    out = len(found) * TOKENS_OF_A_JUDGEMENT
    return CallEstimate(len(explored), 0, len(found), into, out, _price(model, into, out))


def _price(model: str, into: int, out: int) -> Decimal | None:
    return Decimal(0) if model.partition(":")[0] in ("keyless", "local") else list_price(model, into, out)


async def check_exploring(wanted: Exploration, settings: Settings) -> CallEstimate:
    """What an exploration will need; sources are opened, nothing is asked."""
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
    # As a planner could have written it: what its tagged form cannot hold is mended before it is searched.
    said = tagged(SourcePlan(queries=written), tuple(one.name for one in sources))
    asked = run.clock()
    tried, passages = _tried(await search_plan(read_plan(said, sources, queries).plan, run))
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


def _tried(found: Sequence[SourceFound]) -> tuple[list[Tried], dict[str, Piece]]:
    passages: dict[str, Piece] = {}
    tried: list[Tried] = []
    for one in found:
        for got in one.queries:
            here = {hit.passage.key: hit.passage for hit in got.hits}
            passages |= {key: Piece.model_validate(passage, from_attributes=True) for key, passage in here.items()}
            keys = tuple(here)
            state: State = "found" if keys else "failed" if one.failure else "empty"
            tried.append(Tried(source=one.source.name, query=got.query, state=state, found=keys))
    return tried, passages


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


def cost_lines(step: str, spent: Sequence[Spent], workers: int) -> list[str]:
    """The mean cost of a question in a step, as in Tables 11 and 14; seconds of questions that ran together overlap."""
    n = max(len(spent), 1)

    def mean(name: str) -> float:
        return math.fsum(getattr(one, name) for one in spent) / n

    retrieval, inference = mean("retrieval_seconds"), mean("inference_seconds")
    known = [one.price for one in spent if one.price is not None]
    price = f"{sum(known, Decimal(0)) / n:.6f}" if len(known) == len(spent) else "unknown"
    hours = (retrieval + inference) * len(spent) / workers / 3600
    return [
        "step          questions  retrieval s  inference s  tokens in  tokens out  US$ a question  hours in all",
        f"{step:12} {len(spent):10,} {retrieval:12.3f} {inference:12.3f} {mean('input_tokens'):10,.0f} "
        f"{mean('output_tokens'):11,.0f} {price:>15} {hours:13.3f}",
    ]


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
    yield from cost_lines(head.step, spent, workers)
    yield f"this run took {finished.seconds:.1f} s with {workers} workers"
