"""Figures of recipes that plan sources (Omni-RAG): queries, their words and diversity, and time, of one run or several.

Source: Figure 7 and Tables 12 and 13 (appendix B), Eq. 5 (appendix A.1), Tables 11 and 14 (appendix B.3).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from medground.corpus.embedding.base import Embedder
from medground.evaluate.experiments.figures import Figure, RunOfRow
from medground.evaluate.metrics.queries import QueryStatistics, query_statistics
from medground.evaluate.metrics.share import Mean, mean
from medground.evaluate.metrics.stages import NAMES, StageMeans, stage_means

AVERAGE = "average"
"""The mean over sources, as the paper's last column."""

_QUERIES = re.compile(r"(queries|words|diversity)-([a-z][a-z0-9_-]*)")
_STAGE = re.compile(rf"(seconds|tokens)-({'|'.join(NAMES)})")
_HOURS = re.compile(r"hours-(\d+)")

_OF: Mapping[str, Callable[[QueryStatistics], Mean]] = {
    "queries": lambda found: Mean(found.queries, found.words.of),
    "words": lambda found: found.words,
    "diversity": lambda found: found.diversity,
}


def is_planned(metric: str) -> bool:
    """Whether it is one of these metrics: `queries-book`, `words-average`, `seconds-planning`, `hours-8248`, ..."""
    return any(pattern.fullmatch(metric) for pattern in (_QUERIES, _STAGE, _HOURS))


def planned_figure(metric: str, runs: Sequence[RunOfRow], embedder: Embedder | None) -> Figure | None:
    """The value over all questions of the runs; None if no question planned sources, or a trace was removed.

    Args:
        embedder: encodes queries for their diversity; None if there is none here, and then it is not measured.
    """
    if not runs or not all(run.all_traced for run in runs):
        return None
    traced = [traced for run in runs for traced in run.traced.values()]
    if (found := _QUERIES.fullmatch(metric)) is not None:
        plans = [one.plan for one in traced if one.plan is not None]
        return _of_queries(found[1], found[2], plans, embedder) if plans else None
    stages = {one.name: one for one in stage_means([one.stages for one in traced])}
    if not stages:
        return None
    if (found := _STAGE.fullmatch(metric)) is not None:
        return _mean(getattr(stages[found[2]], found[1]))
    hours = _HOURS.fullmatch(metric)
    return _hours(int(hours[1]), stages) if hours is not None else None


def _of_queries(
    what: str, source: str, plans: Sequence[Mapping[str, Sequence[str]]], embedder: Embedder | None
) -> Figure | None:
    if what == "diversity" and embedder is None:
        return None
    wanted = [plan if source == AVERAGE else _only(plan, source) for plan in plans]
    by_source = query_statistics(wanted, embedder if what == "diversity" else None)
    if what == "queries" and source != AVERAGE and source not in by_source:
        return Figure(0.0, len(plans))  # no plan asked it
    if source != AVERAGE:
        return _mean(_OF[what](by_source[source])) if source in by_source else None
    values = [_OF[what](found).value for found in by_source.values()]
    return _mean(mean(values)) if any(value is not None for value in values) else None


def _only(plan: Mapping[str, Sequence[str]], source: str) -> Mapping[str, Sequence[str]]:
    return {source: plan[source]} if source in plan else {}


def _hours(questions: int, stages: Mapping[str, StageMeans]) -> Figure | None:
    """The estimate of Table 11: seconds of retrieval and planning, times the number of questions."""
    each = [stages[name].seconds for name in ("retrieval", "planning")]
    return Figure(sum(one.value or 0.0 for one in each) * questions / 3600, each[0].of)


def _mean(found: Mean) -> Figure | None:
    return None if found.value is None else Figure(found.value, found.of)
