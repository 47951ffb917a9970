"""Is every number of a written sentence, with its unit, in the quotes that the sentence cites?

A number is held by a quote that has the same value with the same unit, sign (`<`, `>`) and measure (`p`, odds ratio,
hazard ratio, relative risk). It may be rounded where the sentence says so: `about 12 %` for 11.8 %. Small numbers in
words count only with a unit: `three weeks` is a quantity, `three reasons` are not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from medground.text.quantities import Quantity, quantities
from medground.text.units import COUNT, POINTS, TIMES, same_unit

__all__ = ["QUANTITY", "Quantity", "missing_quantities"]

QUANTITY = "quantity"
"""The flag of a sentence with a number that no source which it cites contains."""
_ROUNDED = Decimal("0.05")
"""The most that a rounded number may differ from the real one, as a share of it."""
_PURE = ("p", "or", "hr", "rr")
"""Measures that have no unit."""
_IMPLIED = {COUNT, POINTS, "year"}
"""Units that a source may leave unsaid: a score, a number of patients, an age."""


def missing_quantities(sentence: str, quotes: Sequence[str]) -> tuple[Quantity, ...]:
    """The quantities of a sentence that none of its quotes holds, in order.

    Args:
        sentence: a written sentence.
        quotes: the texts that it may take numbers from.
    """
    stated = [q for q in quantities(sentence) if not q.named or (q.unit and not q.shared)]
    held = [q for quote in quotes for q in quantities(quote)] if stated else []
    units = {q.unit for q in held if q.unit}
    return tuple(q for q in stated if not any(_holds(h, q, units) for h in held) and not _is_in_name(q, quotes))


def _is_in_name(stated: Quantity, quotes: Sequence[str]) -> bool:
    """Whether a number is part of a name in a quote, such as that of `Smc2`, or of a day: `d7` and `7th day`."""
    number = re.escape(stated.text.partition(" ")[0])
    if stated.unit in TIMES:
        name = re.compile(rf"\b{stated.unit[0]}{number}\b|\b{number}(?:st|nd|rd|th) {stated.unit}", re.IGNORECASE)
    elif stated.unit or stated.measure or stated.relation:
        return False
    else:
        name = re.compile(rf"(?:(?<=[A-Za-z])|(?<=[A-Za-z]-)){number}(?!\d)")
    return any(name.search(quote) for quote in quotes)


def _holds(held: Quantity, stated: Quantity, units: set[str]) -> bool:
    if not _same_value(held, stated) or {held.relation, stated.relation} == {"<", ">"}:
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


def _same_value(held: Quantity, stated: Quantity) -> bool:
    if not held.values.isdisjoint(stated.values):
        return True
    return stated.about and any(_rounds_to(one, other) for one in held.values for other in stated.values)


def _rounds_to(value: Decimal, stated: Decimal) -> bool:
    """Whether a number rounded to as many digits as another one has is that one: 478 for 500 and 11.8 for 12."""
    step = Decimal(1).scaleb(int(stated.normalize().as_tuple().exponent))
    return abs(value - stated) <= min(step / 2, abs(value) * _ROUNDED)
