"""Which way a quote says that an outcome goes: higher, lower, or neither."""

import re
from collections.abc import Sequence

from medground.answering.verify.arms import roles_in
from medground.answering.verify.polarity import denies, nearest
from medground.models.operators.differences import DOUBT, DOWN, UP, Pair, order

_DECIMAL = r"(\d+[.·]\d+)"
_RATIO = re.compile(
    rf"(?i)\b(?:[ROH]R|ratio|relative risk)\b[^\d.;]{{0,20}}{_DECIMAL}"
    rf"(?:[^.;]{{0,20}}?(?:CI|interval)\W{{0,5}}{_DECIMAL}\W{{0,3}}(?:to\W)?{_DECIMAL})?"
)
"""A ratio of the first side to the second, with the limits of its confidence interval."""


def told_otherwise(answer: str, higher: str, quotes: Sequence[str]) -> str:
    """The nearest quote where none goes the way that an answer says; empty if one does.

    Where the answer is `uncertain`, some quote must leave it open, or two must go different ways.

    Args:
        answer: `higher`, `lower`, `no difference` or `uncertain`.
        higher: the statement that the answer `higher` would make.
        quotes: what is cited, the nearest first.
    """
    ways = [way_of(higher, quote) for quote in quotes]
    if answer != "uncertain":
        return "" if answer in ways else quotes[0]
    is_open = len(set(ways)) > 1 or None in ways or any(map(DOUBT.search, quotes))
    return "" if is_open else quotes[0]


def way_of(higher: str, quote: str) -> str | None:
    """Which way a quote says that an outcome goes; None if it cannot be read.

    Args:
        higher: a statement such as "pain is higher with zinc than with placebo".
    """
    near = nearest(higher, quote)
    pair = Pair(higher, near, near)
    if denies(pair.clause):
        return "no difference"
    if roles := roles_in(higher, near):
        return "higher" if roles == "same" else "lower"
    rises, falls = (bool(way.search(pair.clause)) for way in (UP, DOWN))
    if rises != falls:
        return "higher" if rises != order(pair) else "lower"
    told = _of_ratio(near)
    return {"higher": "lower", "lower": "higher"}.get(told or "", told) if order(pair) else told


def _of_ratio(text: str) -> str | None:
    found = _RATIO.search(text)
    if found is None:
        return None
    ratio, *limits = (float(number.replace("·", ".")) for number in found.groups() if number)
    if limits and limits[0] <= 1 <= limits[-1]:
        return "no difference"
    return None if ratio == 1 else "higher" if ratio > 1 else "lower"
