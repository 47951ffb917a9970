"""What is taken for what: precision, recall and F1 of each class, macro-F1, and the confusion matrix.

Source: macro-averaging as in D. D. Lewis, Evaluating text categorization, HLT 1991; the F1 columns of Self-MedRAG,
Table 1 (which does not say which average).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from medground.evaluate.base import RunLine

NO_ANSWER = ""
"""Stands for every status without an answer. It is no class: nothing is ever right to be missing."""


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
        """`both / given`; None where it was never given."""
        return self.both / self.given if self.given else None

    @property
    def recall(self) -> float | None:
        """`both / gold`; None where it is never right."""
        return self.both / self.gold if self.gold else None

    @property
    def f1(self) -> float:
        """`2 both / (gold + given)`, the harmonic mean of precision and recall; 0 where both are undefined or 0."""
        return 2 * self.both / (self.gold + self.given) if self.gold + self.given else 0.0


def class_scores(lines: Iterable[RunLine]) -> tuple[ClassScore, ...]:
    """A score for each class that is a gold answer or was given, in order of the labels.

    Where several answers are right, each of them is a class of its own. Items without an answer lower the recall of
    their gold class and the precision of none. Lines without a gold answer are left out.
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
    """The unweighted mean of the classes' F1; None where there is no class."""
    values = [score.f1 for score in scores]
    return sum(values) / len(values) if values else None


def confusion(lines: Iterable[RunLine]) -> Counter[tuple[str, str]]:
    """How often each gold answer was answered by what: `(gold, answer)` to a count, `NO_ANSWER` for none.

    Several right answers are one class here, such as `A, C`.
    """
    return Counter((_joined(line.gold), _joined(line.answer) or NO_ANSWER) for line in lines if line.gold)


def _joined(values: Iterable[str]) -> str:
    return ", ".join(sorted(set(values)))
