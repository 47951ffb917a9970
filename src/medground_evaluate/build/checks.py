"""What gives a question away, near-duplicates, and whether a set can be answered without evidence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from medground_evaluate.audit import linear, overlap
from medground_evaluate.audit.baselines import Answers, Guesses, chance, scored, usual_number
from medground_evaluate.audit.overlap import near_pairs
from medground_evaluate.build.by_words import ABSOLUTE, HEDGED
from medground_evaluate.build.file import BuiltQuestion
from medground_evaluate.items import Item

LENGTHS = 1.5
"""All options of one kind may not be longer than all of the other kind by this factor. A lower one would reject so many
questions whose right options are the longest that being the longest would mark wrong ones."""
_POINTS = re.compile(
    r"\b(?:the (?:context|text|passage|report|abstract)|(?:these|the above|provided) (?:findings|passages))\b",
    re.IGNORECASE,
)


def gives_away(question: BuiltQuestion) -> str:
    """What shows the key of a question to someone who has read nothing; empty if nothing was seen."""
    if _POINTS.search(question.question):
        return "the question speaks of a context that nobody is shown"
    right = [option.text for option in question.options if option.right]
    wrong = [option.text for option in question.options if not option.right]
    for name, one, other in (("longer", right, wrong), ("shorter", wrong, right)):
        if one and other and min(map(len, one)) > LENGTHS * max(map(len, other)):
            return f"every right option is {name} than every wrong one"
    for name, words in (("an absolute word", ABSOLUTE), ("a hedge", HEDGED)):
        held = [sum(bool(words.search(text)) for text in texts) for texts in (right, wrong)]
        if any(held) and not all(held):
            return f"{name} stands in {'right' if held[0] else 'wrong'} options only"
    return ""


def repeats(question: BuiltQuestion, items: Sequence[Item]) -> str:
    """The id of a question of which this one is nearly a duplicate; empty if there is none."""
    every = [*items, question.item()]
    found = next((one for one, other in near_pairs(every) if other == len(items)), None)
    return "" if found is None else every[found].id


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
