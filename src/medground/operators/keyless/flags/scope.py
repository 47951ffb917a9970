"""Who and what a statement is about: the sides of a comparison, the population, the names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from medground.operators.keyless.flags.cues import EVERY, cue
from medground.operators.keyless.flags.numbers import is_number
from medground.operators.keyless.flags.pair import Pair
from medground.text import words

RARE = 3.0
"""Minimum weight of a word whose replacement counts; commoner words are often just reworded."""

ALMOST = 0.8
"""Minimum repetition for a replaced word to count; below it, other words are just a different wording."""

_THAN = cue(r"than|versus|vs|as compared (?:with|to)|compared (?:with|to)|relative to")
_GROUPS: Mapping[str, Mapping[str, re.Pattern[str]]] = {
    axis: {name: cue(pattern) for name, pattern in groups.items()}
    for axis, groups in {
        "species": {
            "humans": r"humans|patients?|men|women|people|persons?|participants?|volunteers?|children|adults|infants?",
            "animals": r"mice|mouse|murine|rats?|rabbits?|pigs?|porcine|dogs?|canine|monkeys?|macaques?|zebrafish|"
            r"drosophila|yeast|in vitro|cell lines?|cultured cells",
        },
        "age": {
            "adults": r"adults?|elderly|older (?:adults|people|patients|men|women)",
            "children": r"child(?:ren)?|infants?|neonat\w+|newborns?|toddlers?|adolescents?|p(?:a)?ediatric",
        },
        "sex": {"men": r"men|males?|boys?", "women": r"wom[ae]n|females?|girls?|mothers?"},
    }.items()
}


def order(pair: Pair) -> bool:
    """Whether the words before `than` in one text come after it in the other."""
    if (stated := _sides(pair.statement)) is None or (quoted := _sides(pair.quote)) is None:
        return False
    (left, right), (quoted_left, quoted_right) = stated, quoted
    crossed = min(len(left & quoted_right), len(right & quoted_left))
    return crossed > 0 and crossed > min(len(left & quoted_left), len(right & quoted_right))


def _sides(text: str) -> tuple[set[str], set[str]] | None:
    if (than := _THAN.search(text)) is None:
        return None
    left, right = set(words.terms(text[: than.start()])), set(words.terms(text[than.end() :]))
    return left - right, right - left


def population(pair: Pair) -> bool:
    """The statement names a group that the source does not, while the source names another: women, for a study of men.

    Repeated text is compared with the sentence, a paraphrase with the whole premise.
    """
    source = pair.quote if pair.repeats else pair.premise
    return any(_other_group(groups, pair.statement, source) for groups in _GROUPS.values())


def _other_group(groups: Mapping[str, re.Pattern[str]], statement: str, source: str) -> bool:
    missing = {name for name, group in groups.items() if group.search(statement) and not group.search(source)}
    return bool(missing) and any(group.search(source) for name, group in groups.items() if name not in missing)


def subject(pair: Pair) -> bool:
    """In repeated text, a distinctive word replaces another, or two have swapped places."""
    if pair.repetition < ALMOST:
        return False
    removed = Counter(term for change in pair.changes for term in _distinctive(change.before))
    added = Counter(term for change in pair.changes for term in _distinctive(change.after))
    return bool(added - removed and removed - added) or bool(added & removed)


def _distinctive(tokens: tuple[str, ...]) -> list[str]:
    """Stems of rarer words that no other kind of difference covers."""
    rest = [t for t in tokens if not is_number(t) and not any(kind.fullmatch(t) for kind in EVERY)]
    return [term for term in words.terms(" ".join(rest)) if words.weight(term) >= RARE]
