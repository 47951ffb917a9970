"""Numbers of a statement: is each in its quotes with its unit, and for the same group and outcome?"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Literal, NamedTuple

from medground.language import words
from medground.language.quantities import COUNT, POINTS, TIMES, Quantity, quantities, same_unit
from medground.language.sentences import ROW, sentence_spans
from medground.language.slots import Slot, slots, without_asides
from medground.models.operators.differences import NEGATION, Pair, aligned, differences, repetition

QUANTITY = "quantity"
"""The flag of a sentence with a number that no source which it cites contains."""
_ROUNDED = Decimal("0.05")
"""The most that a rounded number may differ from the real one, as a share of it."""
_PURE = ("p", "or", "hr", "rr")
"""Measures that have no unit."""
_IMPLIED = {COUNT, POINTS, "year"}
"""Units that a source may leave unsaid: a score, a number of patients, an age."""


def missing_quantities(sentence: str, quotes: Sequence[str]) -> tuple[Quantity, ...]:
    """The quantities of a sentence that none of its quotes holds, in order."""
    stated = [q for q in quantities(sentence) if not q.named or (q.unit and not q.shared)]
    texts = [text for quote in quotes for text in (quote, " ".join(without_asides(quote).split()))]
    held = [q for text in texts for q in quantities(text)] if stated else []
    units = {q.unit for q in held if q.unit}
    return tuple(q for q in stated if not any(_holds(h, q, units) for h in held) and not _is_in_name(q, quotes))


def _is_in_name(stated: Quantity, quotes: Sequence[str]) -> bool:
    """Whether a number is part of a name in a quote, such as that of `Smc2`, or of a day: `d7` and `7th day`."""
    number = re.escape(stated.text.partition(" ")[0])
    if stated.unit in TIMES:
        name = rf"(?i)\b{stated.unit[0]}{number}\b|\b{number}(?:st|nd|rd|th) {stated.unit}"
    else:
        name = rf"(?:(?<=[A-Za-z])|(?<=[A-Za-z]-)){number}(?!\d)"
    bare = not (stated.unit or stated.measure or stated.relation)
    return (bare or stated.unit in TIMES) and any(re.search(name, quote) for quote in quotes)


def _holds(held: Quantity, stated: Quantity, units: set[str]) -> bool:
    near = stated.about and any(_rounds_to(value, other) for value in held.values for other in stated.values)
    if (held.values.isdisjoint(stated.values) and not near) or {held.relation, stated.relation} == {"<", ">"}:
        return False
    if held.measure and stated.measure and held.measure != stated.measure:
        return False
    if (stated.measure in _PURE and held.unit and not held.shared) or (held.measure in _PURE and stated.unit):
        return False
    if not stated.unit or same_unit(held.unit, stated.unit):
        return True
    if held.unit and not held.shared:
        return False
    return stated.shared or stated.unit in _IMPLIED or any(same_unit(unit, stated.unit) for unit in units)


def _rounds_to(value: Decimal, stated: Decimal) -> bool:
    """Whether a number rounded to as many digits as another one has is that one: 478 for 500 and 11.8 for 12."""
    step = Decimal(1).scaleb(int(stated.normalize().as_tuple().exponent))
    return abs(value - stated) <= min(step / 2, abs(value) * _ROUNDED)


_REPEATED = 0.95
"""Least share of a statement's words that its quote has in the same order; then the order of numbers counts."""
_LEAST = 1.0
"""The least weight of the words that tell a number from another."""
_TIMES = 2.0
"""How much more the words of another number must weigh than those of the number itself."""

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
_NUMBERS = frozenset(["number", "unit"])

Bound = Literal["agrees", "crossed"]


class Binding(NamedTuple):
    """What was found about the numbers of a statement, and the crossed number, as the statement writes it."""

    said: Bound | None
    number: str = ""


