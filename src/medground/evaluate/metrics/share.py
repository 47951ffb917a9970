"""Shares and means with their denominators."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from medground.evaluate.intervals import wilson


@dataclass(frozen=True)
class Share:
    """`right` of `of`, each 0 or more."""

    right: int
    of: int

    @property
    def value(self) -> float | None:
        """The share, 0 to 1; None if `of` is 0."""
        return self.right / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        """Its 95 % interval (Wilson 1927)."""
        return wilson(self.right, self.of)


@dataclass(frozen=True)
class Mean:
    """A mean over the items that have a value, and the number that have none."""

    value: float | None
    of: int
    without: int = 0


def mean(values: Iterable[float | None]) -> Mean:
    """The arithmetic mean; items without a value (None) are counted but not averaged."""
    listed = list(values)
    known = [value for value in listed if value is not None]
    return Mean(sum(known) / len(known) if known else None, len(known), len(listed) - len(known))
