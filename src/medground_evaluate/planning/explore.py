"""Planning exploration: many queries for each source and training question, what each finds, and what that costs.

Source: Omni-RAG, section 4.2.1 and appendix B.3 (Tables 11 and 14). Estimates are rough.
"""

import asyncio
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from statistics import fmean
from time import monotonic
from typing import Any

from medground.answering import Declaration, Run, Trace
from medground.engine import Engine
from medground.errors import UsageError
from medground.home import Settings
from medground.models import Operator, reason_or_recall
from medground.recipes import OmniRagSettings, plannable, read_plan, recall, search_plan
from medground.recipes import explored as shown_sources
from medground.values import (
    Passage,
    Progress,
    Question,
    SourceDescription,
    SourcePlan,
    SourceQuery,
    no_progress,
    tagged,
)
from medground_evaluate.datasets.registry import Source, read_records
from medground_evaluate.experiments.figures import remembering
from medground_evaluate.items import Item
from medground_evaluate.metrics.searching import Embed, query_statistics
from medground_evaluate.planning.exploring import QUERIES, ExploreInput, explore, judge_found
from medground_evaluate.planning.work import (
    Explored,
    Finished,
    Head,
    Judged,
    Spent,
    State,
    TrainItem,
    Tried,
    read_work,
    work_through,
)

OPERATORS: tuple[Operator[Any, Any], ...] = (explore, judge_found, recall, reason_or_recall)


def run_of(engine: Engine, question: Question) -> Run:
    """A run that may ask the operators of exploring, judging and reading, and keeps no trace."""
    declared = Declaration(name="planner-training", operators=OPERATORS, settings=engine.recipe.settings)
    trace, opened = Trace("planner", None), (engine.sources, engine.models)
    return Run(question, engine.settings, declared, *opened, trace=trace, clock=monotonic)


@dataclass(frozen=True)
class Exploration:
    """What is explored.

    Attributes:
        source: the data set; only its training questions are taken.
    """

    source: Source
    queries: int = QUERIES
    limit: int | None = None
    seed: int = 0


