"""Does a number belong to the same group and outcome in a statement as in the quote?

A writer that copies two numbers in the wrong order gives `12 % with placebo and 30 % with the drug` for the reverse:
every number is in the source, and the statement is false. The words around each number (`text.slots`) are compared. A
number whose words are those of another number of the quote is crossed. Words cannot prove more than that: synonyms and
free wording are no difference, so nothing is said about most of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from medground.operators.keyless.flags.pair import aligned, repetition
from medground.text import words
from medground.text.quantities import quantities
from medground.text.sentences import sentence_spans
from medground.text.slots import Slot, slots

_REPEATED = 0.8
"""Least share of a statement's words that its quote has in the same order; then the order of numbers counts."""
_LEAST = 1.0
"""The least weight of the words that tell a number from another."""
_TIMES = 2.0
"""How much more the words of another number must weigh than those of the number itself."""

Bound = Literal["agrees", "crossed"]


@dataclass(frozen=True)
class Binding:
    """What was found about the numbers of a statement.

    Attributes:
        said: `crossed` if a number has the words of another number of the quote; `agrees` if every number that can be
            told apart has its own; None if nothing can be told.
        number: the crossed number, as the statement writes it; empty if none is.
    """

    said: Bound | None
    number: str = ""


def binding(statement: str, quote: str) -> Binding:
    """Compare what the numbers of a statement are about with what they are about in the quote."""
    if moved := _moved(statement, quote):
        return Binding("crossed", moved)
    held = slots(quote)
    places = [(one, [h for h in held if _same(one, h)]) for one in slots(statement)]
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
    return Binding("agrees") if not crossed and any(bound == "agrees" for bound, _ in said) else Binding(None)


def _moved(statement: str, quote: str) -> str:
    """The first number of a text that repeats its quote with the same numbers in another order; empty if none is."""
    stated, held = (quantities(text) for text in (statement, quote))
    if not stated or not Counter(q.text for q in stated) <= Counter(q.text for q in held):
        return ""
    if repetition(_words(statement), _words(quote)) < _REPEATED:
        return ""
    for unit in dict.fromkeys(quantity.unit for quantity in stated):
        rest = iter([q.text for q in held if q.unit == unit])
        for quantity in stated:
            if quantity.unit == unit and quantity.text not in rest:
                return quantity.text
    return ""


def _words(text: str) -> list[str]:
    return [token for token in aligned(text) if not token[0].isdigit()]


def misplaced_number(statement: str, quotes: Sequence[str]) -> str:
    """The number of a statement that its quotes give for another group or outcome; empty if there is none.

    Only the sentences of the quotes that hold most of the statement's numbers are compared. If any of them has the
    numbers as the statement has them, none is misplaced.

    Args:
        statement: a written statement.
        quotes: what it cites.
    """
    wanted = frozenset(value for quantity in quantities(statement) for value in quantity.values)
    texts = dict.fromkeys(quote[a:b] for quote in quotes for a, b in sentence_spans(quote)) if wanted else {}
    held = {text: len(wanted & {v for q in quantities(text) for v in q.values}) for text in texts}
    most = max(held.values(), default=0)
    found = [binding(statement, text) for text, count in held.items() if most and count == most]
    if any(one.said == "agrees" for one in found):
        return ""
    return next((one.number for one in found if one.said == "crossed"), "")


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
    mine, theirs = _weight(stated.all & own.about - other.all), _weight(stated.about & other.about - own.all)
    return None if mine and theirs else _more(mine, theirs)


def _more(straight: float, swapped: float) -> Bound | None:
    if straight > _TIMES * swapped:
        return "agrees"
    return "crossed" if swapped > max(_TIMES * straight, _LEAST) else None


def _same(one: Slot, other: Slot) -> bool:
    return any(a.values & b.values for a in one.numbers for b in other.numbers)


def _weight(stems: Iterable[str]) -> float:
    return sum(words.weight(stem) for stem in stems)
