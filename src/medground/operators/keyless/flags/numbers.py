"""Numbers and units: a number that the source lacks, or the same number with a different unit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from medground.operators.keyless.flags.cues import cue
from medground.operators.keyless.flags.pair import Pair, folded

# A digit in a name is not a quantity: IL-6, p53, type 2. Minus signs are ignored, since ranges use the same character.
_NUMBER = re.compile(
    r"(?=\d)(?<![\w.])(?<![A-Za-z]-)(?<!\btype )(?<!\bgrade )(?<!\bstage )(?<!\bphase )(?<!\bfactor )(?<!\bgroup )"
    r"(\d+(?:[.,]\d+)*)\s*-?\s*(%|percent|[mµ]?g|kg|mcg|[mdµ]?l|mmol|nmol|[mcnµ]?m|mmhg|fold|"
    r"(?:second|minute|hour|day|week|month|year)s?)?(?![\w])",
    re.IGNORECASE,
)
_ANY_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAMES = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NAMED = {name: str(value) for value, name in enumerate(_NAMES, start=2)}
_WORD = cue("|".join(f"{name}(?:fold)?" for name in _NAMED))


def number(pair: Pair) -> bool:
    """Repeated text has other numbers, or a different order; a paraphrase has a number that the premise lacks."""
    if pair.repeats:
        return not _in_order(_sequence(pair.statement), _sequence(pair.quote))
    stated = _quantities(pair.statement)
    held = _sequence(pair.premise) if stated else []
    return any(not _holds(held, value) for value in stated)


def unit(pair: Pair) -> bool:
    """A number of the statement appears in the sentence only with other units."""
    stated = _units(pair.statement)
    known = _units(pair.quote) if stated else {}
    return any(
        value in known and "" not in units | known[value] and units.isdisjoint(known[value])
        for value, units in stated.items()
    )


def is_number(word: str) -> bool:
    """Whether a word is a number, in digits or by name."""
    return word[:1].isdigit() or word in _NAMED


def _sequence(text: str) -> list[str]:
    """Every number of a text in order, including small ones in words, without thousands separators."""
    plain = _WORD.sub(lambda match: _NAMED[match[0].lower().removesuffix("fold")], folded(text))
    return [_plain(found) for found in _ANY_NUMBER.findall(plain)]


def _quantities(text: str) -> list[str]:
    return [_plain(value) for value, _ in _NUMBER.findall(folded(text))]


def _plain(number_: str) -> str:
    return number_.replace(",", "")


def _units(text: str) -> dict[str, set[str]]:
    """Maps each number to the units that follow it; a number without a unit has an empty one."""
    found: dict[str, set[str]] = {}
    for value, name in _NUMBER.findall(folded(text)):
        found.setdefault(_plain(value), set()).add(name.lower().replace("percent", "%").rstrip("s"))
    return found


def _in_order(some: Sequence[str], others: Sequence[str]) -> bool:
    rest = iter(others)
    return all(value in rest for value in some)


def _holds(values: Sequence[str], stated: str) -> bool:
    """Whether a number is among others, exactly or rounded: 12 for 11.8."""
    decimals = len(stated.partition(".")[2])
    return any(value == stated or _rounded(value, decimals) == stated for value in values)


def _rounded(value: str, decimals: int) -> str | None:
    try:
        return f"{float(value):.{decimals}f}"
    except ValueError:
        return None  # 1.2.3 is a section, not a number
