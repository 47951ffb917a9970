"""Results of an audit: shares with their confidence intervals, each with a one-line explanation."""

from __future__ import annotations

import hashlib
from typing import Self

from pydantic import Field

from medground.document import Frozen
from medground.evaluate.base import Item
from medground.evaluate.intervals import wilson

Answers = frozenset[str]
"""All values of one answer: `{"yes"}`, `{"A", "C"}`."""

_CLOSED = {"yes-no": ("yes", "no"), "yes-no-maybe": ("yes", "no", "maybe")}


class Figure(Frozen):
    """A share of the items, with its 95 % Wilson interval.

    Attributes:
        count: the numerator; `of` is the denominator.
        words: what it means, in one line.
    """

    name: str
    count: int = Field(ge=0)
    of: int = Field(ge=0)
    share: float
    low: float
    high: float
    words: str

    @classmethod
    def counted(cls, name: str, count: int, of: int, words: str) -> Self:
        """The figure for `count` of `of`; if `of` is 0, the share is 0 and its interval (0, 1)."""
        low, high = wilson(count, of)
        return cls(name=name, count=count, of=of, share=count / of if of else 0.0, low=low, high=high, words=words)


class Baseline(Figure):
    """The accuracy of a strategy that skips the task. An answer is correct only if it equals the gold answer exactly.

    Attributes:
        blind: whether no evidence was read; False for the context without its question.
    """

    blind: bool = True


class Audit(Frozen):
    """The whole result. `baselines` come best first; `facts` are shares of items that are not accuracies."""

    items: int
    scored: int = Field(description="items with a gold answer; baselines are computed over these")
    baselines: tuple[Baseline, ...]
    facts: tuple[Figure, ...]
    notes: tuple[str, ...] = ()


def tie_break(item: Item, letter: str) -> bytes:
    """Sort key that breaks ties between options at random, so that the first option gains nothing from its place."""
    return hashlib.sha256(f"{item.id}\n{letter}".encode()).digest()


def choices(item: Item) -> tuple[str, ...]:
    """The possible answers: letters of options, or yes, no (and maybe); empty for open questions."""
    if item.question.options:
        return tuple(option.letter for option in item.question.options)
    return _CLOSED.get(item.question.task, ())
