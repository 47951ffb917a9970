"""Write the graph file of a release."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from medground.errors import StorageFailed
from medground.graph.documents import Page, pages
from medground.graph.hpo import Hpo
from medground.graph.names import FULL, disease_keys, name_key
from medground.graph.relation import Concept, Relation

_SCHEMA = """
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
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
    CREATE UNIQUE INDEX concepts_id ON concepts (id COLLATE NOCASE);
    CREATE UNIQUE INDEX concepts_exact_id ON concepts (id);
    CREATE INDEX names_key ON names (key);
    CREATE INDEX relations_subject ON relations (subject, start);
    CREATE INDEX relations_object ON relations (object);
    CREATE INDEX edges_parent ON edges (parent);
"""


def write_graph(path: Path, hpo: Hpo | None = None) -> None:
    """Write `graph.sqlite` of a release, the installed one by default.

    It must stand beside the documents of the same release: it knows the place of each relation in them.

    Raises:
        ConfigError: the data files are not installed.
        BadDocument: a data file is not what it claims.
        StorageFailed: the disk refused the write.
    """
    hpo = hpo or Hpo.open()
    path.unlink(missing_ok=True)
    try:
        connection = sqlite3.connect(path)
        try:
            _write(connection, hpo)
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise StorageFailed(f"{path} cannot be written ({error}); free space or choose another folder") from None


def _write(connection: sqlite3.Connection, hpo: Hpo) -> None:
    connection.executescript(_SCHEMA)
    numbers: dict[str, int] = {}
    connection.execute("INSERT INTO meta VALUES ('name', ?)", (hpo.name,))
    # A relation may name a term before its own page comes, so the terms are numbered first.
    _add_concepts(connection, numbers, (term.concept for term in hpo.terms.values()))
    for page in pages(hpo):
        _add_concepts(connection, numbers, [page.concept, *(relation.object for relation in page.relations)])
        number = numbers[page.concept.id]
        connection.executemany("INSERT INTO names VALUES (?, ?, ?, ?, ?)", _names(page, number))
        connection.executemany(
            "INSERT INTO relations VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (_row(relation, number, numbers[relation.object.id]) for relation in page.relations),
        )
    connection.executemany(
        "INSERT OR IGNORE INTO edges VALUES (?, ?)",
        (
            (numbers[term.concept.id], numbers[parent])
            for term in hpo.terms.values()
            for parent in term.parents
            if parent in numbers
        ),
    )
    connection.executescript(_INDEXES)
    connection.commit()


def _add_concepts(connection: sqlite3.Connection, numbers: dict[str, int], concepts: Iterable[Concept]) -> None:
    """Store the concepts that are new; a gene has no page, so its symbol is stored as its name here."""
    for concept in concepts:
        if concept.id in numbers:
            continue
        number = numbers[concept.id] = len(numbers) + 1
        connection.execute(
            "INSERT INTO concepts VALUES (?, ?, ?, ?, ?)",
            (number, concept.id, concept.name, concept.kind, concept.definition),
        )
        if concept.kind == "gene":
            values = (name_key(concept.name), number, "name", FULL, concept.name)
            connection.execute("INSERT INTO names VALUES (?, ?, ?, ?, ?)", values)


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
