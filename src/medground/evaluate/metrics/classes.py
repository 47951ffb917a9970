"""Scores by class: precision, recall and F1 of each class, macro-F1, and the confusion matrix.

Source: macro-averaging as in D. D. Lewis, Evaluating text categorization, HLT 1991; the F1 columns of Self-MedRAG,
Table 1 (which does not say which average it uses).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from medground.evaluate.base import RunLine

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
