"""What an audit says: shares with their intervals, each with one line of words."""

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
        count: how many of `of` it is.
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
        """The figure of `count` among `of`; a share of nothing is 0 with the interval (0, 1)."""
        low, high = wilson(count, of)
        return cls(name=name, count=count, of=of, share=count / of if of else 0.0, low=low, high=high, words=words)


class Baseline(Figure):
    """The accuracy of somebody who does not do the task. An answer is right when it is exactly the gold answer.

    Attributes:
        blind: no evidence was read; False for the context without its question.
    """

    blind: bool = True


class Audit(Frozen):
    """All that was found. `baselines` begin with the best; `facts` are shares of items that are no accuracy."""

    items: int
    scored: int = Field(description="items with a gold answer; baselines are over these")
    baselines: tuple[Baseline, ...]
    facts: tuple[Figure, ...]
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> Baseline | None:
        """The best blind baseline; None where no item has a gold answer."""
        return next((baseline for baseline in self.baselines if baseline.blind), None)


def tie_break(item: Item, letter: str) -> bytes:
    """Orders options that are equal otherwise, as a draw would: the first place must not win by being first."""
    return hashlib.sha256(f"{item.id}\n{letter}".encode()).digest()


def choices(item: Item) -> tuple[str, ...]:
    """The values that an answer may have: letters of options, or yes, no (and maybe); none for open questions."""
    if item.question.options:
        return tuple(option.letter for option in item.question.options)
    return _CLOSED.get(item.question.task, ())
