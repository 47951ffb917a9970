"""Our figures: a value for each metric that a column names, from the lines and the traces of a run."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from medground.answering.trace import read_trace
from medground.errors import UsageError
from medground_evaluate.items import RunHeader, RunLine
from medground_evaluate.metrics.answers import accuracy, class_scores, macro_f1, round_curve
from medground_evaluate.metrics.cost import Cost, Stages, cost_ratio, mean_cost, stages
from medground_evaluate.metrics.evidence import checked_rate, grounded_rate, support_scores
from medground_evaluate.metrics.measures import answers_by_round, final_query, planned_queries, reading, was_rewritten
from medground_evaluate.metrics.searching import Reading, evidence_depths, heading_scores, headings_of
from medground_evaluate.run_file import read_run
from medground_evaluate.statistics import Share
from medground_evaluate.tally import tallied


@dataclass(frozen=True)
class Traced:
    """One question.

    Attributes:
        query: the query whose documents were read, in PubMed's language; empty where the recipe has none.
        reading: documents read in batches, and whether they were found sufficient.
        rounds: what a recipe that loops would have answered, had it ended after each round.
        plan: the queries of each source in the plan that was searched; None for a recipe that plans no sources.
        stages: seconds and tokens of planning, retrieval and answering, of such a recipe.
        rewritten: whether the question was rewritten because too little was found; None if the recipe never asks that.
    """

    query: str
    reading: Reading
    rounds: tuple[tuple[str, ...], ...]
    rewritten: bool | None = None
    plan: Mapping[str, Sequence[str]] | None = None
    stages: Stages | None = None


def read_traced(folder: Path, trace: str) -> Traced | None:
    """What a stored trace contains; None if it was removed."""
    try:
        spans = read_trace(folder, trace)
    except UsageError:
        return None
    read = reading(spans) or Reading(0, False)
    return Traced(
        final_query(spans) or "",
        read,
        answers_by_round(spans),
        was_rewritten(spans),
        planned_queries(spans),
        stages(spans),
    )


_ROUND = re.compile(r"accuracy-round-(\d+)")
_WITHIN = re.compile(r"within-(\d+)")
_COSTS = {
    "input-tokens": "input_tokens",
    "output-tokens": "output_tokens",
    "model-calls": "model_calls",
    "searches": "searches",
}
_RATIOS = {"input-ratio": "input_tokens", "output-ratio": "output_tokens"}
JUDGED = frozenset(
    {
        *("loss", "tie", "win", "likert", "likert-baseline"),
        *("soundness", "grounding", "relevance", "trustworthiness"),
    }
)
"""Metrics that come from a judge model, not from a run."""


@dataclass(frozen=True)
class Figure:
    """A measured value in the paper's unit. `low` and `high` are its 95 % interval; `of` is its denominator."""

    value: float
    of: int
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class RunOfRow:
    """A run of one row on one data set.

    Attributes:
        headings: gold headings by item.
        traces: the folder of its traces.
    """

    path: Path
    header: RunHeader
    lines: tuple[RunLine, ...]
    headings: Mapping[str, tuple[str, ...]]
    traces: Path

    @cached_property
    def traced(self) -> Mapping[str, Traced]:
        """The contents of the traces that are still stored, by item; read on first use."""
        found = {line.id: read_traced(self.traces, line.trace) for line in self.lines if line.trace}
        return {i: traced for i, traced in found.items() if traced is not None}

    @property
    def all_traced(self) -> bool:
        """Whether no trace was removed. A question that failed has none: it read nothing and searched nothing."""
        return bool(self.traced) and all(line.id in self.traced for line in self.lines if line.trace)

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Sources that could not always be searched, and questions that failed, in a line each."""
        return tallied(self.lines, self.items).incomplete

    @property
    def items(self) -> int:
        """Number of items in the run, including unfinished ones."""
        return max(self.header.items, len(self.lines))

    def cost(self) -> Cost | None:
        """The mean cost of a question."""
        return mean_cost(line.usage for line in self.lines) if self.lines else None


def is_known(metric: str) -> bool:
    """Whether it is a metric of one run or of a judge."""
    named = metric in {*_SIMPLE, *_COSTS, *_RATIOS, *JUDGED}
    return named or any(pattern.fullmatch(metric) for pattern in (_ROUND, _WITHIN))


def read_row(path: Path, headings: Mapping[str, tuple[str, ...]], traces: Path) -> RunOfRow:
    """Read a run.

    Raises:
        UsageError: the file is not a run.
    """
    header, lines = read_run(path)
    return RunOfRow(path, header, tuple(lines), headings, traces)


def figure(metric: str, run: RunOfRow, base: RunOfRow | None) -> Figure | None:
    """The value of a metric; None if this run does not provide it.

    Args:
        base: the run that cost ratios are relative to.
    """
    if metric in _SIMPLE:
        return _SIMPLE[metric](run)
    cost = run.cost()
    if metric in _COSTS and cost is not None:
        return Figure(getattr(cost, _COSTS[metric]), len(run.lines))
    if metric in _RATIOS and cost is not None and base is not None and (of := base.cost()) is not None:
        ratio = cost_ratio(cost, of)[_RATIOS[metric]]
        return None if ratio is None else Figure(ratio, len(run.lines))
    if (found := _ROUND.fullmatch(metric)) is not None:
        return _after_round(run, int(found[1]))
    if (found := _WITHIN.fullmatch(metric)) is not None and run.all_traced:
        readings = [traced.reading for traced in run.traced.values()]
        never = [Reading(0, False)] * (run.items - len(readings))
        return _share(evidence_depths([*readings, *never]).within(int(found[1])))
    return None


def _share(share: Share) -> Figure | None:
    if share.value is None:
        return None
    low, high = share.interval
    return Figure(100 * share.value, share.of, 100 * low, 100 * high)


def _accuracy(run: RunOfRow) -> Figure | None:
    return _share(accuracy(run.lines, run.items))


def _grounded(run: RunOfRow) -> Figure | None:
    return _share(grounded_rate(run.lines, run.items))


def _checked(run: RunOfRow) -> Figure | None:
    sufficient = {i for i, traced in run.traced.items() if traced.reading.sufficient}
    return _share(checked_rate(run.lines, sufficient, run.items)) if run.all_traced else None


def _macro_f1(run: RunOfRow) -> Figure | None:
    value = macro_f1(class_scores(run.lines))
    return None if value is None else Figure(100 * value, len(run.lines))


def _faithfulness(run: RunOfRow) -> Figure | None:
    mean = support_scores(run.lines).faithfulness
    return None if mean.value is None else Figure(mean.value, mean.of)


def _rewritten(run: RunOfRow) -> Figure | None:
    """In %, of the questions that the recipe might have rewritten."""
    triggers = [traced.rewritten for traced in run.traced.values() if traced.rewritten is not None]
    return _share(Share(sum(triggers), len(triggers))) if triggers and run.all_traced else None


def _headings(run: RunOfRow, kind: str) -> Figure | None:
    queried = {i: traced.query for i, traced in run.traced.items() if traced.query}
    if not queried or not run.all_traced:
        return None
    pairs = [(headings_of(queried.get(line.id, "")), run.headings.get(line.id, ())) for line in run.lines]
    scores = heading_scores(pairs)
    value = scores.precision if kind == "precision" else scores.recall
    return None if value is None else Figure(value, scores.questions)


def _after_round(run: RunOfRow, number: int) -> Figure | None:
    if not run.all_traced:
        return None
    histories = [(line, run.traced[line.id].rounds if line.id in run.traced else ()) for line in run.lines]
    curve = round_curve(histories)
    return _share(curve[min(number, len(curve)) - 1].accuracy) if curve else None


_SIMPLE: Mapping[str, Callable[[RunOfRow], Figure | None]] = {
    "accuracy": _accuracy,
    "macro-f1": _macro_f1,
    "grounded": _grounded,
    "grounded-checked": _checked,
    "faithfulness": _faithfulness,
    "rewritten": _rewritten,
    "mesh-precision": lambda run: _headings(run, "precision"),
    "mesh-recall": lambda run: _headings(run, "recall"),
}


def shown(value: float | None) -> str:
    """A figure as tables print it: three decimals below 1, two from 1 up."""
    if value is None or math.isnan(value):
        return ""
    if abs(value) < 1:
        return f"{value:.3f}" if abs(value) >= 0.0005 else "0"
    return f"{value:,.2f}".rstrip("0").rstrip(".")
