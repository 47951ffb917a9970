"""Our figures: a value for each metric that a column names, from runs, an encoder or an NLI model."""

import math
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from medground.home import Settings
from medground.recipes import open_recipe
from medground.values import Author, UsageReport
from medground_evaluate.items import RunHeader, RunLine, tallied
from medground_evaluate.judges.judgements import PAIR_AXES
from medground_evaluate.metrics.answers import accuracy, class_scores, grounded_rate, macro_f1, support_scores
from medground_evaluate.metrics.cost import NAMES, Cost, cost_ratio, mean_cost, stage_means
from medground_evaluate.metrics.measures import Traced, depths_of, read_traced, rewritten_share, rounds_of
from medground_evaluate.metrics.searching import Embed, QueryStatistics, heading_scores, headings_of, query_statistics
from medground_evaluate.run_file import flattened, read_run
from medground_evaluate.statistics import Mean, Share, mean, wilson

_ROUND = re.compile(r"(accuracy|macro-f1)-round-(\d+)")
_WITHIN = re.compile(r"within-(\d+)")
_COSTS = {
    name: name.replace("-", "_")
    for name in ("input-tokens", "output-tokens", "model-calls", "verification-calls", "searches")
}
_RATIOS = {"input-ratio": "input_tokens", "output-ratio": "output_tokens"}
MOST_FAILED = 0.02
"""Share of a run's questions that may fail, or miss a source: more, and the run measures the failure."""
JUDGED = frozenset({"loss", "tie", "win", "likert", "likert-baseline", *PAIR_AXES})
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
        found = {line.id: read_traced(self.traces, line.trace, self.header) for line in self.lines if line.trace}
        return {i: traced for i, traced in found.items() if traced is not None}

    @property
    def all_traced(self) -> bool:
        """Whether no trace was removed. A question that failed has none: it read nothing and searched nothing."""
        return bool(self.traced) and all(line.id in self.traced for line in self.lines if line.trace)

    @property
    def incomplete(self) -> tuple[str, ...]:
        """What kept it from being complete, see `Tally`; and what too many questions were answered without."""
        lines, most = len(self.lines), MOST_FAILED * len(self.lines)
        unread = sum(one.unread for one in self.traced.values())
        told = [f"{unread:,} of {lines:,} plans could not be read, so the reader was asked with nothing found"]
        told = told if unread else []
        if (count := sum(line.status == "unreadable" for line in self.lines)) > most:
            told.append(f"{count:,} of {lines:,} answers could not be read")
        if open_recipe(self.header.recipe).needs_evidence and not self.header.imported:
            searched = [line for line in self.lines if line.usage.searches]
            if (count := lines - len(searched)) > most:
                told.append(f"{count:,} of {lines:,} questions searched nothing")
            if (count := sum(not (line.found or line.cited) for line in searched)) > most:
                told.append(f"{count:,} of {lines:,} questions found no document")
        return (*tallied(self.lines, self.items).incomplete, *told)

    @property
    def made_by(self) -> str:
        """Its model; by the traces, who else answered which operators; what judged, and what was searched."""
        by: dict[str, set[str]] = {}
        for operator, model in {pair for one in self.traced.values() for pair in one.models.items()}:
            by.setdefault(model, set()).add(operator)
        by.pop(self.header.model, None)
        others = [f"{', '.join(sorted(operators))}: {model}" for model, operators in sorted(by.items())]
        used = flattened(self.header.settings)
        critic = f"critic: {used['verify.critic']}" if ":" in used.get("verify.critic", "") else ""
        sources = [*self.header.snapshots, *used.get("retrieval.sources", ())]
        searched = ", ".join(sources if any(line.usage.searches for line in self.lines) else ()) or "nothing"
        gate = "" if used.get("verify.gate", True) else "no gate"
        asked = self.header.settings.get("operators", {}).items()
        files = {name: one["instructions"] for name, one in asked if one.get("instructions")}
        prompts = f"prompts: {', '.join(files[name] for name in sorted(files))}" if files else ""
        return "; ".join(filter(None, [self.header.model, *others, critic, f"searched {searched}", gate, prompts]))

    @property
    def items(self) -> int:
        """Number of items in the run, including unfinished ones."""
        return max(self.header.items, len(self.lines))

    @property
    def paid(self) -> str:
        """How many of its tokens were paid for; empty if all were, because no call came from the cache."""
        used = sum((line.usage for line in self.lines), UsageReport())
        if not used.cached_calls:
            return ""
        needed, calls = used.needed_input + used.needed_output, used.model_calls + used.cached_calls
        cached = f"{used.cached_calls:,} of {calls:,} calls came from the cache"
        return f"{cached}; {used.tokens:,} of {needed:,} tokens were paid"

    def cost(self) -> Cost | None:
        """The mean cost of a question."""
        return mean_cost(line.usage for line in self.lines) if self.lines else None


