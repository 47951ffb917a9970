"""Evidence sufficiency depth (ESD): how many articles were read before the evidence sufficed.

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
    """What one question read.

    Attributes:
        articles: documents that were read, in all batches.
        sufficient: whether reading ended because the evidence sufficed.
    """

    articles: int
    sufficient: bool


@dataclass(frozen=True)
class Depths:
    """Depths of a run.

    Attributes:
        distribution: number of questions by depth, of those that reached sufficiency; in order of depth.
        never: questions that read all they had, and it did not suffice. They have no depth.
    """

    distribution: Mapping[int, int]
    never: int

    @property
    def reached(self) -> int:
        """Questions with a depth."""
        return sum(self.distribution.values())

    @property
    def mean(self) -> float | None:
        """Mean depth of those that reached sufficiency, in articles; None where none did."""
        return sum(d * n for d, n in self.distribution.items()) / self.reached if self.reached else None

    @property
    def median(self) -> float | None:
        """Their median depth."""
        depths = [d for d, n in self.distribution.items() for _ in range(n)]
        return float(statistics.median(depths)) if depths else None

    def within(self, articles: int) -> Share:
        """How many questions of all, those that never reached it too, had enough after so many articles."""
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
