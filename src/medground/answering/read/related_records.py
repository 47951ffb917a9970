"""What records say of each other: an erratum of the paper that it corrects, a newer version of an older one."""

import re
from collections.abc import Iterator, Sequence
from itertools import permutations

from medground.corpus.readers.values import letters_of
from medground.values.document import Document, Passage
from medground.values.identifiers import papers_named

_YEARS = re.compile(r"\b(?:19|20)\d\d\b")
_SHORTEST = 12
"""Letters of a title that is found in another."""
_REVISED = re.compile("review|guideline|meta-analysis|consensus", re.IGNORECASE)
"""Types of publication that are brought up to date."""


def corrections(papers: Sequence[Passage], errata: Sequence[Document]) -> Iterator[str]:
    """What errata say of papers that were found; an erratum names its paper by an id, or by its title."""
    for paper in papers:
        title = letters_of(paper.title)
        for erratum in errata:
            is_named = len(title) >= _SHORTEST and title in letters_of(erratum.title)
            if is_named or _names(erratum, paper.paper):
                yield f"{paper.document_id} was corrected: “{erratum.text}” ({erratum.id})"


def replaced(documents: Sequence[Document]) -> Iterator[tuple[Document, Document]]:
    """The older and the newer of two versions of a review or a guideline."""
    for older, newer in permutations(documents, 2):
        if older.year is None or newer.year is None or older.year >= newer.year:
            continue
        is_revised = all(_REVISED.search(" ".join(one.publication_types)) for one in (older, newer))
        titles = {letters_of(_YEARS.sub("", one.title)) for one in (older, newer)}
        if is_revised and (len(titles) == 1 or _names(newer, older.paper)):
            yield older, newer


def _names(record: Document, paper: Sequence[str]) -> bool:
    """Whether the links of a record name a paper by one of its ids."""
    said = (value for values in record.metadata.values() for value in values)
    return any(not set(paper).isdisjoint(names) for text in said for names in papers_named(text).values())
