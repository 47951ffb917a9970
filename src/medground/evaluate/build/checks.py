"""What gives a question away without any evidence, and near-duplicates of other questions.

Every rule is even-handed: it rejects what marks the right options just as what marks the wrong ones. A rule that only
rejected the one would itself make the other a clue.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from medground.evaluate.audit.overlap import near_pairs
from medground.evaluate.base import Item
from medground.evaluate.build.values import BuiltQuestion
from medground.operators.keyless.set_building import ABSOLUTE, HEDGED

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
