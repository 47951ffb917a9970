"""What every graph can be asked: the concepts that a term names, and the best lines about them."""

import math
import re
import sqlite3
import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self

from medground.errors import SnapshotCorrupt
from medground.graph.names import ASKS
from medground.graph.relation import StatedAt
from medground.language import words
from medground.values.graph import ConceptEntry

_NEGATED = frozenset({"absent", "exclud"})


@cache
def _compiled() -> tuple[tuple[re.Pattern[str], frozenset[str]], ...]:
    return tuple((cue, frozenset(words.terms(said))) for cue, said in ASKS)


def asked_for(question: str) -> frozenset[str]:
    """The words of predicates, as stems, that a question asks for; empty where it asks for none in particular."""
    wanted = frozenset[str]().union(*(said for cue, said in _compiled() if cue.search(question)))
    return wanted & _NEGATED or wanted


def without_cues(question: str) -> str:
    """A question without the words that ask for a kind of relation, and name nothing."""
    for cue, _ in _compiled()[:1] + _compiled()[2:]:  # a verb between two names stays
        question = cue.sub(" ", question)
    return question


def says(predicate: Iterable[str], wanted: frozenset[str]) -> bool:
    """Whether a predicate or a line, as stems, is of a kind that is asked for; what is absent must be asked for."""
    stems = frozenset(predicate)
    return bool(stems & wanted) and stems & _NEGATED <= wanted


NEAREST = 3
"""Names suggested for a term that no concept has."""
_LENGTH = 1200
"""A line of so many characters counts half as much as a short one with the same words."""
_KIND = 0.4
"""What the kind of relation counts: less than a line with all words, so that "does it cause ..." finds that sign."""
_STEPS = 20
"""Fits that differ by less than one of so many steps are equal."""


class GraphSize(NamedTuple):
    """What a graph holds: its concepts, those that are defined, and the relations between them."""

    concepts: int
    definitions: int
    relations: int


class StatedRow(NamedTuple):
    """A line of a document, as the document has it; `group` is `definition`, or the name of its predicate.

    The end of its place is -1 where it is still to be found in the document. `ranked` is what the question is compared
    with: the line, or the whole sentence that it stands for.
    """

    place: StatedAt
    line: str
    ranked: str
    group: str


class Named(NamedTuple):
    """The concepts that a term names: their ids and preferred names. `by` is how close the name is."""

    concepts: tuple[tuple[str, str], ...] = ()
    by: str = "name"


def best(rows: Sequence[StatedRow], question: str, limit: int) -> list[tuple[StatedRow, float]]:
    """The first definition, then the lines that fit the question best, with falling scores from 0 to 1.

    The measure is the share of the question's words in a line, each weighted by how few of the lines have it, over a
    mild penalty for length; where the question asks for a kind of relation (`cues`), that kind counts too.
    Lines that fit about equally well take turns by predicate, so that none crowds out the others, and keep their order.
    """
    wanted = asked_for(question)
    weights = _fits(rows, frozenset(words.terms(without_cues(question))))
    if wanted:
        # A name without any word, such as `is_a`, is one word.
        names = {group: words.terms(group) or (group.replace("_", ""),) for group in {row.group for row in rows}}
        kinds = {group: says(name, wanted) for group, name in names.items()}
        weights = [_KIND * kinds[row.group] + (1 - _KIND) * weight for row, weight in zip(rows, weights, strict=True)]
    weights = [round(weight * _STEPS) / _STEPS for weight in weights]
    turns: Counter[str] = Counter()
    order = []
    for number, (row, weight) in enumerate(zip(rows, weights, strict=True)):
        order.append((-weight, turns[row.group], number))
        turns[row.group] += 1
    order.sort()
    first = next((n for n, row in enumerate(rows) if row.group == "definition"), None)
    chosen = [] if first is None else [first]
    chosen += [number for _, _, number in order if number != first][: limit - len(chosen)]
    top = max((weights[n] for n in chosen), default=0.0)
    scores = [top if n == first else weights[n] for n in chosen]
    return [(rows[n], score) for n, score in zip(chosen[:limit], scores[:limit], strict=True)]


