"""Columns that need several runs, an encoder or an NLI model: plans of sources, deviation, uncertainty."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from medground.corpus.embedder import Embedder
from medground.home.settings import Settings
from medground.values.usage import Author
from medground_evaluate.experiments.figures import Figure, RunOfRow, averaged
from medground_evaluate.metrics.answers import accuracy
from medground_evaluate.metrics.cost import NAMES, StageMeans, stage_means
from medground_evaluate.metrics.searching import QueryStatistics, query_statistics
from medground_evaluate.metrics.uncertainty import (
    Entailment,
    SampledUncertainty,
    nli_entailment,
    read_samples,
    uncertainty_of,
)
from medground_evaluate.statistics import Mean, mean, wilson


class Remembering:
    """Wraps an encoder and keeps the vector of every text."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, NDArray[np.float32]] = {}

    @property
    def name(self) -> str:
        """Name of the wrapped encoder."""
        return self._embedder.name

    @property
    def identity(self) -> str:
        """Identity of the wrapped encoder."""
        return self._embedder.identity

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Array of shape (len(texts), dimensions), rows of length 1."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors.update(zip(new, self._embedder.embed(new), strict=True))
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack([self._vectors[text] for text in texts])


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
        return averaged(getattr(stages[found[2]], found[1]))
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
        return averaged(_OF[what](by_source[source])) if source in by_source else None
    values = [_OF[what](found).value for found in by_source.values()]
    return averaged(mean(values)) if any(value is not None for value in values) else None


def _only(plan: Mapping[str, Sequence[str]], source: str) -> Mapping[str, Sequence[str]]:
    return {source: plan[source]} if source in plan else {}


def _hours(questions: int, stages: Mapping[str, StageMeans]) -> Figure | None:
    """The estimate of Table 11: seconds of retrieval and planning, times the number of questions."""
    each = [stages[name].seconds for name in ("retrieval", "planning")]
    return Figure(sum(one.value or 0.0 for one in each) * questions / 3600, each[0].of)


DEVIATION = "sd"
REPEATING = {"model.cache": False}
"""With which the further runs are made: replies from the cache would repeat the first one."""


def repeats(settings: Settings, wanted: int) -> int:
    """How many runs a row gets: one without a model, as all would be the same."""
    return wanted if Author(settings.model.default).is_model else 1


def repeat_paths(path: Path, number: int) -> list[Path]:
    """The files of the further runs, without the first."""
    return [path.with_name(f"{path.stem}_repeat-{n}{path.suffix}") for n in range(2, number + 1)]


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
SAMPLING = {"model.temperature": TEMPERATURE, "model.cache": False}
"""With which the answers of a row are sampled."""
_NLI = "nli:"


def waits_for(settings: Settings, nli: str) -> str:
    """What the uncertainty of a row waits for; empty if it can be measured."""
    if not Author(settings.model.default).is_model:
        return "uncertainty waits for a model: without one, all samples are the same"
    if not nli:
        return "uncertainty waits for an NLI model: name one with --nli, or with verify.critic = nli:NAME"
    return ""


def nli_of(settings: Settings, named: str | None) -> str:
    """The NLI model that is named, else that of the settings; empty if there is none."""
    critic = settings.verify.critic
    return named or (critic.removeprefix(_NLI) if critic.startswith(_NLI) else "")


def open_entailment(nli: str) -> Entailment:
    """The probability of entailment by an NLI model. It loads the model, and blocks while it does.

    Raises:
        ConfigError: the model cannot be opened.
        UsageError: it has no label for contradiction.
    """
    from medground.answering.verify.nli_critic import open_nli

    return nli_entailment(open_nli(nli))


def sample_paths(path: Path) -> list[Path]:
    """The files of the samples of a run."""
    return [path.with_name(f"{path.stem}_sample-{n}{path.suffix}") for n in range(1, SAMPLES + 1)]


async def measured(paths: list[Path], entailment: Entailment) -> SampledUncertainty:
    """The uncertainty over these samples.

    Raises:
        UsageError: they differ in more than their answers.
    """
    return await uncertainty_of(read_samples(paths), entailment)