def read_row(path: Path, headings: Mapping[str, tuple[str, ...]], traces: Path) -> RunOfRow:
    """Read a run."""
    header, lines = read_run(path)
    return RunOfRow(path, header, tuple(lines), headings, traces)


def figure(metric: str, run: RunOfRow, base: RunOfRow | None) -> Figure | None:
    """The value of a metric; None if this run does not provide it. Cost ratios are relative to the run `base`."""
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
        for point in curve[: int(found[2])][-1:]:
            f1 = Figure(100 * (point.macro_f1 or 0.0), run.items)
            return _share(point.accuracy) if found[1] == "accuracy" else f1
        return None
    if (found := _WITHIN.fullmatch(metric)) is not None and run.all_traced:
        return _share(depths_of(run.traced.values(), run.items).within(int(found[1])))
    return None


def averaged(found: Mean) -> Figure | None:
    """A mean as a figure; None if nothing has a value."""
    return None if found.value is None else Figure(found.value, found.of)


def _share(share: Share | None) -> Figure | None:
    """In %; None if there is none, or of nothing."""
    if share is None or share.value is None:
        return None
    low, high = share.interval
    return Figure(100 * share.value, share.of, 100 * low, 100 * high)


def _macro_f1(run: RunOfRow) -> Figure | None:
    value = macro_f1(class_scores(run.lines))
    return None if value is None else Figure(100 * value, len(run.lines))


def _checked(run: RunOfRow) -> Figure | None:
    sufficient = {i for i, traced in run.traced.items() if traced.reading.sufficient}
    return _share(grounded_rate(run.lines, run.items, sufficient)) if run.all_traced else None


def _headings(run: RunOfRow, kind: str) -> Figure | None:
    queried = {i: traced.query for i, traced in run.traced.items() if traced.query}
    if not queried or not run.all_traced:
        return None
    scores = heading_scores(
        (headings_of(queried.get(line.id, "")), run.headings.get(line.id, ())) for line in run.lines
    )
    value = getattr(scores, kind)
    return None if value is None else Figure(value, scores.questions)


ERRORS = ("failed", "nothing-found", "headings", "rest")


def _errors(run: RunOfRow, kind: str) -> Figure | None:
    """Share of the wrong answers with this error (000, appendix J); `rest`: none of those that the paper names."""
    kinds = Counter(_error(run, line) for line in run.lines if line.gold and not line.right)
    return _share(Share(kinds[kind], kinds.total())) if run.all_traced else None


def _error(run: RunOfRow, line: RunLine) -> str:
    """The first error that applies: a service failed, the final query found nothing, or it lacks gold headings."""
    traced = run.traced.get(line.id)
    if traced is None or line.status == "failed" or any(line.failed_sources.values()):
        return "failed"
    if traced.chosen == 0:
        return "nothing-found"
    recall = heading_scores([(headings_of(traced.query), run.headings.get(line.id, ()))]).recall
    return "headings" if recall is not None and recall < 1 else "rest"


_SIMPLE: Mapping[str, Callable[[RunOfRow], Figure | None]] = {
    "accuracy": lambda run: _share(accuracy(run.lines, run.items)),
    "macro-f1": _macro_f1,
    "grounded": lambda run: _share(grounded_rate(run.lines, run.items)),
    "grounded-checked": _checked,
    "faithfulness": lambda run: averaged(support_scores(run.lines).faithfulness),
    "rewritten": lambda run: _share(rewritten_share(run.traced.values()) if run.all_traced else None),
    "mesh-precision": lambda run: _headings(run, "precision"),
    "mesh-recall": lambda run: _headings(run, "recall"),
    **{f"errors-{kind}": partial(_errors, kind=kind) for kind in ERRORS},
}


def shown(value: float | None) -> str:
    """A figure as tables print it: three decimals below 1, two from 1 up."""
    if value is None or math.isnan(value):
        return ""
    if abs(value) < 1:
        return f"{value:.3f}" if abs(value) >= 0.0005 else "0"
    return f"{value:,.2f}".rstrip("0").rstrip(".")


def remembering(embed: Embed) -> Embed:
    """The same encoder, which encodes every text once."""
    one = cache(lambda text: embed([text])[0])
    return lambda texts: np.stack([one(text) for text in texts])


AVERAGE = "average"
"""The mean over sources, as the paper's last column."""

_QUERIES = re.compile(r"(queries|words|diversity)-([a-z][a-z0-9_-]*)")
_STAGE = re.compile(rf"(seconds|tokens)-({'|'.join(NAMES)})")
_HOURS = "hours-"

_OF: Mapping[str, Callable[[QueryStatistics], Mean]] = {
    "queries": lambda found: Mean(found.queries, found.words.of),
    "words": lambda found: found.words,
    "diversity": lambda found: found.diversity,
}


