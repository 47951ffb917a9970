"""Evidence sufficiency depth (ESD): how many articles were read until the evidence was sufficient.

Source: PubMed Reasoner, appendices B and I, Figure 3.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from medground.evaluate.metrics.share import Share


@dataclass(frozen=True)
class Reading:
    """What was read for one question.

    Attributes:
        articles: number of documents read, in all batches.
        sufficient: whether reading ended because the evidence was sufficient.
    """

    articles: int
    sufficient: bool


@dataclass(frozen=True)
class Depths:
    """Depths of a run.

    Attributes:
        distribution: number of questions by depth, of those that reached sufficiency; in order of depth.
        never: number of questions without sufficient evidence after reading everything; they have no depth.
    """

    distribution: Mapping[int, int]
    never: int

    @property
    def reached(self) -> int:
        """Number of questions with a depth."""
        return sum(self.distribution.values())

    @property
    def mean(self) -> float | None:
        """Mean depth of questions that reached sufficiency, in articles; None if none did."""
        return sum(d * n for d, n in self.distribution.items()) / self.reached if self.reached else None

    @property
    def median(self) -> float | None:
        """Their median depth."""
        depths = [d for d, n in self.distribution.items() for _ in range(n)]
        return float(statistics.median(depths)) if depths else None

    def within(self, articles: int) -> Share:
        """Share of all questions whose evidence was sufficient within `articles`; the denominator includes `never`."""
        return Share(sum(n for d, n in self.distribution.items() if d <= articles), self.reached + self.never)


def evidence_depths(readings: Iterable[Reading]) -> Depths:
    """The distribution of depths."""
    counts: Counter[int] = Counter()
    never = 0
    for reading in readings:
        if reading.sufficient:
            counts[reading.articles] += 1
        else:
            never += 1
    return Depths(dict(sorted(counts.items())), never)
