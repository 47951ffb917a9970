"""Changes a number to another of the same form."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from planting.replacing import replaced

# Digits in a name are not a quantity: IL-6, CD4+, type 2, grade III, H1N1, SF-36.
_NUMBER = re.compile(
    r"(?<![\w.,/^-])(?<!\b[A-Z]-)(?<!\btype )(?<!\bgroup )(?<!\bgrade )(?<!\bstage )(?<!\bphase )(?<!\bvitamin )"
    r"\d+(?:,\d{3})*(?:\.\d+)?(?![\d]*[A-Za-z]{1,3}\d|\w*-(?:[A-Z]|like)|[\w,]*\d|'|\()(?!\.\d)"
)
_NUMBER_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve")
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(_NUMBER_WORDS)})\b", re.IGNORECASE)
_FACTORS = (0.25, 0.4, 0.5, 0.6, 0.75, 1.3, 1.5, 1.8, 2.0, 2.5, 3.0)


def renumbered(sentence: str, rng: random.Random, _: Sequence[str]) -> str | None:
    """Replace a number by another of the same form; a number word if there are no digits."""
    if found := list(_NUMBER.finditer(sentence)):
        match = rng.choice(found)
        percent = sentence[match.end() :].lstrip()[:7].startswith(("%", "percent", "per cen"))
        new = _another(match[0], rng, percent=percent)
        return None if new in {m[0] for m in found} else replaced(sentence, match, new)
    if found := list(_NUMBER_WORD.finditer(sentence)):
        match = rng.choice(found)
        new = rng.choice([word for word in _NUMBER_WORDS if word != match[0].lower()])
        return replaced(sentence, match, new.capitalize() if match[0][0].isupper() else new)
    return None


def _another(number: str, rng: random.Random, *, percent: bool) -> str:
    """A different number with as many decimals, and commas if the first has them; a year stays a year."""
    decimals = len(number.partition(".")[2])
    value = float(number.replace(",", ""))
    if re.fullmatch(r"(?:19|20)\d\d", number):
        return str(int(number) - rng.choice((2, 3, 4, 5, 7, 9)))
    step: float = 10**-decimals
    changed = value * rng.choice(_FACTORS)
    if (percent and changed >= 100) or (value < 1 <= changed):
        changed = value * rng.choice(_FACTORS[:5])
    if abs(changed - value) < step or round(changed, decimals) == round(value, decimals):
        changed = value + step * rng.choice((1, 2, 3))
    return f"{changed:{',' if ',' in number else ''}.{decimals}f}"
