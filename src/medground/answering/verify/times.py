"""At which time each number of a text was measured: is it the same in a statement and in its quote?"""

import re
from collections.abc import Sequence

from medground.language.quantities import COUNT, Quantity, quantities
from medground.language.slots import without_asides

_BARRIER = re.compile(r"[,;|]|\b(?:and|than|vs|versus|compared|whereas|while|but|against)\b", re.IGNORECASE)
_COST = 8
"""Words that a mark between a number and a time counts as."""
_AT = re.compile(r"\b(?:at|after|by|within|until)\s(?:the\s|day\s|week\s|month\s|year\s)?$", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2,}")
_DAYS = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.4, "year": 365.0}
_COUNTED = frozenset(["", "%", COUNT])
"""Units of what was counted; a dose or an age is the same at all times."""
_NEAR = 0.06
"""How much two times may differ, as a share, that are one: 12 months and a year."""


def mistimed(statement: str, quote: str) -> str:
    """The time at which a statement gives a number that its quote gives for another time; empty if there is none."""
    said, held = _with_times(statement), _with_times(quote)
    for number, time in said:
        theirs = [other for here, other in held if here.values & number.values]
        is_told = any(_same(one, other) for _, one in said for other in theirs)
        if theirs and not is_told and number.unit in _COUNTED:
            return time.text
    return ""


def other_time(statement: str, quotes: Sequence[str]) -> str:
    """The time at which a statement says that something was found, where its quotes give only others; else empty."""
    said = _when(statement)
    held = [one for quote in quotes for one in quantities(quote) if one.unit in _DAYS]
    told = any(_same(one, other) for one in said for other in held)
    return said[0].text if said and any(map(_when, quotes)) and not told else ""


def _when(text: str) -> list[Quantity]:
    """The times in a text at which something was measured."""
    return [one for one in quantities(text) if one.unit in _DAYS and _AT.search(text, 0, one.start)]


def _same(one: Quantity, other: Quantity) -> bool:
    return any(
        abs(a - b) <= _NEAR * max(a, b)
        for a in (float(value) * _DAYS[one.unit] for value in one.values)
        for b in (float(value) * _DAYS[other.unit] for value in other.values)
    )


def _with_times(text: str) -> list[tuple[Quantity, Quantity]]:
    """Each number with the time that stands nearest to it."""
    plain = without_asides(text)
    found = [one for one in quantities(plain) if one.measure not in ("p", "n") and not one.named]
    times = [one for one in found if one.unit in _DAYS]
    numbers = [one for one in found if one.unit not in _DAYS] if times else []
    return [(one, min(times, key=lambda time: _between(plain, one, time))) for one in numbers]


def _between(plain: str, one: Quantity, other: Quantity) -> int:
    """Words between a number and a time, where a mark counts as several."""
    gap = plain[one.end : other.start] if one.end <= other.start else plain[other.end : one.start]
    return len(_WORD.findall(gap)) + _COST * len(_BARRIER.findall(gap))
