"""Answers that take no reading at all: chance, the commonest answer, the longest option; and where right ones stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import comb

from medground.evaluate.audit.base import Answers, Baseline, Figure, choices, tie_break
from medground.evaluate.base import Item
from medground.question import Task

Guesses = Mapping[str, Answers]
"""Guessed answers by item id. An item without one gets the commonest answer of its task."""


def commonest(items: Iterable[Item]) -> dict[Task, Answers]:
    """The commonest gold answer of each task; of equally common ones the first in the alphabet."""
    counts: dict[Task, Counter[tuple[str, ...]]] = {}
    for item in items:
        counts.setdefault(item.question.task, Counter())[tuple(sorted(item.gold))] += 1
    return {task: frozenset(min(golds.items(), key=lambda kv: (-kv[1], kv[0]))[0]) for task, golds in counts.items()}


def usual_number(items: Iterable[Item]) -> int:
    """How many right answers the items usually have; 1 for no items."""
    counts = Counter(len(set(item.gold)) for item in items)
    return min(counts, key=lambda number: (-counts[number], number), default=1)


def scored(name: str, items: Sequence[Item], guesses: Guesses, words: str) -> Baseline:
    """The accuracy of guesses over all items."""
    otherwise = commonest(items)
    right = sum(guesses.get(i.id, otherwise[i.question.task]) == frozenset(i.gold) for i in items)
    return Baseline.counted(name, right, len(items), words)


def chance(items: Sequence[Item]) -> Baseline:
    """What drawing an answer would be right in expectation, of several right ones a set of the usual number."""
    several = usual_number(i for i in items if i.question.task == "multiple-choice")
    expected = sum(_chance_of(item, several) for item in items)
    what = f", {several} letters where several are right" if _has_several(items) else ""
    return Baseline.counted("chance", round(expected), len(items), f"an answer drawn at random{what} (expected)")


def majority(items: Sequence[Item]) -> Baseline:
    """The commonest answer to every question of a task, as counted on these very items."""
    shown = ", ".join(f"{' + '.join(sorted(gold))!r}" for gold in commonest(items).values())
    return scored("majority class", items, {}, f"always {shown}")


def longest(items: Sequence[Item], number: int | None = None) -> Baseline | None:
    """The longest option, or the `number` longest ones where several are right; None where no item has options.

    Without a number it is how many are usually right. Of options of the same length one is drawn, always the same one.
    """
    with_options = [i for i in items if i.question.options]
    if not with_options:
        return None
    several = number or usual_number(i for i in with_options if i.question.task == "multiple-choice")
    guesses = {i.id: _longest(i, several if i.question.task == "multiple-choice" else 1) for i in with_options}
    plural = several > 1 and _has_several(with_options)
    name = f"{several} longest options" if plural else "longest option"
    return scored(name, items, guesses, "the options with the most characters, their words unread")


def positions(items: Sequence[Item]) -> list[Figure]:
    """How often an option of each position is right, among the items that have an option there."""
    with_options = [i for i in items if i.question.options]
    most = max((len(i.question.options) for i in with_options), default=0)
    figures = []
    for place in range(most):
        there = [i for i in with_options if len(i.question.options) > place]
        right = sum(i.question.options[place].letter in i.gold for i in there)
        fair = sum(len(set(i.gold)) / len(i.question.options) for i in there) / len(there)
        words = f"{fair:.1%} if right answers were spread evenly"
        figures.append(Figure.counted(f"option {place + 1} is right", right, len(there), words))
    return figures


def numbers(items: Sequence[Item]) -> Figure | None:
    """How often the number of right answers is the usual one; None where no item can have several."""
    several = [i for i in items if i.question.task == "multiple-choice"]
    if not several:
        return None
    number = usual_number(several)
    count = sum(len(set(i.gold)) == number for i in several)
    return Figure.counted("number of right answers", count, len(several), f"has exactly {number} right answers")


def _longest(item: Item, number: int) -> Answers:
    ranked = sorted(item.question.options, key=lambda option: (-len(option.text), tie_break(item, option.letter)))
    return frozenset(option.letter for option in ranked[:number])


def _chance_of(item: Item, several: int) -> float:
    values = len(choices(item))
    if item.question.task != "multiple-choice":
        return 1 / values if values else 0.0
    return 1 / comb(values, several) if len(set(item.gold)) == several else 0.0


def _has_several(items: Sequence[Item]) -> bool:
    return any(i.question.task == "multiple-choice" for i in items)