def binding(statement: str, quote: str) -> Binding:
    """Compare what the numbers of a statement are about with what they are about in the quote.

    `crossed`: a number has the words of another number of the quote. `agrees`: every number that can be told apart has
    its own. None: nothing can be told.
    """
    if moved := _moved(statement, quote):
        return Binding("crossed", moved)
    held = slots(quote)
    places = [
        (slot, [h for h in held if any(a.values & b.values for a in slot.numbers for b in h.numbers)])
        for slot in slots(statement)
    ]
    placed = [(one, found[0]) for one, found in places if len(found) == 1]
    said: list[tuple[Bound | None, Slot]] = []
    for n, (stated, own) in enumerate(placed):
        rest = [(s, h) for s, h in placed[:n] + placed[n + 1 :] if h != own and own.kind == h.kind]
        others = [h for h in held if h != own and own.kind == h.kind]
        said += [(_swapped(stated, own, *other), stated) for other in rest] or [
            (_taken(stated, own, other), stated) for other in others
        ]
    crossed = [stated for bound, stated in said if bound == "crossed"]
    if crossed and not any(bound == "agrees" for bound, stated in said if stated in crossed):
        return Binding("crossed", crossed[0].numbers[0].text)
    if not crossed and any(bound == "agrees" for bound, _ in said):
        return Binding("agrees")
    return Binding(None)


def _moved(statement: str, quote: str) -> str:
    """The first number of a text that repeats its quote with the same numbers in another order; empty if none is."""
    stated, held = (quantities(text) for text in (statement, quote))
    if not stated or not Counter(q.text for q in stated) <= Counter(q.text for q in held):
        return ""
    said = ([token for token in aligned(text) if not token[0].isdigit()] for text in (statement, quote))
    if repetition(*said) < _REPEATED:
        return ""
    for unit in dict.fromkeys(quantity.unit for quantity in stated):
        rest = iter([q.text for q in held if q.unit == unit])
        for quantity in stated:
            if quantity.unit == unit and quantity.text not in rest:
                return quantity.text
    return ""


def _misplaced(statement: str, quotes: Sequence[str]) -> str:
    """The number of a statement that its quotes give for another group or outcome; empty if there is none.

    Only the sentences of the quotes that hold most of the statement's numbers are compared. If any of them has the
    numbers as the statement has them, none is misplaced.
    """
    wanted = frozenset(value for quantity in quantities(statement) for value in quantity.values)
    told = [_in_prose(quote) for quote in quotes]
    texts = dict.fromkeys(quote[a:b] for quote in told for a, b in sentence_spans(quote)) if wanted else {}
    held = {text: len(wanted & {v for q in quantities(text) for v in q.values}) for text in texts}
    most = max(held.values(), default=0)
    found = [binding(statement, text) for text, count in held.items() if most and count == most]
    if any(one.said == "agrees" for one in found):
        return ""
    return next((one.number for one in found if one.said == "crossed"), "")


def _in_prose(quote: str) -> str:
    """A row of a table as a sentence: `Relapse | A: 14 | B: 39` as `Relapse: 14 with A and 39 with B.`"""
    name, *cells = quote.split(ROW)
    told = [f"{value} with {head}" for head, colon, value in (cell.partition(": ") for cell in cells) if colon]
    return f"{name}: {' and '.join(told)}." if told else quote


def _swapped(stated: Slot, own: Slot, beside: Slot, other: Slot) -> Bound | None:
    """Whether two numbers of a statement have their own words, or each the words of the other."""
    straight = _weight(stated.about & own.about - other.all) + _weight(beside.about & other.about - own.all)
    swapped = _weight(stated.about & other.about - own.all) if own.about else 0.0
    swapped += _weight(beside.about & own.about - other.all) if other.about else 0.0
    return _more(straight, swapped)


