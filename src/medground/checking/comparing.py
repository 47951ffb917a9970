"""What code alone sees when a claim is compared with a sentence: numbers, directions, denials, sides."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from medground.answering.verify.arms import compares, contrasts, is_denied, roles_in
from medground.answering.verify.context import meant_by
from medground.answering.verify.numbers import binding, misplaced_number, missing_quantities
from medground.answering.verify.overclaim import Overclaim
from medground.answering.verify.polarity import affirms, denies
from medground.answering.verify.rules import Part, broken
from medground.answering.verify.times import mistimed
from medground.checking.sources import Quote, Source, told
from medground.language import words
from medground.language.pattern import lazy_pattern
from medground.language.quantities import COUNT, TIMES, quantities
from medground.models.operators.differences import DENIED, DOWN, NEGATION, UP, Pair, differences

_DIFFERS = lazy_pattern(r"\bdiffer(?:s|ed|ences?)?\b|\b(?:dose response|advantage)\b", re.IGNORECASE)
_SMALL_P = lazy_pattern(r"\bp\s?[<=≤]\s?0?[.·]0[0-4]", re.IGNORECASE)
_LARGE_P = lazy_pattern(r"\bp\s?[=>]\s?0?[.·](?:0[5-9]|[1-9])", re.IGNORECASE)
_COUNTED = frozenset(["", COUNT, *TIMES])
_CLAUSE = lazy_pattern(r"[;:(),]|\b(?:but|although|whereas|while|however|yet)\b", re.IGNORECASE)
_SAME_IN_BOTH = lazy_pattern(r"\b(?:no (?:\w+ ){0,3}differ|not differ)", re.IGNORECASE)
_DENIED = 0.8
"""Least share of a denying clause in a claim that it denies."""
_FEW = 1
_NAME = lazy_pattern(r"[A-Za-z]+(?:-[a-z]+)?")
_SHORT = lazy_pattern(r"\b[A-Z]{2,}s?\b")
_RATE = lazy_pattern(r"(\d+(?:\.\d+)?)\s?(?:/|per\s)\s?(\d[\d,]*)\b")
_ORDINAL = lazy_pattern(r"\b(\d+)(?:st|nd|rd|th)\b")
_LEAST_NAMED = 4
"""The least number in words that a source must have: `two` and `three` count what nobody counted."""
_NUMBERS = frozenset(["number", "unit"])
_TURNED = frozenset(["negation", "direction", "comparison order"])
_SAME = 0.5
"""Least share of what a comparison is about, by weight, that a denial has, to be about the same."""


def absent_numbers(claim: str, sources: Sequence[Source]) -> str:
    """The numbers of a claim that its sources have nowhere, in its own words; empty if they have all."""
    texts = [f"{one.document.text}\n{one.document.title}" for one in sources]
    text = "\n".join(texts)
    found = [one.text for one in missing_quantities(claim, texts)]
    found += [one[0] for one in _ORDINAL.finditer(claim) if not re.search(rf"\b{one[1]}(?!\d)", text)]
    for number, of in _RATE.findall(claim):
        rates = {base.replace(",", "") for other, base in _RATE.findall(text) if other == number}
        found += [f"{number} per {of}"] if rates and of.replace(",", "") not in rates else []
    return ", ".join(dict.fromkeys(found))


def misplaced(claim: str, near: Sequence[Quote]) -> str:
    """Why a number of a claim is not what the nearest sentences give for it; empty if nothing shows that."""
    pair = Pair(claim, near[0].text, near[0].text)
    if pair.repeats and not _NUMBERS.isdisjoint(differences(claim, near[0].text)):
        return "it repeats this sentence with other numbers"
    texts = [quote.text for quote in near]
    if NEGATION.search(claim) or any(_listed(claim, text) for text in texts):
        return ""
    values = {value for one in quantities(claim) for value in one.values}
    timed = [mistimed(claim, text) for text in texts if any(values & one.values for one in quantities(text))]
    number = misplaced_number(claim, texts) or (timed[0] if timed and all(timed) else "")
    return f"the source gives {number} for something else" if number else ""


def of_other_side(claim: str, quote: Quote) -> bool:
    """Whether a sentence gives the numbers of a claim for the sides of its comparison the other way round."""
    stated = [one for one in quantities(claim) if not one.named and one.unit not in TIMES]
    return bool(stated) and not missing_quantities(claim, [quote.text]) and compared(claim, quote) == "exchanged"


def names_no_outcome(claim: str, near: Sequence[Quote], sources: Sequence[Source]) -> bool:
    """Whether a claim is about an outcome of patients, such as death, of which its sources have no word."""
    read = tuple(f"{source.document.title}\n{source.document.text}" for source in sources)
    quotes, papers = tuple(quote.text for quote in near), tuple(quote.document for quote in near)
    return "outcome" in broken(Part("statement", claim, quotes, papers, read))


def _listed(claim: str, text: str) -> bool:
    """Whether two numbers stand side by side in a text as they do in a claim: `60 mg and 90 mg`."""
    pairs = pairwise(one for one in quantities(claim) if not one.named)
    return any(claim[one.start : other.start + len(other.text.split()[0])] in text for one, other in pairs)


def opposed(claim: str, quote: Quote) -> str:
    """Why a sentence says the opposite of a claim; empty if nothing shows that."""
    pair, found = Pair(claim, quote.text, quote.text), set(differences(claim, quote.text))
    if pair.repeats and found & _TURNED:
        return "it repeats this sentence with the opposite meaning"
    both = (NEGATION.search(claim) or denies(claim)) and (UP.search(claim) or DOWN.search(claim))
    roles = compared(claim, quote)
    if roles == "exchanged" or (roles == "opposite" and not both):
        return "the source compares these the other way round"
    if roles == "same":
        return ""
    if not NEGATION.search(claim) and any(_is_denied(claim, part, quote) for part in _CLAUSE.split(quote.text)):
        return "the source denies this"
    affirmed = affirms(claim) or (_DIFFERS.search(claim) and not denies(claim))
    if affirmed and any(_is_null(claim, part, quote) for part in _CLAUSE.split(quote.text)):
        return "the source denies this"
    significant = "significan" in claim and not denies(claim) and not _SMALL_P.search(quote.text)
    return "the source gives a p value that is not significant" if significant and _LARGE_P.search(quote.text) else ""


def _is_null(claim: str, clause: str, quote: Quote) -> bool:
    """Whether a clause says that what a claim is about did not differ or change, and nothing else."""
    alike = not DENIED.search(clause) or _SAME_IN_BOTH.search(clause)
    if not is_denied(clause) or (alike and not (compares(claim) or _DIFFERS.search(claim))):
        return False
    if not _SAME_IN_BOTH.search(clause) and (UP.search(clause) or DOWN.search(clause)):
        return False
    about = [stem for one in contrasts(claim) for stem in one.about if not stem[0].isdigit()] or told(claim)
    own = words.terms("\n".join([clause, *meant_by(clause, quote.document)]))
    return words.coverage(about, own) >= _SAME


def _is_denied(claim: str, clause: str, quote: Quote) -> bool:
    """Whether a clause denies something in the words of a claim that denies nothing."""
    own = told(_SHORT.sub(" ", NEGATION.sub(" ", clause)))
    known = words.terms("\n".join([claim, *(long for long in meant_by(quote.text, quote.document))]))
    return bool(NEGATION.search(clause)) and len(own) > _FEW and words.coverage(own, known) >= _DENIED


def doubts(claim: str, quote: Quote) -> str:
    """What a claim says beyond a sentence, in words; empty if nothing shows that."""
    found = broken(Part("statement", claim, (quote.text,), (quote.document,)))
    if told_apart := [Overclaim(*one).note for one in found.items() if one[0] not in ("reversed", "comparison order")]:
        return f"it {told_apart[0]}"
    stated = [one for one in quantities(claim) if not one.named and one.unit]
    held = {value for one in quantities(f"{quote.text}\n{quote.document.title}") for value in one.values}
    measures = (one for one in stated if one.unit not in _COUNTED and not one.about)
    if lost := next((one.text for one in measures if held.isdisjoint(one.values)), ""):
        return f"{lost} stands in another sentence of the source"
    twice = len(stated) > len({one.unit for one in stated}) and not _listed(claim, quote.text)
    places = [quote.text.find(one.text.split()[0]) for one in stated if one.unit not in TIMES]
    sure = binding(claim, quote.text).said == "agrees" and places == sorted(places)
    return "whose its numbers are could not be read" if twice and not sure else ""


def in_digits(claim: str) -> str:
    """A claim with its numbers in digits, as the critic and the rules read them better: `fifteen` as 15."""
    for one in reversed(quantities(claim)):
        name = _NAME.match(claim, one.start, one.end)
        if one.named and name and len(one.values) == 1 and min(one.values) >= _LEAST_NAMED:
            claim = f"{claim[: one.start]}{min(one.values).normalize():f}{claim[name.end() :]}"
    return claim


def compared(claim: str, quote: Quote) -> str:
    """How the sides of a claim's comparison stand in a sentence: `same`, `exchanged`, `opposite`; empty if unknown."""
    return roles_in(claim, quote.text, stems=quote.stems) or ""
