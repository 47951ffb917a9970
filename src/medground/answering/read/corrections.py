"""What published errata say of the papers that they correct, and which number of a quote they change."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from medground.language import words
from medground.language.quantities import quantities, same_unit
from medground.pubmed.characters import letters_of
from medground.values.document import Document
from medground.values.identifiers import papers_named

_SHORTEST = 12
"""Letters of a title that is found in another."""
_SAME = 0.6
"""Least share of a quote's words, by weight, that an erratum repeats where it prints the sentence anew."""
_CONTRAST = re.compile(
    r"(?i)^\W+(?:but |and )?(?:(?:not|instead of|rather than)\s(?:of |as |by |the )*\W*|(?:it (?:was|is)|"
    r"(?:should|must) (?:be|read|have)|(?:the )?(?:correct|actual|true|right)\w*)\b[^.;]{0,50})$"
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

    Both stand in the erratum, set against each other, or it prints the sentence anew with another number of that unit.

    >>> corrected_number("Weight fell by 14.2 kg.", "The loss was given as 14.2 kg; it was 4.2 kg.")
    ('4.2 kg', '14.2 kg')
    """
    held, told = quantities(quote), quantities(said)
    fresh = [new for new in told if all(new.values != old.values for old in held)]
    gone = [old for old in held if all(new.values != old.values for new in told)]
    beside = [pair for pair in pairwise(told) if _CONTRAST.search(said[pair[0].end : pair[1].start])]
    named = [(new, old) for one, other in beside for new, old in ((one, other), (other, one)) if old not in fresh]
    if not named and words.coverage(frozenset(words.terms(quote)), words.terms(said)) >= _SAME:
        named = [(new, old) for new in fresh for old in gone]
    found = {(new.text, old.text) for new, old in named if new in fresh and same_unit(new.unit, old.unit)}
    return found.pop() if len(found) == 1 else None