def _taken(stated: Slot, own: Slot, other: Slot) -> Bound | None:
    """Whether the only number of a statement has the words of another number of the quote, and none of its own."""
    if not own.about:
        return None
    labels = frozenset(stem for stem in stated.about if stem.startswith("label "))  # group A is not group B
    mine = _weight((labels or stated.all) & own.about - other.all)
    theirs = _weight((labels or stated.about) & other.about - own.all)
    return None if mine and theirs else _more(mine, theirs)


def _more(straight: float, swapped: float) -> Bound | None:
    if straight > _TIMES * swapped:
        return "agrees"
    return "crossed" if swapped > max(_TIMES * straight, _LEAST) else None


def _weight(stems: Iterable[str]) -> float:
    return sum(words.weight(stem) for stem in stems)


def misplaced(statement: str, quotes: Sequence[str]) -> str:
    """The first number of a statement that its quotes, the nearest first, give for something else or another time."""
    stated = quantities(statement)
    if not stated or not quotes:
        return ""
    if Pair(statement, quotes[0], quotes[0]).repeats and not _NUMBERS.isdisjoint(differences(statement, quotes[0])):
        return stated[0].text
    if NEGATION.search(statement) or any(listed(statement, quote) for quote in quotes):
        return ""
    values = {value for one in stated for value in one.values}
    timed = [
        _mistimed(statement, quote)
        for quote in quotes
        if any(values & quantity.values for quantity in quantities(quote))
    ]
    return _misplaced(statement, quotes) or (timed[0] if timed and all(timed) else "")


def listed(statement: str, quote: str) -> bool:
    """Whether two numbers stand side by side in a text as they do in a statement: `60 mg and 90 mg`."""
    pairs = pairwise(quantity for quantity in quantities(statement) if not quantity.named)
    runs = (statement[one.start : other.start + len(other.text.split()[0])] for one, other in pairs)
    return any("(" not in run and run in quote for run in runs)  # 14 (7%) is one number


def _mistimed(statement: str, quote: str) -> str:
    """The time at which a statement gives a number that its quote gives for another time; empty if there is none."""
    said, held = _with_times(statement), _with_times(quote)
    for number, time in said:
        theirs = [other for here, other in held if here.values & number.values]
        is_told = any(_is_same_time(one, other) for _, one in said for other in theirs)
        if theirs and not is_told and number.unit in _COUNTED:
            return time.text
    return ""


def other_time(statement: str, quotes: Sequence[str]) -> str:
    """The time at which a statement says that something was found, where its quotes give only others; else empty."""
    said = _when(statement)
    held = [quantity for quote in quotes for quantity in quantities(quote) if quantity.unit in _DAYS]
    told = any(_is_same_time(one, other) for one in said for other in held)
    return said[0].text if said and any(map(_when, quotes)) and not told else ""


def _when(text: str) -> list[Quantity]:
    """The times in a text at which something was measured."""
    return [quantity for quantity in quantities(text) if quantity.unit in _DAYS and _AT.search(text, 0, quantity.start)]


def _is_same_time(one: Quantity, other: Quantity) -> bool:
    return any(
        abs(a - b) <= _NEAR * max(a, b)
        for a in (float(value) * _DAYS[one.unit] for value in one.values)
        for b in (float(value) * _DAYS[other.unit] for value in other.values)
    )


def _with_times(text: str) -> list[tuple[Quantity, Quantity]]:
    """Each number with the time that stands nearest to it."""
    plain = without_asides(text)
    found = [quantity for quantity in quantities(plain) if quantity.measure not in ("p", "n") and not quantity.named]
    times = [one for one in found if one.unit in _DAYS]
    numbers = [one for one in found if one.unit not in _DAYS] if times else []
    return [(number, min(times, key=lambda time: _gap(plain, number, time))) for number in numbers]


def _gap(plain: str, one: Quantity, other: Quantity) -> int:
    """Words between a number and a time, where a mark counts as several."""
    gap = plain[one.end : other.start] if one.end <= other.start else plain[other.end : one.start]
    return len(_WORD.findall(gap)) + _COST * len(_BARRIER.findall(gap))
