"""Which group, and which time, each number of a text stands with: are they the same in a statement and in its quote?

A name belongs to the number with the fewest words and marks between them, and a mark such as `and`, `than` or a cell's
border counts as many words. So `101 with the drug and 123 with placebo` and `Drug: 101 | Placebo: 123` read the same.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from medground.language import words
from medground.language.quantities import COUNT, TIMES, Quantity, quantities
from medground.language.slots import without_asides

_BARRIER = re.compile(r"[,;|]|\b(?:and|than|vs|versus|compared|whereas|while|but|against)\b", re.IGNORECASE)
_COST = 8
"""Words that a mark between a name and a number counts as."""
_FAR = 14
"""Most words between a name and its number."""
_PARALLEL = re.compile(r"\brespectively\b", re.IGNORECASE)
_BESIDE = re.compile(r"\s*(?:[-–/(\[]|of|out of)?\s*")
_WORD = re.compile(r"[^\W\d_]{2,}")
_LEAST = 2.0
"""Minimum weight of a word that tells one group from another."""
_DAYS = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.4, "year": 365.0}
_COUNTED = frozenset(["", "%", COUNT])
"""Units of what was counted; a dose or an age is the same at all times."""
_NEAR = 0.06
"""How much two times may differ, as a share, that are one: 12 months and a year."""

Values = frozenset[Decimal]


@dataclass(frozen=True)
class _Place:
    """Numbers side by side that say one thing, such as `101 (9%)`."""

    start: int
    end: int
    values: Values
    units: frozenset[str]


def exchanged(statement: str, quote: str) -> str:
    """The name that a statement gives another number of its quote than the quote does; empty if there is none."""
    if _PARALLEL.search(statement) or _PARALLEL.search(quote):
        return ""
    said, held = _by_name(statement), _by_name(quote)
    agreed, crossed = 0.0, dict[str, float]()
    for name in said.keys() & held.keys():
        mine, theirs = said[name], held[name]
        if any(one.values & other.values for one in mine for other in theirs):
            agreed = max(agreed, words.weight(name))
            continue
        others = {
            other
            for other, places in held.items()
            if other not in said or not said[other] & mine
            if any(one.values & place.values and one.units & place.units for one in mine for place in places)
        }
        if others and any(one.units & place.units for one in mine for place in theirs):
            crossed[name] = words.weight(name)
    rarest = max(crossed, key=lambda name: crossed[name], default="")
    if not rarest or crossed[rarest] <= agreed:
        return ""
    return next(word[0] for word in _WORD.finditer(statement) if rarest in words.terms(word[0]))


def mistimed(statement: str, quote: str) -> str:
    """The time at which a statement gives a number that its quote gives for another time; empty if there is none."""
    said, held = _with_times(statement), _with_times(quote)
    told = [time for _, time in said if time]
    for place, time in said:
        theirs = [other for here, other in held if here.values & place.values and other]
        apart = theirs and not any(_same(one, other) for one in told for other in theirs)
        if time and apart and not place.units - _COUNTED:
            return time.text
    return ""


def _same(one: Quantity, other: Quantity) -> bool:
    return any(
        abs(a - b) <= _NEAR * max(a, b)
        for a in (float(value) * _DAYS[one.unit] for value in one.values)
        for b in (float(value) * _DAYS[other.unit] for value in other.values)
    )


def _by_name(text: str) -> Mapping[str, frozenset[_Place]]:
    """The numbers that stand with each distinctive word, by its stem."""
    plain = without_asides(text)
    places = _places([q for q in _numbers(plain) if q.unit not in TIMES or q.unit not in _DAYS], plain) or _places(
        _numbers(plain), plain
    )
    found: dict[str, frozenset[_Place]] = {}
    for word in _WORD.finditer(plain):
        stem = next(iter(words.terms(word[0])), "")
        if not stem or words.weight(stem) < _LEAST or not places:
            continue
        near = min(places, key=lambda place: _between(plain, word.start(), word.end(), place))
        if _between(plain, word.start(), word.end(), near) <= _FAR:
            found[stem] = found.get(stem, frozenset()) | {near}
    return found


def _with_times(text: str) -> list[tuple[_Place, Quantity | None]]:
    """Each number with the time that stands nearest to it."""
    plain = without_asides(text)
    numbers = _numbers(plain)
    times = [q for q in numbers if q.unit in _DAYS]
    places = _places([q for q in numbers if q.unit not in _DAYS], plain)
    return [
        (place, min(times, key=lambda time: _between(plain, time.start, time.end, place), default=None))
        for place in places
    ]


def _numbers(plain: str) -> list[Quantity]:
    return [q for q in quantities(plain) if q.measure not in ("p", "n") and not q.named]


def _places(numbers: Sequence[Quantity], plain: str) -> list[_Place]:
    joined: list[list[Quantity]] = []
    for number in numbers:
        if joined and _BESIDE.fullmatch(plain, joined[-1][-1].end, number.start):
            joined[-1].append(number)
        else:
            joined.append([number])
    return [
        _Place(
            min(q.start for q in one),
            one[-1].end,
            frozenset[Decimal]().union(*(q.values for q in one)),
            frozenset(q.unit for q in one),
        )
        for one in joined
    ]


def _between(plain: str, start: int, end: int, place: _Place) -> int:
    """Words between a name and a number, where a mark counts as several."""
    gap = plain[end : place.start] if end <= place.start else plain[place.end : start]
    return len(_WORD.findall(gap)) + _COST * len(_BARRIER.findall(gap))
