"""What code alone sees when a claim is compared with a sentence: numbers, directions, denials, sides."""

import re
from collections.abc import Sequence

from medground.answering.verify.numbers import binding, listed, missing_quantities
from medground.answering.verify.opposition import compared
from medground.answering.verify.overclaim import Overclaim
from medground.answering.verify.rules import Part, broken
from medground.checking.sources import Quote, Source
from medground.language.pattern import lazy_pattern
from medground.language.quantities import COUNT, TIMES, quantities

_COUNTED = frozenset(["", COUNT, *TIMES])
_NAME = lazy_pattern(r"[A-Za-z]+(?:-[a-z]+)?")
_RATE = lazy_pattern(r"(\d+(?:\.\d+)?)\s?(?:/|per\s)\s?(\d[\d,]*)\b")
_ORDINAL = lazy_pattern(r"\b(\d+)(?:st|nd|rd|th)\b")
_LEAST_NAMED = 4
"""The least number in words that a source must have: `two` and `three` count what nobody counted."""


def absent_numbers(claim: str, sources: Sequence[Source]) -> str:
    """The numbers of a claim that its sources have nowhere, in its own words; empty if they have all."""
    texts = [f"{source.document.text}\n{source.document.title}" for source in sources]
    text = "\n".join(texts)
    found = [quantity.text for quantity in missing_quantities(claim, texts)]
    found += [one[0] for one in _ORDINAL.finditer(claim) if not re.search(rf"\b{one[1]}(?!\d)", text)]
    for number, of in _RATE.findall(claim):
        rates = {base.replace(",", "") for other, base in _RATE.findall(text) if other == number}
        found += [f"{number} per {of}"] if rates and of.replace(",", "") not in rates else []
    return ", ".join(dict.fromkeys(found))


def of_other_side(claim: str, quote: Quote) -> bool:
    """Whether a sentence gives the numbers of a claim for the sides of its comparison the other way round."""
    stated = [quantity for quantity in quantities(claim) if not quantity.named and quantity.unit not in TIMES]
    return (
        bool(stated)
        and not missing_quantities(claim, [quote.text])
        and compared(claim, quote.text, quote.document) == "exchanged"
    )


def doubts(claim: str, quote: Quote) -> str:
    """What a claim says beyond a sentence, in words; empty if nothing shows that."""
    found = broken(Part("statement", claim, (quote.text,), (quote.document,)))
    if told_apart := [Overclaim(*one).note for one in found.items() if one[0] not in ("opposite",)]:
        return f"it {told_apart[0]}"
    stated = [quantity for quantity in quantities(claim) if not quantity.named and quantity.unit]
    held = {value for quantity in quantities(f"{quote.text}\n{quote.document.title}") for value in quantity.values}
    measures = (one for one in stated if one.unit not in _COUNTED and not one.about)
    if lost := next((measure.text for measure in measures if held.isdisjoint(measure.values)), ""):
        return f"{lost} stands in another sentence of the source"
    twice = len(stated) > len({one.unit for one in stated}) and not listed(claim, quote.text)
    places = [quote.text.find(one.text.split()[0]) for one in stated if one.unit not in TIMES]
    sure = binding(claim, quote.text).said == "agrees" and places == sorted(places)
    return "whose its numbers are could not be read" if twice and not sure else ""


def in_digits(claim: str) -> str:
    """A claim with its numbers in digits, as the critic and the rules read them better: `fifteen` as 15."""
    for quantity in reversed(quantities(claim)):
        name = _NAME.match(claim, quantity.start, quantity.end)
        if quantity.named and name and len(quantity.values) == 1 and min(quantity.values) >= _LEAST_NAMED:
            claim = f"{claim[: quantity.start]}{min(quantity.values).normalize():f}{claim[name.end() :]}"
    return claim
