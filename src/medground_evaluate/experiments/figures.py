"""Our figures: a value for each metric that a column names, from the lines and the traces of a run."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from medground_evaluate.items import RunHeader, RunLine
from medground_evaluate.metrics.answers import accuracy, class_scores, macro_f1
from medground_evaluate.metrics.cost import Cost, cost_ratio, mean_cost
from medground_evaluate.metrics.evidence import grounded_rate, support_scores
from medground_evaluate.metrics.measures import Traced, depths_of, read_traced, rewritten_share, rounds_of
from medground_evaluate.metrics.searching import heading_scores, headings_of
from medground_evaluate.run_file import read_run
from medground_evaluate.statistics import Mean, Share
from medground_evaluate.tally import tallied

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
        curve = rounds_of(run.lines, run.traced) if run.all_traced else ()
        return _share(curve[min(int(found[1]), len(curve)) - 1].accuracy) if curve else None
    if (found := _WITHIN.fullmatch(metric)) is not None and run.all_traced:
        return _share(depths_of(run.traced.values(), run.items).within(int(found[1])))
    return None


def averaged(found: Mean) -> Figure | None:
    """A mean as a figure; None if nothing has a value."""
    return None if found.value is None else Figure(found.value, found.of)


def _share(share: Share) -> Figure | None:
    if share.value is None:
        return None
    low, high = share.interval
    return Figure(100 * share.value, share.of, 100 * low, 100 * high)


def _checked(run: RunOfRow) -> Figure | None:
    sufficient = {i for i, traced in run.traced.items() if traced.reading.sufficient}
    return _share(grounded_rate(run.lines, run.items, sufficient)) if run.all_traced else None


def _macro_f1(run: RunOfRow) -> Figure | None:
    value = macro_f1(class_scores(run.lines))
    return None if value is None else Figure(100 * value, len(run.lines))


def _rewritten(run: RunOfRow) -> Figure | None:
    """In %, of the questions that the recipe might have rewritten."""
    share = rewritten_share(run.traced.values()) if run.all_traced else None
    return _share(share) if share else None


def _headings(run: RunOfRow, kind: str) -> Figure | None:
    queried = {i: traced.query for i, traced in run.traced.items() if traced.query}
    if not queried or not run.all_traced:
        return None
    pairs = [(headings_of(queried.get(line.id, "")), run.headings.get(line.id, ())) for line in run.lines]
    scores = heading_scores(pairs)
    value = getattr(scores, kind)
    return None if value is None else Figure(value, scores.questions)


_SIMPLE: Mapping[str, Callable[[RunOfRow], Figure | None]] = {
    "accuracy": lambda run: _share(accuracy(run.lines, run.items)),
    "macro-f1": _macro_f1,
    "grounded": lambda run: _share(grounded_rate(run.lines, run.items)),
    "grounded-checked": _checked,
    "faithfulness": lambda run: averaged(support_scores(run.lines).faithfulness),
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
