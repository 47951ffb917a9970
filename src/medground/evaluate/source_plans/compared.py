"""Plans compared on the same questions at an equal number of passages: evidence, lookups, intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from medground.evaluate.significance import PairedDifference, paired_bootstrap
from medground.evaluate.source_plans.gold import Gold, covered, named
from medground.evaluate.source_plans.looked_up import LookedUp, Passed, Row
from medground.operators.keyless.planning import Sought

PASSAGES = 20
"""Passages that are read, however many lookups found them (Omni-RAG, section 5.1.2, and the recipe's default)."""

Plans = Mapping[str, Sequence[Sought]]
"""The plan of each strategy for one question."""


@dataclass(frozen=True)
class Outcome:
    """What one plan found for one question.

    Attributes:
        paper: 1 if a gold paper is among the passages; None if the sources hold none.
        words: share by weight of the answer's own words in the passages; None if it has none.
        exact: share of the parts of the exact answer that they name; None if there is none.
        characters: of the passages.
        seconds: of its lookups, one after the other.
    """

    lookups: int
    paper: float | None
    words: float | None
    exact: float | None
    characters: int
    seconds: float


MEASURES: Mapping[str, Callable[[Outcome], float | None]] = {
    "gold paper": lambda one: one.paper,
    "answer's words": lambda one: one.words,
    "exact answer": lambda one: one.exact,
}


def outcome(row: Row, plan: Sequence[Sought], gold: Gold, *, own: bool = True) -> Outcome:
    """What a plan found.

    Args:
        own: whether the gold papers may be read; without, they are as if the sources did not hold them.
    """
    made = [found for sought in dict.fromkeys(plan) if (found := row.found(sought)) is not None]
    read = share_out([_allowed(one, gold, own=own) for one in made], PASSAGES)
    terms = exact = 0
    for passage in read:
        terms |= passage.terms
        exact |= passage.exact
    counted = own and row.has_paper
    return Outcome(
        lookups=len(made),
        paper=float(any(passage.document in gold.documents for passage in read)) if counted else None,
        words=covered(gold, terms),
        exact=named(gold, exact),
        characters=sum(passage.size for passage in read),
        seconds=sum(one.seconds for one in made),
    )


def share_out(lists: Sequence[Sequence[Passed]], most: int) -> list[Passed]:
    """At most `most` different passages: the best of each list in turn, then the second of each, and so on."""
    chosen: dict[str, Passed] = {}
    for rank in range(max(map(len, lists), default=0)):
        for one in lists:
            if rank < len(one) and len(chosen) < most:
                chosen.setdefault(one[rank].key, one[rank])
    return list(chosen.values())


def _allowed(found: LookedUp, gold: Gold, *, own: bool) -> Sequence[Passed]:
    if own:
        return found.passages
    return [passage for passage in found.passages if passage.document not in gold.documents]


@dataclass(frozen=True)
class MeanOf:
    """A mean over the questions that have the measure, with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float
    of: int


def mean_of(values: Sequence[float | None]) -> MeanOf | None:
    """The mean of the known values; None if there are none."""
    known = [value for value in values if value is not None]
    found = paired_bootstrap([0.0] * len(known), known)
    return None if found is None else MeanOf(found.value, found.low, found.high, len(known))


def difference(first: Sequence[float | None], other: Sequence[float | None]) -> PairedDifference | None:
    """`other - first` over the questions for which both are known."""
    pairs = [(a, b) for a, b in zip(first, other, strict=True) if a is not None and b is not None]
    return paired_bootstrap([a for a, _ in pairs], [b for _, b in pairs])
