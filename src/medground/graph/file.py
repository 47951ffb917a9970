"""A graph in one SQLite file, read-only once written, from several threads."""

from __future__ import annotations

import sqlite3
import threading
from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from medground.errors import SnapshotCorrupt
from medground.graph.concepts.entry import ConceptEntry
from medground.graph.concepts.rows import GraphSize, Named, StatedRow

_MOST_CONCEPTS = 5
"""Concepts that one term may name; the first ones count."""


def connect(path: Path) -> sqlite3.Connection:
    """Open a file that nobody writes to any more.

    Raises:
        SnapshotCorrupt: the file does not exist or cannot be read.
    """
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    try:
        return sqlite3.connect(uri, uri=True, check_same_thread=False)
    except sqlite3.DatabaseError as error:
        raise SnapshotCorrupt(f"{path} cannot be read as a graph ({error}); rebuild the corpus") from None


class Graph(ABC):
    """Finds a term and what the graph states about it. Safe to use from several threads.

    Attributes:
        name: names and releases of its vocabularies, such as `HPO 2025-01-16`.
        licence: under which terms its texts may be used; empty if it does not say.
        origin: where they come from; empty if it does not say.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._lock = threading.Lock()
        self.meta: dict[str, str] = dict(self._rows("SELECT key, value FROM meta"))
        if not self._fits():
            raise SnapshotCorrupt(f"{path} does not contain a graph of this form; rebuild the corpus")
        self.name = self.meta["name"]
        self.licence, self.origin = self.meta.get("licence", ""), self.meta.get("origin", "")

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a graph file.

        Raises:
            SnapshotCorrupt: the file does not exist or is not a graph of this form.
        """
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
        """Numbers of concepts, definitions and relations (Omni-RAG, Table 2)."""

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

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _rows(self, sql: str, *values: object) -> list[Any]:
        try:
            with self._lock:
                return self._connection.execute(sql, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise SnapshotCorrupt(f"{self.path} cannot be read ({error}); rebuild the corpus") from None