def _fits(rows: Sequence[StatedRow], wanted: frozenset[str]) -> list[float]:
    if not wanted:
        return [0.0] * len(rows)
    # A stem begins as its word does. Most of thousands of lines have no such word, and finding stems is the slow part.
    beginnings = tuple({term[:3] for term in wanted})
    found = [_shared(row.ranked, wanted, beginnings) for row in rows]
    having = Counter(term for terms in found for term in terms)
    rarity = {t: math.log((len(rows) + 1) / (having[t] + 0.5)) for t in wanted}
    total = sum(rarity.values()) or 1.0
    return [
        sum(rarity[t] for t in sorted(terms)) / total / (1 + len(row.ranked) / _LENGTH) if terms else 0.0
        for terms, row in zip(found, rows, strict=True)
    ]


def _shared(text: str, wanted: frozenset[str], beginnings: tuple[str, ...]) -> frozenset[str]:
    lower = text.lower()
    if not any(beginning in lower for beginning in beginnings):
        return frozenset()
    return wanted.intersection(words.terms(text))


_MOST_CONCEPTS = 5
"""Concepts that one term may name; the first ones count."""


def connect(path: Path) -> sqlite3.Connection:
    """Open a file that no longer changes. Raises SnapshotCorrupt: the file does not exist or cannot be read."""
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    try:
        return sqlite3.connect(uri, uri=True, check_same_thread=False)
    except sqlite3.DatabaseError as error:
        raise SnapshotCorrupt(f"{path} cannot be read as a graph ({error}); rebuild the corpus") from None


class Graph(ABC):
    """Finds a term and what the graph states about it. Safe to use from several threads.

    It has the names and releases of its vocabularies, such as `HPO 2025-01-16`, their licence and their origin.
    """

    default_licence = ""
    """That of a file which does not tell its own."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._lock = threading.Lock()
        self.meta: dict[str, str] = dict(self._rows("SELECT key, value FROM meta"))
        if not self._fits():
            raise SnapshotCorrupt(f"{path} does not contain a graph of this form; rebuild the corpus")
        self.name = self.meta["name"]
        self.licence = self.meta.get("licence", self.default_licence)
        self.origin = self.meta.get("origin", "")

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a graph file. Raises SnapshotCorrupt: the file does not exist or is not a graph of this form."""
        connection = connect(path)
        try:
            return cls(path, connection)
        except SnapshotCorrupt:
            connection.close()
            raise

    @abstractmethod
    def _fits(self) -> bool:
        """Whether the file has this form."""

    @property
    @abstractmethod
    def size(self) -> GraphSize:
        """Numbers of concepts, definitions and relations."""

    @abstractmethod
    def named(self, term: str) -> Named:
        """The concepts that a term names, by id, name or synonym."""

    @abstractmethod
    def rows(self, concept_id: str) -> list[StatedRow]:
        """Every line about a concept: its definitions first, then its relations, in both directions."""

    @abstractmethod
    def entry(self, concept_id: str, name: str) -> ConceptEntry:
        """A concept with its synonyms and its neighbours; an unknown id has neither."""

    @abstractmethod
    def nearest(self, term: str) -> tuple[str, ...]:
        """The stored names closest to a term, at most `NEAREST`."""

    def rows_of(self, named: Named) -> list[StatedRow]:
        """The lines about all concepts that a term names."""
        return [row for concept, _ in named.concepts[:_MOST_CONCEPTS] for row in self.rows(concept)]

    def close(self) -> None:
        """Close the file. Safe to call twice."""
        with self._lock:  # another thread may be reading
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _rows(self, sql: str, *values: object) -> list[Any]:
        try:
            with self._lock:
                return self._connection.execute(sql, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise SnapshotCorrupt(f"{self.path} cannot be read ({error}); rebuild the corpus") from None
