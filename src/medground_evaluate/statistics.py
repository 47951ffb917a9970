"""Shares, means and intervals, precision and recall, and whether two runs differ by more than chance."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from pydantic import computed_field
from pydantic.dataclasses import dataclass as pydantic_dataclass

_Z = 1.959963984540054
"""The quantile of the normal distribution for 95 %."""


def wilson(right: int, of: int) -> tuple[float, float]:
    """Wilson's 95 % score interval of `right / of`; (0, 1) if `of` is 0.

    Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927).
    """
    if of == 0:
        return 0.0, 1.0
    share = right / of
    scale = 1 + _Z * _Z / of
    middle = share + _Z * _Z / (2 * of)
    spread = _Z * sqrt(share * (1 - share) / of + _Z * _Z / (4 * of * of))
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


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


@pydantic_dataclass(frozen=True)
class ClassScore:
    """What was given against what is right: one class over many items, or all values of one item.

    Attributes:
        label: the class: an option's letter, `yes`, ...; empty for an item.
        gold: how often it is right.
        given: how often it was given.
        both: how often it was given where it is right.
    """

    label: str
    gold: int
    given: int
    both: int

    @computed_field  # type: ignore[prop-decorator]
    @property
    def precision(self) -> float | None:
        """`both / given`; None if it was never given."""
        return self.both / self.given if self.given else None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def recall(self) -> float | None:
        """`both / gold`; None if it is never right."""
        return self.both / self.gold if self.gold else None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def f1(self) -> float:
        """`2 both / (gold + given)`, the harmonic mean of precision and recall; 0 if both are undefined or 0."""
        return 2 * self.both / (self.gold + self.given) if self.gold + self.given else 0.0


def item_score(gold: Collection[str], given: Collection[str]) -> ClassScore:
    """The values of one item; each counts once."""
    return ClassScore("", len(set(gold)), len(set(given)), len({*gold} & {*given}))


def scores_by_class(pairs: Iterable[tuple[Collection[str], Collection[str]]]) -> tuple[ClassScore, ...]:
    """A score for each class in pairs of right and given values, sorted by label."""
    gold = Counter[str]()
    given = Counter[str]()
    both = Counter[str]()
    for right, said in pairs:
        gold.update(set(right))
        given.update(set(said))
        both.update({*right} & {*said})
    return tuple(ClassScore(label, gold[label], given[label], both[label]) for label in sorted(gold.keys() | given))


@dataclass(frozen=True)
class PairedDifference:
    """A difference of two shares of the same items, with its 95 % score interval, each -1 to 1."""

    value: float
    low: float
    high: float


def mcnemar(won: int, lost: int) -> float:
    """Two-sided p of the exact McNemar test on the pairs of which exactly one is right.

    Under the null hypothesis, `won` is binomial with `won + lost` trials and probability 1/2. 1 if no pair differs.

    Source: Q. McNemar, Psychometrika 12 (1947); exact form, F. Mosteller, Biometrics 8 (1952).
    """
    trials = won + lost
    tail = ways = 1  # integers throughout: no rounding, however many pairs
    for k in range(min(won, lost)):
        ways = ways * (trials - k) // (k + 1)
        tail += ways
    return min(1.0, 2 * tail / (1 << trials))


def paired_difference(won: int, lost: int, of: int) -> PairedDifference | None:
    """`(won - lost) / of` pairs, of which `won` and `lost` are right on one side only; None if there are no pairs.

    The interval has all differences that Tango's score test does not reject. So it has a width where no pair differs.

    Source: T. Tango, Equivalence test and confidence interval for the difference in proportions for the paired-sample
    design, Statistics in Medicine 17 (1998).
    """
    if of == 0:
        return None
    return PairedDifference((won - lost) / of, -_largest(lost, won, of), _largest(won, lost, of))


def _largest(won: int, lost: int, of: int) -> float:
    low, high = (won - lost) / of, 1.0
    for _ in range(60):
        tried = (low + high) / 2
        linear = won + lost - (2 * of - won + lost) * tried
        root = sqrt(max(0.0, linear**2 + 8 * of * lost * tried * (1 - tried)))
        variance = (linear + root) / 2 + of * tried * (1 - tried)  # most likely if `tried` is the true difference
        if of * tried - won + lost <= _Z * sqrt(max(0.0, variance)):
            low = tried
        else:
            high = tried
    return low


def holm(values: Sequence[float]) -> list[float]:
    """p values adjusted for multiple comparisons, in the same order.

    Source: S. Holm, Scandinavian Journal of Statistics 6 (1979).
    """
    order = np.argsort(values, kind="stable")
    stepped = np.arange(len(values), 0, -1) * np.asarray(values, dtype=float)[order]
    adjusted = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return [float(p) for p in adjusted[np.argsort(order)]]
