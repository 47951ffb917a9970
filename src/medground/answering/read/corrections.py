"""What published errata say of the papers that they correct, and which number of a quote they change."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from medground.language import words
from medground.language.quantities import Quantity, quantities, same_unit
from medground.pubmed.characters import letters_of
from medground.values.document import Document
from medground.values.identifiers import papers_named

_SHORTEST = 12
"""Letters of a title that is found in another."""
_RIGHT_FIRST = re.compile(
    r"(?i)^[\s,;(–-]*(?:and |but )?(?:not|instead of|rather than)\s(?:of |as |by |the )*[\s\"“‘']*$"
)
_WRONG_FIRST = re.compile(
    r"(?i)^[\s,;)\"”’'–-]*(?:but |and )?(?:it (?:was|is)|(?:should|must) (?:be|read|have been))[\s:\"“‘']*$"
)
"""What stands between the right number and the wrong one, and between the wrong one and the right one."""
_CLAUSE = re.compile(r"(?<=[.;])\s")
_LETTER = re.compile(r"\b[A-Z]\b")


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

    The quote has the wrong one and the erratum both, set against each other, or the erratum prints the clause anew. It
    has every word that says in the quote what the number is of: else it may be of another group or outcome.

    >>> corrected_number("Weight fell by 14.2 kg.", "That weight fell by 14.2 kg should read 4.2 kg.")
    ('4.2 kg', '14.2 kg')
    """
    held, told = quantities(quote), quantities(said)
    fresh = [new for new in told if all(new.values != old.values for old in held)]
    named = list[tuple[Quantity, Quantity]]()
    for one, other in pairwise(told):
        between = said[one.end : other.start]
        named += [(one, other)] if _RIGHT_FIRST.search(between) else []
        named += [(other, one)] if _WRONG_FIRST.search(between) else []
    if not named and _words(quote) <= _words(said):
        named = [(new, old) for new in fresh for old in held if all(old.values != one.values for one in told)]
    found = {
        (new.text, wrong.text)
        for new, wrong in named
        for old in held
        if new in fresh and old.values == wrong.values and same_unit(new.unit, old.unit)
        if set() < _words(_CLAUSE.split(quote[: old.start])[-1]) <= _words(said)
    }
    return found.pop() if len(found) == 1 else None


def _words(text: str) -> frozenset[str]:
    """The words of a text without numbers, with names of one letter, as in "Drug A"."""
    return frozenset([*(term for term in words.terms(text) if not term[0].isdigit()), *_LETTER.findall(text)])
