"""Which of two sides, or which way, a quote has for what a statement says is larger, smaller, longer or better."""

import re
from decimal import Decimal

from medground.answering.verify.arms import OPPOSITE, about_of, contrasts, roles_in, scale_of
from medground.answering.verify.polarity import clause_on, denies, nearest
from medground.language import words
from medground.language.quantities import PERCENT, quantities
from medground.language.slots import Slot, slots, stems
from medground.models.operators.differences import DOWN, Pair, order

_PHRASE = re.compile(r"[,;()]|\b(?:and|or)\b")
_CHANGE = re.compile(r"[-−–]\s?\d")
_MORE, _LESS = {"more", "longer"}, {"less", "shorter"}
_LEAST = 0.5
"""Minimum share of a statement's words, by weight, in a clause that is on the same thing."""


def exchanged(statement: str, quote: str) -> bool:
    """Whether a quote has the sides of a statement's comparison the other way round, or says the opposite of them."""
    near = nearest(statement, quote)
    if roles := roles_in(statement, near):
        return roles != "same"
    stated = scale_of(statement)
    return bool(stated) and stated == scale_of(_phrase(statement, near)) and order(Pair(statement, near, near))


def turned(statement: str, quote: str) -> str:
    """The clause of a quote that says the opposite direction of what a statement says of the same thing; else empty."""
    clause = clause_on(statement, quote)
    said, numbers, phrase = about_of(statement), _values(statement), _phrase(statement, clause)
    stated, held = scale_of(statement), scale_of(phrase)
    opposite = {OPPOSITE[name] for name in stated if name in OPPOSITE} - stated
    if opposite.isdisjoint(held) or stated & held or denies(statement) or denies(clause):
        return ""
    if order(Pair(statement, clause, clause)) or roles_in(statement, clause) == "same":
        return ""
    is_on_it = words.coverage(said, words.terms(clause)) >= _LEAST or not numbers.isdisjoint(_values(phrase))
    return clause if is_on_it else ""


def _phrase(statement: str, clause: str) -> str:
    """The part of a list in a clause that holds most of what a statement is about."""
    said = about_of(statement)
    return max(_PHRASE.split(clause), key=lambda part: words.coverage(said, words.terms(part)))


def _values(text: str) -> frozenset[Decimal]:
    return frozenset(value for one in quantities(text) if one.unit for value in one.values)


def outnumbered(statement: str, quote: str) -> str:
    """The numbers of a quote that make the other side of a statement's comparison the larger one; empty if none do."""
    if _CHANGE.search(quote) or DOWN.search(quote):
        return ""  # the larger change may be the smaller value
    held, named = slots(quote), stems(quote)
    for one in contrasts(statement):
        way = len(one.scale & _MORE) - len(one.scale & _LESS)
        if (
            way
            and one.kind in ("than", "alone")
            and not (one.denied or one.joined)
            and words.coverage(one.about, named) >= _LEAST
        ):
            arm, other = one.arm - one.other, one.other - one.arm
            for kind in sorted({slot.kind for slot in held}, key=lambda kind: kind != PERCENT):
                sides = [slot for slot in held if slot.kind == kind]
                mine = [slot for slot in sides if slot.about & arm and not slot.about & other]
                rest = [slot for slot in sides if slot not in mine and (slot.about & other or not other)]
                if mine and rest:
                    less, more = (mine, rest) if way > 0 else (rest, mine)
                    is_turned = max(map(_value, less)) < min(map(_value, more))
                    return " and ".join(slot.numbers[0].text for slot in (*mine, *rest)) if is_turned else ""
    return ""


def _value(slot: Slot) -> Decimal:
    return max(slot.numbers[0].values)
