"""Accuracy and F1 after each round of a recipe that loops.

Source: Self-MedRAG, Figure 3 (cumulative over rounds: a question that has ended keeps its answer).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from medground.evaluate.base import RunLine
from medground.evaluate.metrics.accuracy import accuracy
from medground.evaluate.metrics.classes import class_scores, macro_f1
from medground.evaluate.metrics.share import Share


@dataclass(frozen=True)
class RoundPoint:
    """Scores of all questions after a round.

    Attributes:
        number: number of the round, starting at 1.
        asked: number of questions that had this round.
        macro_f1: None if no question has a gold answer.
    """

    number: int
    asked: int
    accuracy: Share
    macro_f1: float | None


def round_curve(histories: Sequence[tuple[RunLine, Sequence[Sequence[str]]]]) -> tuple[RoundPoint, ...]:
    """The curve over the pairs `(line, its answer after each round)`.

    A question that ended earlier keeps its last answer; a question without any round has no answer and counts as wrong.
    """
    last = max((len(answers) for _, answers in histories), default=0)
    return tuple(_point(histories, number) for number in range(1, last + 1))


def _point(histories: Sequence[tuple[RunLine, Sequence[Sequence[str]]]], number: int) -> RoundPoint:
    lines = [
        line.model_copy(update={"answer": tuple(answers[min(number, len(answers)) - 1]) if answers else ()})
        for line, answers in histories
    ]
    asked = sum(len(answers) >= number for _, answers in histories)
    return RoundPoint(number, asked, accuracy(lines), macro_f1(class_scores(lines)))