def is_planned(metric: str) -> bool:
    """Whether it is one of these metrics: `queries-book`, `words-average`, `seconds-planning`, `hours-8248`, ..."""
    hours = metric.startswith(_HOURS) and metric.removeprefix(_HOURS).isdecimal()
    return hours or any(pattern.fullmatch(metric) for pattern in (_QUERIES, _STAGE))


def planned_figure(metric: str, runs: Sequence[RunOfRow], embed: Embed | None) -> Figure | None:
    """The value over all questions of the runs; None if no question planned sources, or a trace was removed.

    Without an encoder, the diversity of queries is not measured.
    """
    if not runs or not all(run.all_traced for run in runs):
        return None
    traced = [traced for run in runs for traced in run.traced.values()]
    if (found := _QUERIES.fullmatch(metric)) is not None:
        plans = [one.plan for one in traced if one.plan is not None]
        return _of_queries(found[1], found[2], plans, embed) if plans else None
    stages = {one.name: one for one in stage_means([one.stages for one in traced])}
    if not stages:
        return None
    if (found := _STAGE.fullmatch(metric)) is not None:
        return averaged(getattr(stages[found[2]], found[1]))
    # The estimate of Table 11: seconds of retrieval and planning, times the number of questions.
    questions = int(metric.removeprefix(_HOURS))
    each = [stages[name].seconds for name in ("retrieval", "planning")]
    seconds = [one.value for one in each if one.value is not None]
    return Figure(sum(seconds) * questions / 3600, each[0].of) if len(seconds) == len(each) else None


def _of_queries(
    what: str, source: str, plans: Sequence[Mapping[str, Sequence[str]]], embed: Embed | None
) -> Figure | None:
    if what == "diversity" and embed is None:
        return None
    wanted = [{name: queries for name, queries in plan.items() if source in (AVERAGE, name)} for plan in plans]
    by_source = query_statistics(wanted, embed if what == "diversity" else None)
    if what == "queries" and source != AVERAGE and source not in by_source:
        return Figure(0.0, len(plans))  # no plan asked it
    if source != AVERAGE:
        return averaged(_OF[what](by_source[source])) if source in by_source else None
    return averaged(mean(_OF[what](found).value for found in by_source.values()))


DEVIATION = "sd"
REPEATING = {"model.cache": False}
"""With which the further runs are made: replies from the cache would repeat the first one."""


def further_paths(path: Path, what: str, numbers: Iterable[int]) -> list[Path]:
    """The files of further runs with these numbers beside the run of a file; `what` they are is in their names."""
    return [path.with_name(f"{path.stem}_{what}-{n}{path.suffix}") for n in numbers]


def mean_accuracy(runs: Sequence[RunOfRow]) -> Figure | None:
    """The mean accuracy in %, with Wilson's interval for the questions of one run; None if a run has no figure.

    The questions are the same in every run, so more runs do not narrow the interval.
    """
    values = _accuracies(runs)
    if not values:
        return None
    mean, items = statistics.fmean(values), runs[0].items
    low, high = wilson(round(mean * items), items)
    return Figure(100 * mean, items, 100 * low, 100 * high)


def deviation(runs: Sequence[RunOfRow]) -> Figure | None:
    """The standard deviation of the accuracies in percentage points (n - 1); None with fewer than two runs."""
    values = _accuracies(runs)
    return Figure(100 * statistics.stdev(values), len(values)) if len(values) > 1 else None


def _accuracies(runs: Sequence[RunOfRow]) -> list[float]:
    found = [accuracy(run.lines, run.items).value for run in runs]
    return [value for value in found if value is not None] if None not in found else []


SAMPLES = 9
TEMPERATURE = 0.7
UNCERTAINTY = "uncertainty"


def sampling(recipe: str) -> dict[str, Any]:
    """With which the answers of a recipe are sampled: what writes them, and nothing before it such as the planner."""
    hot = {f"operators.{writer.name}.temperature": TEMPERATURE for writer in open_recipe(recipe).writers}
    return {"model.cache": False, **hot}


_NLI = "nli:"


def waits_for(settings: Settings, nli: str) -> str:
    """What the uncertainty of a row waits for; empty if it can be measured."""
    if not Author(settings.model.default).is_model:
        return "uncertainty needs a model: without one, all samples are the same"
    if not nli:
        return "uncertainty needs an NLI model: name one with --nli, or with verify.critic = nli:NAME"
    return ""


def nli_of(settings: Settings, named: str | None) -> str:
    """The NLI model that is named, else that of the settings; empty if there is none."""
    critic = settings.verify.critic
    return named or (critic.removeprefix(_NLI) if critic.startswith(_NLI) else "")
