"""Write the graph file of a release."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from medground.errors import StorageFailed
from medground.graph.documents import Page, pages
from medground.graph.hpo import Hpo
from medground.graph.names import FULL, disease_keys, name_key
from medground.graph.relation import Concept, Relation

_SCHEMA = """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE concepts (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, definition TEXT NOT NULL
    );
    CREATE TABLE names (
        key TEXT NOT NULL, concept INTEGER NOT NULL, scope TEXT NOT NULL, level INTEGER NOT NULL, text TEXT NOT NULL
    );
    CREATE TABLE relations (
        number INTEGER PRIMARY KEY, subject INTEGER NOT NULL, predicate TEXT NOT NULL, object INTEGER NOT NULL,
        frequency TEXT NOT NULL, low REAL, high REAL, negated INTEGER NOT NULL, sex TEXT NOT NULL, onset TEXT NOT NULL,
        modifiers TEXT NOT NULL, refs TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL
    );
    CREATE TABLE edges (child INTEGER NOT NULL, parent INTEGER NOT NULL, PRIMARY KEY (child, parent)) WITHOUT ROWID;
"""
_INDEXES = """
    CREATE UNIQUE INDEX IF NOT EXISTS concepts_id ON concepts (id COLLATE NOCASE);
    CREATE UNIQUE INDEX IF NOT EXISTS concepts_exact_id ON concepts (id);
    CREATE INDEX IF NOT EXISTS names_key ON names (key);
    CREATE INDEX IF NOT EXISTS relations_subject ON relations (subject, start);
    CREATE INDEX IF NOT EXISTS relations_object ON relations (object);
    CREATE INDEX IF NOT EXISTS edges_parent ON edges (parent);
"""


class GraphWriter:
    """Builds a graph file from pages; `save` writes it. The graph is held in memory, about 40 MB.

    The file belongs with the documents of the same pages: it stores the location of each relation in them.
    """

    def __init__(self, hpo: Hpo) -> None:
        self._hpo = hpo
        self._numbers: dict[str, int] = {}
        self._pages: set[str] = set()
        # The build reads in one thread and may save in another, but never at the same time.
        self._connection = sqlite3.connect(":memory:", check_same_thread=False)
        self._connection.executescript(_SCHEMA)
        self._connection.execute("INSERT INTO meta VALUES ('name', ?)", (hpo.name,))
        # A relation may refer to a term before the page of that term is added, so the terms are numbered first.
        self._add_concepts(term.concept for term in hpo.terms.values())

    def add(self, page: Page) -> None:
        """Add a page; one that was already added is ignored."""
        if page.concept.id in self._pages:
            return
        self._pages.add(page.concept.id)
        self._add_concepts([page.concept, *(relation.object for relation in page.relations)])
        number = self._numbers[page.concept.id]
        self._connection.executemany("INSERT INTO names VALUES (?, ?, ?, ?, ?)", _names(page, number))
        self._connection.executemany(
            "INSERT INTO relations VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (_row(relation, number, self._numbers[relation.object.id]) for relation in page.relations),
        )

    def save(self, path: Path) -> None:
        """Read the missing pages and write the file.

        Raises:
            BadDocument: a data file is not what it claims to be.
            StorageFailed: writing to disk failed.
        """
        # Terms come last: if all of them were added, so was everything else.
        if not self._hpo.terms.keys() <= self._pages:
            for page in pages(self._hpo):
                self.add(page)
        numbers = self._numbers
        edges = ((numbers[i], numbers[p]) for i, term in self._hpo.terms.items() for p in term.parents if p in numbers)
        self._connection.executemany("INSERT OR IGNORE INTO edges VALUES (?, ?)", edges)
        self._connection.executescript(_INDEXES)
        self._connection.commit()
        path.unlink(missing_ok=True)
        try:
            with contextlib.closing(sqlite3.connect(path)) as target:
                self._connection.backup(target)
        except sqlite3.Error as error:
            raise StorageFailed(f"cannot write {path} ({error}); free some space or choose another folder") from None

    def close(self) -> None:
        """Free the memory. Safe to call twice."""
        self._connection.close()

    def _add_concepts(self, concepts: Iterable[Concept]) -> None:
        """Store the concepts that are new; a gene has no page, so its symbol is stored as its name here."""
        for concept in concepts:
            if concept.id in self._numbers:
                continue
            number = self._numbers[concept.id] = len(self._numbers) + 1
            row = (number, concept.id, concept.name, concept.kind, concept.definition)
            self._connection.execute("INSERT INTO concepts VALUES (?, ?, ?, ?, ?)", row)
            if concept.kind == "gene":
                name = (name_key(concept.name), number, "name", FULL, concept.name)
                self._connection.execute("INSERT INTO names VALUES (?, ?, ?, ?, ?)", name)


def _names(page: Page, number: int) -> Iterator[tuple[str, int, str, int, str]]:
    for name in page.names:
        keys = disease_keys(name.text) if page.concept.kind == "disease" else [(name_key(name.text), FULL)]
        for key, level in keys:
            if key:
                yield key, number, name.scope, level, name.text


def _row(relation: Relation, subject: int, thing: int) -> tuple[object, ...]:
    found, place = relation.frequency, relation.place
    return (
        subject,
        relation.predicate,
        thing,
        found.text if found else "",
        found.low if found else None,
        found.high if found else None,
        relation.negated,
        relation.sex,
        relation.onset,
        "\n".join(relation.modifiers),
        "\n".join(relation.references),
        place.start if place else 0,
        place.end if place else 0,
    )
