"""Whether a source says the opposite of a statement: denies it, turns it, or has its sides reversed; and which way it
says that an outcome goes: higher, lower, or neither.
"""

import re
from collections.abc import Sequence
from decimal import Decimal

from medground.answering.verify.arms import OPPOSITE, about_of, contrasts, roles_in, scale_of
from medground.answering.verify.context import meant_by
from medground.answering.verify.polarity import clause_on, denies, is_by_chance, nearest, turns_round
from medground.language import words
from medground.language.pattern import lazy_pattern
from medground.language.quantities import PERCENT, quantities
from medground.language.slots import Slot, slots, stems
from medground.models.operators.differences import DOUBT, DOWN, NEGATION, UP, Pair, differences, order
from medground.values.document import Document

_CLAUSE = lazy_pattern(r"[;:(),]|\b(?:but|although|whereas|while|however|yet)\b", re.IGNORECASE)
_SHORT = lazy_pattern(r"\b[A-Z]{2,}s?\b")
_DENIED = 0.8
"""Least share of a denying clause in a statement that it denies."""
_SAME = 0.5
"""Least share of what is compared, by weight, in a clause that is about the same."""
_TURNED = frozenset(["negation", "direction", "comparison order"])
_PHRASE = re.compile(r"[,;()]|\b(?:and|or)\b")
_CHANGE = re.compile(r"[-−–]\s?\d")
_MORE, _LESS = {"more", "longer"}, {"less", "shorter"}


def compared(statement: str, quote: str, document: Document) -> str:
    """How the sides of a comparison stand in a sentence: `same`, `exchanged`, `opposite`; empty where unknown."""
    return roles_in(statement, quote, stems=_read(quote, document)) or ""


def _read(text: str, document: Document) -> frozenset[str]:
    """The stems of a text, and of what its abbreviations stand for."""
    return frozenset(words.terms("\n".join([text, *meant_by(text, document)])))


def opposed(statement: str, quote: str, document: Document) -> str:
    """Why a sentence of a document says the opposite of a statement; empty if nothing shows that."""
    if roles_in(statement, quote) == "same":
        return ""
    if Pair(statement, quote, quote).repeats and not _TURNED.isdisjoint(differences(statement, quote)):
        return "it repeats this sentence with the opposite meaning"
    both = (NEGATION.search(statement) or denies(statement)) and (UP.search(statement) or DOWN.search(statement))
    roles = compared(statement, quote, document)
    if roles == "exchanged" or (roles == "opposite" and not both):
        return "the source compares these the other way round"
    if roles == "same":
        return ""
    if turns_round(statement, quote):
        return "the source denies this"
    if not NEGATION.search(statement) and any(_is_denied(statement, one, document) for one in _CLAUSE.split(quote)):
        return "the source denies this"
    if "significan" in statement and not denies(statement) and is_by_chance(quote):
        return "the source gives a p value that is not significant"
    if _is_turned(statement, quote) or _outnumbered(statement, quote):
        return "the source says the opposite direction"
    return ""


def _is_denied(statement: str, clause: str, document: Document) -> bool:
    """Whether a clause denies something in the words of a statement that denies nothing."""
    own = [term for term in words.terms(_SHORT.sub(" ", NEGATION.sub(" ", clause))) if not term[0].isdigit()]
    known = words.terms("\n".join([statement, *meant_by(clause, document)]))
    return bool(NEGATION.search(clause)) and len(own) > 1 and words.coverage(own, known) >= _DENIED


def _is_turned(statement: str, quote: str) -> bool:
    """Whether the clause on what a statement is about says the opposite direction of it."""
    clause = clause_on(statement, quote)
    said, phrase = about_of(statement), _phrase(statement, clause)
    stated, held = scale_of(statement), scale_of(phrase)
    opposite = {OPPOSITE[name] for name in stated if name in OPPOSITE} - stated
    if opposite.isdisjoint(held) or stated & held or denies(statement) or denies(clause):
        return False
    if order(Pair(statement, clause, clause)) or roles_in(statement, clause) == "same":
        return False
    return words.coverage(said, words.terms(clause)) >= _SAME or not _values(statement).isdisjoint(_values(phrase))


def _phrase(statement: str, clause: str) -> str:
    """The part of a list in a clause that holds most of what a statement is about."""
    said = about_of(statement)
    return max(_PHRASE.split(clause), key=lambda part: words.coverage(said, words.terms(part)))


def _values(text: str) -> frozenset[Decimal]:
    return frozenset(value for quantity in quantities(text) if quantity.unit for value in quantity.values)


def _outnumbered(statement: str, quote: str) -> bool:
    """Whether the numbers of a quote make the other side of a statement's comparison the larger one."""
    if _CHANGE.search(quote) or DOWN.search(quote):
        return False  # the larger change may be the smaller value
    held, named = slots(quote), stems(quote)
    for contrast in contrasts(statement):
        way = len(contrast.scale & _MORE) - len(contrast.scale & _LESS)
        if way > 0 and DOWN.search(statement):  # more of a fall
            continue
        if not way or contrast.kind not in ("than", "alone") or contrast.denied or contrast.joined:
            continue
        arm, other = contrast.arm - contrast.other, contrast.other - contrast.arm
        for kind in sorted({slot.kind for slot in held}, key=lambda kind: kind != PERCENT):
            sides = [slot for slot in held if slot.kind == kind]
            mine = [slot for slot in sides if slot.about & arm and not slot.about & other]
            rest = [slot for slot in sides if slot not in mine and (slot.about & other or not other)]
            if mine and rest and words.coverage(contrast.about, named) >= _SAME:
                less, more = (mine, rest) if way > 0 else (rest, mine)
                return max(map(_value, less)) < min(map(_value, more))
    return False


def _value(slot: Slot) -> Decimal:
    return max(slot.numbers[0].values)


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
