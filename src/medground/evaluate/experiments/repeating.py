"""Repeated runs of a row: the mean of their accuracies and its standard deviation.

Source: BioMedSearch, Tables I and II (accuracy with its standard deviation).
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path

from medground.author import Author
from medground.evaluate.experiments.figures import Figure, RunOfRow
from medground.evaluate.intervals import wilson
from medground.evaluate.metrics.accuracy import accuracy
from medground.settings import Settings

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
