"""Numbers and units: a number that the source lacks, or the same number with a different unit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from medground.operators.keyless.flags.cues import cue
from medground.operators.keyless.flags.pair import Pair, folded
from medground.text.quantities import Quantity, quantities
from medground.text.units import COUNT, same_unit

_ANY_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAMES = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NAMED = {name: str(value) for value, name in enumerate(_NAMES, start=2)}
_WORD = cue("|".join(f"{name}(?:fold)?" for name in _NAMED))


def number(pair: Pair) -> bool:
    """Repeated text has other numbers, or a different order; a paraphrase has a number that the premise lacks."""
    if pair.repeats:
        return not _in_order(_sequence(pair.statement), _sequence(pair.quote))
    stated = _in_digits(pair.statement)
    held = _sequence(pair.premise) if stated else []
    return any(not any(_holds(held, str(value)) for value in quantity.values) for quantity in stated)


def unit(pair: Pair) -> bool:
    """A number of the statement appears in the sentence only with other units."""
    stated = [quantity for quantity in _in_digits(pair.statement) if _measured(quantity)]
    known = quantities(pair.quote) if stated else ()
    return any(_only_otherwise(one, [q for q in known if q.values & one.values]) for one in stated)


def is_number(word: str) -> bool:
    """Whether a word is a number, in digits or by name."""
    return word[:1].isdigit() or word in _NAMED


def _in_digits(text: str) -> list[Quantity]:
    return [quantity for quantity in quantities(folded(text)) if not quantity.named]


def _measured(quantity: Quantity) -> bool:
    return bool(quantity.unit) and quantity.unit != COUNT


def _only_otherwise(stated: Quantity, same: Sequence[Quantity]) -> bool:
    """Whether the same numbers all have a unit, and none that of the statement."""
    return bool(same) and all(_measured(q) and not same_unit(q.unit, stated.unit) for q in same)


def _sequence(text: str) -> list[str]:
    """Every number of a text in order, including small ones in words, without thousands separators."""
    plain = _WORD.sub(lambda match: _NAMED[match[0].lower().removesuffix("fold")], folded(text))
    return [found.replace(",", "") for found in _ANY_NUMBER.findall(plain)]


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
