"""Running totals over the lines of a run, in constant memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from medground_evaluate.items import RunLine
from medground_evaluate.statistics import wilson

UNFINISHED = "unfinished"
_SUMMED = ("input_tokens", "output_tokens", "estimated_tokens", "model_calls", "cached_calls", "searches", "seconds")


def is_right(line: RunLine) -> bool:
    """Whether the answer equals the gold answer: if several values are correct, none is missing and none is extra."""
    return bool(line.gold) and set(line.answer) == set(line.gold)


def tallied(lines: Iterable[RunLine], items: int) -> Tally:
    """The totals over lines."""
    tally = Tally(items)
    for line in lines:
        tally.add(line)
    return tally


@dataclass
class Tally:
    """Counts over lines. `items` is the size of the run; items without a line are unfinished and count as wrong."""

    items: int
    lines: int = 0
    scored: int = 0
    """Lines with a gold answer."""
    right: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    gold: Counter[tuple[str, ...]] = field(default_factory=Counter)
    input_tokens: int = 0
    output_tokens: int = 0
    estimated_tokens: int = 0
    model_calls: int = 0
    cached_calls: int = 0
    searches: int = 0
    seconds: float = 0.0
    price: Decimal | None = Decimal(0)
    error: str = ""
    """The last error."""
    failed_sources: Counter[str] = field(default_factory=Counter)
    """In how many lines a source could not be searched."""
    why: dict[str, str] = field(default_factory=dict)
    """The last reason, by source."""

    def add(self, line: RunLine) -> None:
        """Count one line."""
        used = line.usage
        self.lines += 1
        self.statuses[line.status] += 1
        if line.gold:
            self.scored += 1
            self.right += is_right(line)
            self.gold[tuple(sorted(line.gold))] += 1
        for name in _SUMMED:
            setattr(self, name, getattr(self, name) + getattr(used, name))
        self.price = None if self.price is None or used.price is None else self.price + used.price
        self.error = line.error or self.error
        self.failed_sources.update(line.failed_sources.keys())
        self.why |= line.failed_sources

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Sources that could not always be searched, and questions that failed, in a line each."""
        lines = [
            f"{name} could not be searched for {number:,} of {self.lines:,} questions: {self.why[name]}"
            for name, number in self.failed_sources.most_common()
        ]
        if failed := self.statuses["failed"]:
            lines.append(f"{failed:,} of {self.lines:,} questions failed: {self.error}")
        return tuple(lines)

    @property
    def accuracy(self) -> float | None:
        """Share of correct answers among the lines with a gold answer; None if there are none."""
        return self.right / self.scored if self.scored else None

    @property
    def interval(self) -> tuple[float, float]:
        """Its 95 % interval."""
        return wilson(self.right, self.scored)

    @property
    def unfinished(self) -> int:
        """Items without a line."""
        return max(0, self.items - self.lines)

    @property
    def final_accuracy(self) -> float | None:
        """Accuracy over all items; those without a line count as wrong."""
        return self.right / (self.scored + self.unfinished) if self.scored else None

    @property
    def final_interval(self) -> tuple[float, float]:
        """Its 95 % interval."""
        return wilson(self.right, self.scored + self.unfinished)

    @property
    def majority(self) -> tuple[tuple[str, ...], int] | None:
        """The most common gold answer and its count; None if no line has one."""
        return max(self.gold.items(), key=lambda kv: (kv[1], kv[0])) if self.gold else None
