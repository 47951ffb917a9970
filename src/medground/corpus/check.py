"""The check of a snapshot before it is published: opened as a reader will open it, its parts have to agree."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from medground.corpus import tables
from medground.corpus.faults import UnfinishedDamaged, reading
from medground.corpus.lexical import Lexical
from medground.corpus.snapshot import LEXICAL, Snapshot
from medground.errors import SnapshotCorrupt
from medground.query import Filters

_DOCUMENTS = 20
"""Documents that are looked up: a check of all would take as long as the build."""


def check_built(folder: Path) -> None:
    """Check the files, counts and numbers of a snapshot, and that some of its documents are read and found.

    Raises:
        UnfinishedDamaged: it may not be published.
    """
    try:
        with Snapshot.open(folder) as snapshot, reading(folder):
            if snapshot.manifest.embedding is not None:
                snapshot.vectors()
            ids = _agreeing(folder, snapshot)
            if len(snapshot.documents(ids)) != len(ids):
                raise ValueError("a document cannot be read")
    except SnapshotCorrupt as error:
        raise UnfinishedDamaged(folder, str(error.__cause__ or error).partition(";")[0]) from error


def _agreeing(folder: Path, snapshot: Snapshot) -> list[str]:
    """Ids of some documents, for which the word index holds the passages that the database holds."""
    counts, words = snapshot.manifest.counts, Lexical(folder / LEXICAL)
    uri = f"{(folder / tables.FILE_NAME).resolve().as_uri()}?mode=ro&immutable=1"
    with contextlib.closing(sqlite3.connect(uri, uri=True)) as database:
        found = database.execute("SELECT count(*), coalesce(max(number) + 1, 0) FROM passages").fetchone()
        if found != (counts.passages, counts.passages):
            raise ValueError(f"{found[0]} passages with numbers up to {found[1]}, not {counts.passages}")
        documents = database.execute("SELECT number, id FROM documents ORDER BY number").fetchall()
        if len(documents) != counts.documents:
            raise ValueError(f"{len(documents)} documents, not {counts.documents}")
        some = documents[:: max(1, len(documents) // _DOCUMENTS)]
        for number, document_id in some:
            query = "SELECT number FROM passages WHERE document = ? ORDER BY number"
            stored = [row[0] for row in database.execute(query, (number,))]
            if words.numbers(Filters(ids=(document_id,))) != stored:
                raise ValueError(f"the word index has other passages of {document_id} than the database")
    return [document_id for _, document_id in some]
