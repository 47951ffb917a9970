"""Names that complete what a user is typing: names and synonyms of a graph by their beginning, or that of a word."""

import contextlib
import heapq
import re
import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from medground.errors import SnapshotCorrupt
from medground.graph.base import connect
from medground.language.clean import without_accents
from medground.language.plain_words import is_plain
from medground.language.words import stem, weight

MOST_NAMES = 300_000
"""Names of one graph that are held in memory, about 30 MB; further ones are not suggested."""
LONGEST = 200
"""Characters at the end of what is typed that are looked at."""
_MOST_WORDS = 6
_FEWEST_LETTERS = 3
_RARE = 5.0
"""Weight from which a word alone is completed: `best` and `pain` are typed on the way to something else."""
_COMPARED = 5_000
"""Names that fit a beginning and are ranked; those of two or three letters fit many more."""
_WORD = re.compile(r"[^\W_]+")
_OFFSET_BITS = 12
_OFFSETS = (1 << _OFFSET_BITS) - 1
_SCOPES = {"name": 0, "exact": 1, "abbreviation": 1}
_LOOSE = 2
_FACTS = """
    SELECT n.text, c.id, c.name, c.kind, n.scope, (SELECT count(*) FROM relations WHERE subject = c.number)
        + (SELECT count(*) FROM relations WHERE object = c.number)
    FROM names n JOIN concepts c ON c.number = n.concept WHERE n.level = 0 ORDER BY n.rowid LIMIT ?
"""
_CONCEPTS = """
    SELECT n.text, c.id, c.name, coalesce((SELECT min(type) FROM types WHERE concept = c.number), ''), n.scope, 0
    FROM names n JOIN concepts c ON c.number = n.concept ORDER BY n.number LIMIT ?
"""


class Known(NamedTuple):
    """A name of a concept, and how many relations the concept has."""

    text: str
    id: str
    name: str
    kind: str
    scope: str
    relations: int = 0


@dataclass(frozen=True, slots=True)
class Completion:
    """A name or synonym that fits, with its concept. It completes the words that begin at `start` of the typed text."""

    text: str
    name: str
    id: str
    kind: str
    start: int


class Completions:
    """Finds names by their beginnings, in memory and without writing anything. Safe to use from several threads."""

    def __init__(self, names: Iterable[Known]) -> None:
        self._known = list(dict.fromkeys(names))
        self._folded = [_folded(known.text) for known in self._known]
        self._ranks = [(_SCOPES.get(k.scope, _LOOSE), -k.relations.bit_length()) for k in self._known]
        texts = enumerate(self._folded)
        places = (n << _OFFSET_BITS | word.start() for n, text in texts for word in _WORD.finditer(text))
        self._places = array("Q", sorted(places, key=self._at))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read the names of a graph file of either form.

        Raises SnapshotCorrupt: the file does not exist or is not a graph.
        """
        try:
            with contextlib.closing(connect(path)) as connection:
                form = connection.execute("SELECT 1 FROM meta WHERE key = 'form'").fetchone()
                rows = connection.execute(_CONCEPTS if form else _FACTS, (MOST_NAMES,))
                return cls(Known(*row) for row in rows)
        except sqlite3.DatabaseError as error:
            raise SnapshotCorrupt(f"{path} cannot be read ({error}); rebuild the corpus") from None

    def completions_for(self, typed: str, limit: int = 8) -> tuple[Completion, ...]:
        """Names that complete the last words of what is typed, each concept once; of as many words as possible.

        Entries of two catalogues with the same name count as one.

        A name that begins so comes before one in which a later word does; then a name before a synonym, and a concept
        with many relations before one with few.
        """
        cut = max(0, len(typed) - LONGEST)
        for start, beginning in _beginnings(typed[cut:]):
            if found := self._beginning(beginning, limit):
                return tuple(Completion(k.text, k.name, k.id, k.kind, cut + start) for k in found)
        return ()

    def _beginning(self, beginning: str, limit: int) -> Sequence[Known]:
        first = bisect_left(self._places, beginning, key=self._at)
        last = bisect_left(self._places, beginning + "\U0010ffff", lo=first, key=self._at)
        places: Iterable[int] = self._places[first : min(last, first + _COMPARED)]
        if beginning.find(" ") == len(beginning) - 1:  # one whole word, maybe an everyday one: names begin with it
            places = (place for place in places if not place & _OFFSETS)
        ranked = heapq.nsmallest(limit * 8, places, key=self._rank)
        chosen: dict[tuple[str, str], Known] = {}
        for place in ranked:
            known = self._known[place >> _OFFSET_BITS]
            chosen.setdefault((_folded(known.name), known.kind), known)
        return list(chosen.values())[:limit]

    def _at(self, place: int) -> str:
        return self._folded[place >> _OFFSET_BITS][place & _OFFSETS :]

    def _rank(self, place: int) -> tuple[bool, tuple[int, int], int, str]:
        number = place >> _OFFSET_BITS
        folded = self._folded[number]
        return bool(place & _OFFSETS), self._ranks[number], len(folded), folded


def _beginnings(typed: str) -> Iterator[tuple[int, str]]:
    """The last words of a text, folded, from many to one, with their places; an everyday word alone is whole."""
    words = list(_WORD.finditer(typed))
    after = " " if typed[-1:].isspace() else ""
    for count in range(min(_MOST_WORDS, len(words)), 0, -1):
        start = words[-count].start()
        last = _folded(words[-1][0])
        if count == 1 and (len(last) < _FEWEST_LETTERS or weight(stem(last)) < _RARE):
            return
        yield start, _folded(typed[start:]) + (" " if count == 1 and is_plain(last) else after)


def _folded(text: str) -> str:
    """A name as it is compared: its words in lower case without accents, with one space between them."""
    return " ".join(_WORD.findall(without_accents(text).casefold()))[:_OFFSETS]