async def explore_questions(
    wanted: Exploration, settings: Settings, out: Path, *, workers: int, progress: Progress = no_progress
) -> Finished:
    """Explore training questions into a file; the same call resumes it.

    Raises UsageError: the set has no training question, a source is unknown, or the file was made with other options;
    ConfigError: a model or a corpus cannot be used; SourceUnavailable: no source could be searched; StorageFailed: the
    file cannot be written.
    """
    started = monotonic()
    records = await asyncio.to_thread(read_records, wanted.source)
    items = list(records.training)
    random.Random(wanted.seed).shuffle(items)
    items = items[: wanted.limit]
    async with await Engine.open(settings, progress=progress) as engine:
        if not (sources := plannable(run_of(engine, items[0].question))):
            raise UsageError("there is no source to explore; name corpora with --corpus, or a knowledge base with --kb")
        head = Head(
            step="exploration",
            dataset=records.dataset,
            digest=records.digest,
            seed=wanted.seed,
            model=engine.models.for_operator(explore.name).name,
            settings_hash=engine.settings.hash,
            snapshots=tuple(dict.fromkeys(s.state for s in engine.sources if s.state is not None)),
            sources=sources,
            options={
                "queries": wanted.queries,
                # what decides which passages a query finds, beside the settings that every recipe shares
                **engine.settings.section(OmniRagSettings).model_dump(mode="json", include={"depth", "kept"}),
                "retractions": engine.settings.recipe.retractions,
            },
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


async def explored(item: Item, sources: Sequence[SourceDescription], queries: int, run: Run) -> Explored:
    """One question: ask for the queries of each source, and search for all of them.

    Raises ModelFailed: the model wrote no usable queries; SourceUnavailable: no source could be searched.
    """
    began = run.clock()
    question = run.question
    value = ExploreInput(
        question=question.text, options=question.options, sources=shown_sources(sources), queries_for_each=queries
    )
    output = await run.ask(explore, value)
    written = {
        one.source: tuple(SourceQuery(term=query.term, text=query.text) for query in one.queries) for one in output.plan
    }
    # As a planner could have written it: what its tagged form cannot hold is corrected before the search.
    said = tagged(SourcePlan(queries=written), tuple(source.name for source in sources))
    asked = run.clock()
    tried: list[Tried] = []
    passages: dict[str, Passage] = {}
    for one in await search_plan(read_plan(said, sources, queries).plan, run):
        for got in one.queries:
            here = {hit.passage.key: hit.passage for hit in got.hits}
            passages |= here
            state: State = "found" if here else "failed" if one.failure else "empty"
            tried.append(Tried(source=one.source.name, query=got.query, state=state, found=tuple(here)))
    spent = Spent.of(run.usage, retrieval=run.clock() - asked, inference=asked - began)
    return Explored(question=TrainItem.of(item), queries=tuple(tried), passages=passages, spent=spent)


def cost_lines(step: str, spent: Sequence[Spent], workers: int) -> list[str]:
    """The mean cost of a question in a step, as in Tables 11 and 14; seconds of questions that ran together overlap."""
    n = max(len(spent), 1)
    names = ("retrieval_seconds", "inference_seconds", "input_tokens", "output_tokens")
    retrieval, inference, into, out = (math.fsum(getattr(one, name) for one in spent) / n for name in names)
    known = [one.price for one in spent if one.price is not None]
    price = f"{sum(known, Decimal(0)) / n:.6f}" if len(known) == len(spent) else "unknown"
    hours = (retrieval + inference) * len(spent) / workers / 3600
    return [
        "step          questions  retrieval s  inference s  tokens in  tokens out  US$ a question  hours in all",
        f"{step:12} {len(spent):10,} {retrieval:12.3f} {inference:12.3f} {into:10,.0f} {out:11,.0f} {price:>15} "
        f"{hours:13.3f}",
    ]


def _diversity(explored: Sequence[Explored], most: int, embed: Embed) -> Iterator[str]:
    """Eq. 5 of the first queries of each source, by their number (Figure 6)."""
    names = dict.fromkeys(query.source for one in explored for query in one.queries)
    for number in range(2, most + 1):
        plans = [
            {name: [str(q.query) for q in one.queries if q.source == name][:number] for name in names}
            for one in explored
        ]
        found = query_statistics(plans, embed)
        yield f"  diversity of {number} queries: " + ", ".join(
            f"{n} {s.diversity.value or 0:.3f}" for n, s in found.items()
        )


def lines_of(finished: Finished, workers: int, embed: Embed | None = None) -> Iterator[str]:
    """The lines of a step; with an encoder, those of the diversity of its queries."""
    head = finished.head
    yield f"{finished.path}: {finished.lines:,} questions of {head.dataset}, {head.step} by {head.model}"
    if head.step == "exploration":
        explored = read_work(finished.path, Explored)[1]
        tried = [query for one in explored for query in one.queries]
        for source in head.sources:
            mine = [one for one in tried if one.source == source.name]
            states = Counter(one.state for one in mine)
            each = fmean(len(one.found) for one in mine) if mine else 0.0
            counts = ", ".join(f"{states[state]:,} {state}" for state in ("found", "empty", "failed") if states[state])
            yield f"  {source.name}: {len(mine):,} queries ({counts}), {each:.1f} passages each"
        if embed is not None:
            yield from _diversity(explored, head.options["queries"], remembering(embed))
        spent = [one.spent for one in explored]
    else:
        judged = read_work(finished.path, Judged)[1]
        labelled = [query for one in judged for query in one.queries]
        for source in head.sources:
            labels = Counter(one.label for one in labelled if one.source == source.name)
            yield "  " + source.name + ": " + ", ".join(f"{labels[name]:,} {name}" for name in sorted(labels))
        spent = [one.spent for one in judged]
        if failed := [one.why for one in labelled if one.label == "failed"]:
            yield f"  {len(failed):,} queries have no label, such as: {failed[0]}"
    yield from cost_lines(head.step, spent, workers)
    yield f"this run took {finished.seconds:.1f} s with {workers} workers"
