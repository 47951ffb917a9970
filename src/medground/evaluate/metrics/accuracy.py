"""Accuracy: the share of items whose answer is the gold answer.

Source: PubMed Reasoner, section 4.1 ("proportion of questions for which the model produces the correct answer label").
"""

from __future__ import annotations

from collections.abc import Iterable

from medground.evaluate.base import RunLine
from medground.evaluate.metrics.share import Share
from medground.evaluate.tally import is_right


def accuracy(lines: Iterable[RunLine], items: int | None = None) -> Share:
    """Correct answers among all items.

    An item that failed, was unreadable or was left unanswered counts as wrong, and so does one without a line. Lines
    without a gold answer are not counted at all.

    Args:
        lines: the lines of one run.
        items: number of items in the run; None counts only the given lines.
    """
    right = scored = count = 0
    for line in lines:
        count += 1
        scored += bool(line.gold)
        right += is_right(line)
    return Share(right, scored + max(0, (items or 0) - count) if scored else 0)
