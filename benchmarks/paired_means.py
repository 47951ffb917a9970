"""The difference of two means over the same items, with its interval and its p."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

SAMPLES = 10_000
CELLS = 2_000_000
"""Numbers drawn at a time."""


@dataclass(frozen=True)
class MeanDifference:
    """The mean of `other - first` over the pairs, with its 95 % interval and two-sided p."""

    value: float
    low: float
    high: float
    p: float


def mean_difference(first: Sequence[float], other: Sequence[float]) -> MeanDifference | None:
    """Resample the pairs with replacement; None if there are no pairs. The same pairs give the same result.

    The interval is the percentile interval; p is twice the smaller share of samples on either side of 0. It is never
    exactly 0, as the data itself counts as one of the samples.

    Source: B. Efron and R. Tibshirani, An introduction to the bootstrap, 1993, chapters 13 and 16.
    """
    differences = np.asarray(other, dtype=float) - np.asarray(first, dtype=float)
    count = len(differences)
    if not count:
        return None
    generator, rows = np.random.default_rng(0), max(1, CELLS // count)
    sizes = [min(rows, SAMPLES - done) for done in range(0, SAMPLES, rows)]
    drawn = [differences[generator.integers(count, size=(size, count))].mean(axis=1) for size in sizes]
    means = np.concatenate(drawn)
    low, high = np.quantile(means, [0.025, 0.975])
    fewer = min(int((means <= 0).sum()), int((means >= 0).sum()))
    p = min(1.0, 2 * (fewer + 1) / (SAMPLES + 1))
    return MeanDifference(float(differences.mean()), float(low), float(high), p)
