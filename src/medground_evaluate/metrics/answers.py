"""Answers against gold answers: accuracy, sets of answers, classes, rounds, ROUGE-L."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

from medground_evaluate.items import RunLine
from medground_evaluate.statistics import ClassScore, Share, item_score, scores_by_class
from medground_evaluate.tally import is_right


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


@dataclass(frozen=True)
class SetScores:
    """Means over all items with a gold answer, 0 to 1; all 0 if there are none. An item without an answer scores 0.

    `partial` is the share of values that are right and were chosen, of all that are right or were chosen.
    """

    exact: Share
    partial: float
    precision: float
    recall: float
    f1: float


def set_scores(lines: Iterable[RunLine]) -> SetScores:
    """Exact match and partial credit, for questions with several right answers. Lines without gold are left out."""
    items = [item_score(line.gold, line.answer) for line in lines if line.gold]
    count = max(len(items), 1)
    return SetScores(
        exact=Share(sum(one.both == one.gold == one.given for one in items), len(items)),
        partial=sum(one.both / (one.gold + one.given - one.both) for one in items) / count,
        precision=sum(one.precision or 0.0 for one in items) / count,
        recall=sum(one.recall or 0.0 for one in items) / count,
        f1=sum(one.f1 for one in items) / count,
    )


NO_ANSWER = ""
"""Stands for every status without an answer. It is not a class, as a missing answer is never correct."""


def class_scores(lines: Iterable[RunLine]) -> tuple[ClassScore, ...]:
    """A score for each class that is a gold answer or was given, sorted by label.

    If several answers are correct, each of them is a separate class. Items without an answer lower the recall of their
    gold class but no precision. Lines without a gold answer are left out.
    """
    return scores_by_class((line.gold, line.answer) for line in lines if line.gold)


def macro_f1(scores: Iterable[ClassScore]) -> float | None:
    """The unweighted mean of the classes' F1; None if there are no classes."""
    values = [score.f1 for score in scores]
    return sum(values) / len(values) if values else None


def confusion(lines: Iterable[RunLine]) -> Counter[tuple[str, str]]:
    """How often each gold answer received each answer: a count by `(gold, answer)`, with `NO_ANSWER` for no answer.

    Several correct answers form a single class here, such as `A, C`.
    """
    return Counter((_joined(line.gold), _joined(line.answer) or NO_ANSWER) for line in lines if line.gold)


def _joined(values: Iterable[str]) -> str:
    return ", ".join(sorted(set(values)))


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
    points = []
    for number in range(1, last + 1):
        lines = [
            line.model_copy(update={"answer": tuple(answers[min(number, len(answers)) - 1]) if answers else ()})
            for line, answers in histories
        ]
        asked = sum(len(answers) >= number for _, answers in histories)
        points.append(RoundPoint(number, asked, accuracy(lines), macro_f1(class_scores(lines))))
    return tuple(points)


_WORD = re.compile(r"[^\W_]+")


def rouge_l(answer: str, references: str | Sequence[str]) -> ClassScore:
    """ROUGE-L, the longest common subsequence of words, against the reference with the highest F1.

    Words are sequences of letters and digits, lower-cased and not stemmed.
    """
    given = [references] if isinstance(references, str) else references
    words = _words(answer)
    return max((_against(words, _words(r)) for r in given), key=lambda s: s.f1, default=ClassScore("", 0, 0, 0))


def _against(answer: list[str], reference: list[str]) -> ClassScore:
    return ClassScore("", len(reference), len(answer), int(LCSseq.similarity(answer, reference)))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
