"""What published errata say of the papers that they correct, and which number of a quote they change."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from medground.language.quantities import quantities, same_unit
from medground.pubmed.characters import letters_of
from medground.values.document import Document
from medground.values.identifiers import papers_named

_SHORTEST = 12
"""Letters of a title that is found in another."""
_SAME = 0.6
"""Least share of a quote's words that an erratum repeats in order where it prints the sentence anew."""
_CONTRAST = re.compile(
    r"^\W+(?:but |and )?(?:not|instead of|rather than|it (?:was|is)|(?:should|must) (?:be|read|have)|"
    r"(?:the )?(?:correct|actual|true|right)\w*)\b[^.;]{0,50}$",
    re.IGNORECASE,
)
"""What stands between a wrong number and the right one, or the other way round."""


def of_paper(title: str, paper: Sequence[str], errata: Sequence[Document]) -> Iterator[Document]:
    """The errata that name a paper, by an id or by its title."""
    own = letters_of(title)
    for erratum in errata:
        if names_paper(erratum, paper) or (len(own) >= _SHORTEST and own in letters_of(erratum.title)):
            yield erratum


def names_paper(record: Document, paper: Sequence[str]) -> bool:
    """Whether the links of a record name a paper by one of its ids."""
    said = (value for values in record.metadata.values() for value in values)
    return any(not set(paper).isdisjoint(names) for text in said for names in papers_named(text).values())


def corrected_number(quote: str, said: str) -> tuple[str, str] | None:
    """The number that an erratum puts in place of one of a quote, and that one; None if it cannot be told.

    >>> corrected_number("Weight fell by 14.2 kg.", "The loss was given as 14.2 kg; it was 4.2 kg.")
    ('4.2 kg', '14.2 kg')
    """
    return _printed_anew(quote, said) or _named(quote, said)


def _printed_anew(quote: str, said: str) -> tuple[str, str] | None:
    """By the sentence itself, which the erratum prints with another number at the same place."""
    old, new = quote.split(), said.split()
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    if sum(end - start for step, start, end, *_ in steps if step == "equal") < _SAME * len(old):
        return None
    changed = [
        (_quantity(said, new[place]), _quantity(quote, old[start]))
        for step, start, end, place, last in steps
        if step == "replace" and end - start == last - place == 1
    ]
    found = [(right, wrong) for right, wrong in changed if right and wrong]
    return found[0] if len(found) == 1 else None


def _quantity(text: str, word: str) -> str:
    """The quantity of a text that this word begins; empty if none does."""
    word = word.strip(".,;:()")
    return next((found.text for found in quantities(text) if found.text.split()[0] == word), "")


def _named(quote: str, said: str) -> tuple[str, str] | None:
    """By both numbers, which the erratum sets against each other."""
    values = [found.values for found in quantities(quote)]
    found = set[tuple[str, str]]()
    for one, other in pairwise(quantities(said)):
        if same_unit(one.unit, other.unit) and _CONTRAST.search(said[one.end : other.start]):
            right, wrong = (other, one) if one.values in values else (one, other)
            if wrong.values in values and right.values not in values:
                found.add((right.text, wrong.text))
    return found.pop() if len(found) == 1 else None
