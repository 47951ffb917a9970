"""What code alone sees when a claim is compared with a sentence: numbers, directions, denials, sides of a comparison."""

from __future__ import annotations

import re
from collections.abc import Sequence

from medground.answering.verify.arms import Contrast, contrasts, roles_in
from medground.answering.verify.context import meant_by
from medground.answering.verify.numbers import missing_quantities
from medground.answering.verify.polarity import affirms, denies
from medground.answering.verify.rules import Part, broken
from medground.checking.sources import Quote, Source, told
from medground.language import words
from medground.language.pattern import lazy_pattern
from medground.language.quantities import COUNT, TIMES, quantities
from medground.models.operators.differences import DOWN, NEGATION, UP, Pair, differences

_DIFFERS = lazy_pattern(r"\bdiffer(?:s|ed|ences?)?\b|\b(?:dose response|advantage)\b", re.IGNORECASE)
_SMALL_P = lazy_pattern(r"\bp\s?[<=≤]\s?0?[.·]0[0-4]", re.IGNORECASE)
_LARGE_P = lazy_pattern(r"\bp\s?[=>]\s?0?[.·](?:0[5-9]|[1-9])", re.IGNORECASE)
_COUNTED = frozenset(["", COUNT, *TIMES])
_STRAY = 0.5
"""Share of the nearest sentence's likeness below which a sentence is about something else."""
_CLAUSE = lazy_pattern(r"[;:(),]|\b(?:but|although|whereas|while|however|yet)\b", re.IGNORECASE)
_RATE = lazy_pattern(r"(\d+(?:\.\d+)?)\s?(?:/|per\s)\s?(\d[\d,]*)\b")
_ORDINAL = lazy_pattern(r"\b(\d+)(?:st|nd|rd|th)\b")
_LEAST_NAMED = 4
"""The least number in words that a source must have: `two` and `three` count what nobody counted."""
_NUMBERS = frozenset(["number", "unit"])
_TURNED = frozenset(["negation", "direction", "comparison order"])
_MISPLACED = frozenset(["misplaced", "time"])
_REVERSED = frozenset(["reversed", "comparison order", "none"])
_WAYS = {"shorter": "less", "fewer": "less", "slower": "less", "weaker": "less", "faster": "less"}
_WAYS |= {"longer": "more", "stronger": "more"}
_KNOWN = frozenset(["more", "less", "better", "worse"])
_OUTSIDE = frozenset(["outsid", "not", "without"])
"""Stems that make a side another one: children outside the trial are not those in it."""
_SIDE = 0.4
"""Least share of what tells a side from the other, by weight, that names it in a text."""
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
    roles = compared(claim, quote)
    if roles in ("exchanged", "opposite"):
        return "the source compares these the other way round"
    if roles == "same":
        return ""
    both = NEGATION.search(claim) or denies(claim)
    both = both and (UP.search(claim) or DOWN.search(claim))
    if not both and not _REVERSED.isdisjoint(broken(Part("statement", claim, (quote.text,), (quote.document,)))):
        return "the source denies this, or says the opposite"
    affirmed = affirms(claim) or (_DIFFERS.search(claim) and not denies(claim))
    if affirmed and any(_is_null(claim, part, quote) for part in _CLAUSE.split(quote.text)):
        return "the source denies this"
    significant = "significan" in claim and not denies(claim) and not _SMALL_P.search(quote.text)
    return "the source gives a p value that is not significant" if significant and _LARGE_P.search(quote.text) else ""


def _is_null(claim: str, clause: str, quote: Quote) -> bool:
    """Whether a clause says that what a claim is about did not differ or change, and nothing else."""
    if not denies(clause) or UP.search(clause) or DOWN.search(clause):
        return False
    about = frozenset().union(*(one.about for one in contrasts(claim))) or frozenset(told(claim))
    own = words.terms("\n".join([clause, *meant_by(clause, quote.document)]))
    return words.coverage(about, own) >= _SAME


def stray_number(claim: str, near: Quote, sources: Sequence[Source]) -> str:
    """A measure of a claim that stands only in sentences about something else; empty if there is none."""
    for stated in quantities(claim):
        if stated.named or stated.about or stated.unit in _COUNTED:
            continue
        held = [
            quote.share
            for source in sources
            for quote in source.quotes(claim)
            if any(one.values & stated.values for one in quantities(quote.text))
        ]
        if held and max(held) < _STRAY * near.share:
            return stated.text
    return ""


def doubts(claim: str, quote: Quote) -> str:
    """What a claim says beyond a sentence, in one word; empty if nothing shows that."""
    found = broken(Part("statement", claim, (quote.text,), (quote.document,)))
    return next((name for name in found if name not in ("reversed", "comparison order")), "")


def compared(claim: str, quote: Quote) -> str:
    """How the sides of a claim's comparison stand in a sentence: `same`, `exchanged`, `opposite`; empty if unknown."""
    if strict := roles_in(claim, quote.text):
        return strict
    found = {_roles(one, other, quote.stems) for one in contrasts(claim) if one.arm for other in contrasts(quote.text)}
    found -= {""}
    return found.pop() if len(found) == 1 else ""


def compares(claim: str) -> bool:
    """Whether a claim compares two sides, or says that they are alike."""
    return any(one.arm or one.other for one in contrasts(claim))


def _roles(claimed: Contrast, quoted: Contrast, stems: frozenset[str]) -> str:
    """The roles of the sides by the words that tell them apart."""
    own, rest = claimed.arm - claimed.other, claimed.other - claimed.arm
    arm, other = quoted.arm - quoted.other, quoted.other - quoted.arm
    if words.coverage(claimed.about | own | rest, stems) < _SAME:
        return ""
    if claimed.denied and quoted.denied:
        return "same" if words.coverage(own | rest, stems) >= _SAME else ""
    if quoted.kind == "alike":
        return "opposite" if claimed.scale and not claimed.denied and own <= stems else ""
    straight = words.coverage(own, arm), words.coverage(rest, other)
    crossed = words.coverage(own, other), words.coverage(rest, arm)
    is_straight, is_crossed = straight[0] >= _SIDE and not any(crossed), any(crossed) and not straight[0]
    if is_straight == is_crossed:
        return ""
    if own & _OUTSIDE != (arm if is_straight else other) & _OUTSIDE:
        is_straight, is_crossed, crossed = is_crossed, is_straight, (1.0, 1.0)
    if is_crossed and (not crossed[0] or (rest and not crossed[1])):
        return ""
    if claimed.denied or quoted.denied:
        return "opposite" if quoted.denied and claimed.scale and is_straight and not claimed.denied else ""
    ways = [{_WAYS.get(name, name) for name in one.scale} for one in (claimed, quoted)]
    if claimed.kind == quoted.kind == "not" and is_straight and not ways[1]:
        return "same"
    if any(len(way) != 1 for way in ways) or not ways[0] | ways[1] <= _KNOWN:
        return ""
    agrees = ways[0] == ways[1]
    if agrees == is_straight:
        return "same"
    return "exchanged" if is_crossed else "opposite"
