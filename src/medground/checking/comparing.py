"""What code alone sees when a claim is compared with a sentence: numbers, directions, denials, sides of a comparison."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from medground.answering.verify.arms import Contrast, contrasts, roles_in
from medground.answering.verify.numbers import missing_quantities
from medground.answering.verify.polarity import affirms, denies
from medground.answering.verify.rules import Part, broken
from medground.checking.sources import Quote, Source
from medground.language import words
from medground.language.pattern import lazy_pattern
from medground.language.quantities import quantities
from medground.models.operators.differences import DOWN, NEGATION, UP, Pair, differences

_RATE = lazy_pattern(r"(\d+(?:\.\d+)?)\s?(?:/|per\s)\s?(\d[\d,]*)\b")
_ORDINAL = lazy_pattern(r"\b(\d+)(?:st|nd|rd|th)\b")
_LEAST_NAMED = 4
"""The least number in words that a source must have: `two` and `three` count what nobody counted."""
_NUMBERS = frozenset(["number", "unit"])
_TURNED = frozenset(["negation", "direction", "comparison order"])
_MISPLACED = frozenset(["misplaced", "time"])
_REVERSED = frozenset(["reversed", "comparison order", "none"])
_SAME = 0.5
"""Least share of what a comparison is about, by weight, that another one has, to be about the same."""


def absent_numbers(claim: str, sources: Sequence[Source]) -> str:
    """The numbers of a claim that its sources have nowhere, in its own words; empty if they have all."""
    texts = [part for source in sources for part in (source.document.text, source.document.title)]
    text = "\n".join(texts)
    held = {value for one in quantities(text) for value in one.values}
    found = [one.text for one in missing_quantities(claim, texts)]
    found += [one.text for one in quantities(claim) if one.named and min(one.values) >= _LEAST_NAMED and held.isdisjoint(one.values)]
    found += [one[0] for one in _ORDINAL.finditer(claim) if not re.search(rf"\b{one[1]}\b|\b{one[1]}(?:st|nd|rd|th)", text)]
    for number, of in _RATE.findall(claim):
        rates = {base.replace(",", "") for other, base in _RATE.findall(text) if other == number}
        found += [f"{number} per {of}"] if rates and of.replace(",", "") not in rates else []
    return ", ".join(dict.fromkeys(found))


def misplaced(claim: str, quote: Quote) -> str:
    """Why a number of a claim is not what a sentence gives for it; empty if nothing shows that."""
    pair = Pair(claim, quote.text, quote.text)
    if pair.repeats and not _NUMBERS.isdisjoint(differences(claim, quote.text)):
        return "it repeats this sentence with other numbers"
    found = broken(Part("statement", claim, (quote.text,), (quote.document,)))
    names = [word for name, word in found.items() if name in _MISPLACED]
    return f"the source gives {names[0]} for something else" if names else ""


def opposed(claim: str, quote: Quote) -> str:
    """Why a sentence says the opposite of a claim; empty if nothing shows that."""
    pair, found = Pair(claim, quote.text, quote.text), set(differences(claim, quote.text))
    if pair.repeats and found & _TURNED:
        return "it repeats this sentence with the opposite meaning"
    roles = compared(claim, quote.text)
    if roles in ("exchanged", "opposite"):
        return "the source compares these the other way round"
    if roles == "same":
        return ""
    if not _REVERSED.isdisjoint(broken(Part("statement", claim, (quote.text,), (quote.document,)))):
        return "the source denies this, or says the opposite"
    affirmed = affirms(claim) and denies(quote.text) and not (UP.search(quote.text) or DOWN.search(quote.text))
    return "the source denies this" if affirmed else ""


def doubts(claim: str, quote: Quote) -> str:
    """What a claim says beyond a sentence, in one word; empty if nothing shows that."""
    found = broken(Part("statement", claim, (quote.text,), (quote.document,)))
    return next((name for name in found if name not in ("reversed", "comparison order")), "")


def compared(claim: str, text: str) -> str:
    """How the sides of a claim's comparison stand in a sentence: `same`, `exchanged`, `opposite`; empty if unknown."""
    if strict := roles_in(claim, text):
        return strict
    found = {_roles(one, other) for one in contrasts(claim) if one.arm for other in contrasts(text)} - {""}
    return found.pop() if len(found) == 1 else ""


def compares(claim: str) -> bool:
    """Whether a claim compares two sides, or says that they are alike."""
    return any(one.arm or one.other for one in contrasts(claim))


_LESS = {"shorter": "less", "fewer": "less", "slower": "less", "weaker": "less", "longer": "more", "stronger": "more", "faster": "less"}


def _roles(claimed: Contrast, quoted: Contrast) -> str:
    """The roles of the sides by the words that tell them apart."""
    own, rest = claimed.arm - claimed.other, claimed.other - claimed.arm
    about = claimed.about | own | rest
    if words.coverage(about, quoted.about | quoted.arm | quoted.other) < _SAME:
        return ""
    straight = words.coverage(own, quoted.arm - quoted.other) + words.coverage(rest, quoted.other - quoted.arm)
    crossed = words.coverage(own, quoted.other - quoted.arm) + words.coverage(rest, quoted.arm - quoted.other)
    if straight == crossed or claimed.denied != quoted.denied:
        return ""
    scales = [{_LESS.get(name, name) for name in one.scale} & {"more", "less", "better", "worse"} for one in (claimed, quoted)]
    if len(scales[0]) != 1 or len(scales[1]) != 1:
        return ""
    if (scales[0] == scales[1]) == (straight > crossed):
        return "same"
    return "exchanged" if crossed > straight else "opposite"
