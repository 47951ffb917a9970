"""Answers against gold answers: accuracy, sets of answers, classes, rounds, ROUGE-L."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

from medground_evaluate.items import RunLine
from medground_evaluate.statistics import Share
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


NO_ANSWER = ""
"""Stands for every status without an answer. It is not a class, as a missing answer is never correct."""


@dataclass(frozen=True)
class ClassScore:
    """One class against the rest.

    Attributes:
        label: an option's letter, `yes`, ...
        gold: items whose gold answer has it.
        given: items whose answer has it.
        both: items where both have it.
    """

    label: str
    gold: int
    given: int
    both: int

    @property
    def precision(self) -> float | None:
        """`both / given`; None if the class was never given."""
        return self.both / self.given if self.given else None

    @property
    def recall(self) -> float | None:
        """`both / gold`; None if the class is never gold."""
        return self.both / self.gold if self.gold else None

    @property
    def f1(self) -> float:
        """`2 both / (gold + given)`, the harmonic mean of precision and recall; 0 if both are undefined or 0."""
        return 2 * self.both / (self.gold + self.given) if self.gold + self.given else 0.0


def class_scores(lines: Iterable[RunLine]) -> tuple[ClassScore, ...]:
    """A score for each class that is a gold answer or was given, sorted by label.

    If several answers are correct, each of them is a separate class. Items without an answer lower the recall of their
    gold class but no precision. Lines without a gold answer are left out.
    """
    gold: Counter[str] = Counter()
    given: Counter[str] = Counter()
    both: Counter[str] = Counter()
    for line in lines:
        if line.gold:
            gold.update(set(line.gold))
            given.update(set(line.answer))
            both.update({*line.gold} & {*line.answer})
    return tuple(ClassScore(label, gold[label], given[label], both[label]) for label in sorted(gold.keys() | given))


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
    return tuple(_point(histories, number) for number in range(1, last + 1))


def _point(histories: Sequence[tuple[RunLine, Sequence[Sequence[str]]]], number: int) -> RoundPoint:
    lines = [
        line.model_copy(update={"answer": tuple(answers[min(number, len(answers)) - 1]) if answers else ()})
        for line, answers in histories
    ]
    asked = sum(len(answers) >= number for _, answers in histories)
    return RoundPoint(number, asked, accuracy(lines), macro_f1(class_scores(lines)))


_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class RougeL:
    """Precision (of the answer's words), recall (of the reference's), and their harmonic mean; 0 to 1."""

    precision: float
    recall: float
    f1: float


def rouge_l(answer: str, references: str | Sequence[str]) -> RougeL:
    """ROUGE-L against the reference with the highest F1; all 0 if a text has no words or there is no reference.

    Words are sequences of letters and digits, lower-cased and not stemmed.
    """
    given = [references] if isinstance(references, str) else references
    words = _words(answer)
    return max((_against(words, _words(r)) for r in given), key=lambda s: s.f1, default=RougeL(0.0, 0.0, 0.0))


def _against(answer: list[str], reference: list[str]) -> RougeL:
    if not answer or not reference:
        return RougeL(0.0, 0.0, 0.0)
    common = int(LCSseq.similarity(answer, reference))
    return RougeL(common / len(answer), common / len(reference), 2 * common / (len(answer) + len(reference)))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
