"""One paper told by several exports is one document: the fuller record, with what it lacks filled from the others."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from medground.corpus.readers.values import letters_of
from medground.corpus.records import are_one, one_record, sureness
from medground.corpus.writer import DatabaseWriter
from medground.language.clean import without_accents

_UNSURE = ("PMC", "DOI", "REF")
"""Ids of records that do not tell their PMID; another export may."""
_LEAST_LETTERS = 25
"""Letters of a title that no two papers of one author and year share by chance."""


def unite(database: DatabaseWriter) -> None:
    """Make one document of each paper whose records have different ids, because one export tells fewer than another."""
    wanted = {key for prefix in _UNSURE for row in database.files.tellings(f"{prefix}:*") for key in _keys(*row)}
    found: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for row in database.files.tellings() if wanted else ():
        for key in wanted.intersection(_keys(*row)):
            found[key].append(row[0])
    instead: dict[str, str] = {}
    for ids in found.values():
        kept, *others = sorted({instead.get(one, one) for one in ids}, key=sureness)
        for other in others:
            one, two = database.own_record(kept), database.own_record(other)
            if one and two and are_one(one, two):
                database.unite(one, two, one_record(one, two))
                instead = {a: kept if b == other else b for a, b in instead.items()} | {other: kept}


def _keys(name: str, title: str, year: int | None, author: str | None, *ids: str | None) -> Iterator[tuple[str, ...]]:
    """What tells that two records may be of one paper: an id, or else title, year and a name of the first author. A
    paper that is printed in the year after it was online has two years.
    """
    yield from ((one,) for one in ids if one)
    if year and author and len(letters := letters_of(without_accents(title))) >= _LEAST_LETTERS:
        for name in re.findall(r"\w{2,}", without_accents(author).casefold()):
            yield from ((letters, str(printed), name) for printed in (year, year + 1))
