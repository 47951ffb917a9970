"""Questions with several correct answers: exact match, and partial credit.

Source: partial credit is the multi-label accuracy of S. Godbole and S. Sarawagi, Discriminative methods for
multi-labeled classification, PAKDD 2004: `|gold & answer| / |gold | answer|`. Precision, recall and F1 are computed
per item and averaged over items (same source).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from medground.evaluate.base import RunLine
from medground.evaluate.metrics.share import Share


@dataclass(frozen=True)
class SetScores:
    """Means over all items with a gold answer, 0 to 1; all 0 if there are none. An item without an answer scores 0."""

    exact: Share
    partial: float
    precision: float
    recall: float
    f1: float


def partial_credit(gold: Collection[str], answer: Collection[str]) -> float:
    """Correct values that were chosen, of all values that are correct or were chosen; 0 if both are empty."""
    union = {*gold, *answer}
    return len({*gold} & {*answer}) / len(union) if union else 0.0


def set_scores(lines: Iterable[RunLine]) -> SetScores:
    """Exact match and partial credit. Lines without a gold answer are left out."""
    pairs = [(frozenset(line.gold), frozenset(line.answer)) for line in lines if line.gold]
    count = max(len(pairs), 1)
    shared = [len(gold & answer) for gold, answer in pairs]
    given = list(zip(shared, pairs, strict=True))
    return SetScores(
        exact=Share(sum(gold == answer for gold, answer in pairs), len(pairs)),
        partial=sum(partial_credit(gold, answer) for gold, answer in pairs) / count,
        precision=sum(both / len(answer) for both, (_, answer) in given if answer) / count,
        recall=sum(both / len(gold) for both, (gold, _) in given) / count,
        f1=sum(2 * both / (len(gold) + len(answer)) for both, (gold, answer) in given) / count,
    )
