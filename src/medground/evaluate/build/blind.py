"""Whether a set can be answered without evidence, and which of its questions make that so.

Linear models are trained on option texts in grouped cross-validation, as in `medground eval audit`. Where a baseline is
better than chance, the questions that it gets right with most seeds are taken out and made again (adversarial
filtering), no more of them than lift it above chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from medground.evaluate.audit import linear, overlap
from medground.evaluate.audit.base import Answers
from medground.evaluate.audit.guesses import Guesses, chance, scored, usual_number
from medground.evaluate.base import Item

SEEDS = (0, 1, 2)
MOST = 0.25
"""Most questions that are taken out at once, as a share of the set."""


def too_easy(items: Sequence[Item]) -> list[str]:
    """Ids of questions to take out: those that baselines above chance answer right most often; empty if none is above.

    Only what an option says can be mended here; a key that is too common cannot.
    """
    if len(items) < linear.FEWEST:
        return []
    drawn = chance(items)
    groups = overlap.groups_of(items, overlap.near_pairs(items))
    hits: Counter[str] = Counter()
    surplus = 0
    for answers in _guesses(items, groups):
        figure = scored("", items, answers, "")
        if figure.low > drawn.share:
            surplus = max(surplus, figure.count - drawn.count)
            hits.update(item.id for item in items if answers.get(item.id) == frozenset(item.gold))
    most = min(surplus, int(MOST * len(items)))
    return [name for name, _ in sorted(hits.items(), key=lambda one: (-one[1], one[0]))[:most]]


def _guesses(items: Sequence[Item], groups: linear.Groups) -> list[Guesses]:
    found: list[Guesses] = []
    for seed in SEEDS:
        found.append(linear.by_options(items, groups, seed))
        found.append(linear.by_options(items, groups, seed, function_words=True))
        found.append(linear.by_options(items, groups, seed, with_question=True))
    return [*(one for one in found if one), _longest(items)]


def _longest(items: Sequence[Item]) -> dict[str, Answers]:
    """The options that are longest, as many as are usually right."""
    number = usual_number(items)
    ranked = {i.id: sorted(i.question.options, key=lambda option: -len(option.text))[:number] for i in items}
    return {name: frozenset(option.letter for option in options) for name, options in ranked.items()}
