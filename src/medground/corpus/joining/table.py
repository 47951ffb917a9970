"""The table of a snapshot under construction that knows which documents were joined, and what their files said."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence

from medground.corpus.joining.base import Outcome
from medground.corpus.tables import decode
from medground.document import Document

JOINS_SCHEMA = """
CREATE TABLE IF NOT EXISTS joins (
  id TEXT NOT NULL,
  source TEXT NOT NULL,
  outcome TEXT NOT NULL,
  detail TEXT NOT NULL,
  PRIMARY KEY (id, source)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS own (id TEXT PRIMARY KEY, digest BLOB NOT NULL, fields TEXT NOT NULL) WITHOUT ROWID;
"""


class JoinTable:
    """What became of each document. Shares the connection, and so the transactions, of the database."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def note(self, document_id: str, source: str, outcome: Outcome, detail: str) -> None:
        """Note what became of asking a source for the record of a document.

        Args:
            document_id: the document.
            source: the source's name in provenance.
            outcome: what became of it.
            detail: the id of the record, or the reason of a failure.
        """
        self._connection.execute(
            "INSERT OR REPLACE INTO joins VALUES (?, ?, ?, ?)", (document_id, source, outcome, detail)
        )

    def waiting(self, sources: Sequence[str], after: int = 0, limit: int = -1) -> list[tuple[int, Document]]:
        """The next documents, by row number, that one of the sources is still to be asked for, or others were."""
        query = (
            f"SELECT d.number, d.record, d.digest FROM documents d WHERE d.number > ? AND {_waits(sources)} "  # noqa: S608
            "ORDER BY d.number LIMIT ?"
        )
        rows = self._connection.execute(query, (after, *_values(sources), limit)).fetchall()
        return [(number, decode(record, digest)) for number, record, digest in rows]

    def drop_others(self, document_id: str, sources: Sequence[str]) -> None:
        """Forget what became of asking sources that are no longer asked."""
        marks = ", ".join("?" * len(sources))
        query = f"DELETE FROM joins WHERE id = ? AND source NOT IN ({marks})"  # noqa: S608
        self._connection.execute(query, (document_id, *sources))

    def ask_again(self, source: str) -> None:
        """Let all documents wait for a source again; what was joined stays until it answers."""
        self._connection.execute("UPDATE joins SET outcome = 'failed' WHERE source = ?", (source,))

    def own(self, document_id: str) -> tuple[bytes, str] | None:
        """The digest of what the file of a joined document says, and the fields in which it differs, as JSON."""
        query = "SELECT digest, fields FROM own WHERE id = ?"
        row: tuple[bytes, str] | None = self._connection.execute(query, (document_id,)).fetchone()
        return row

    def keep_own(self, document_id: str, digest: bytes, fields: str) -> None:
        """Keep what the file of a joined document says."""
        self._connection.execute("INSERT OR REPLACE INTO own VALUES (?, ?, ?)", (document_id, digest, fields))

    def forget_own(self, document_id: str) -> None:
        """A document is as its file has it."""
        self._connection.execute("DELETE FROM own WHERE id = ?", (document_id,))

    def forget(self, document_id: str) -> None:
        """Forget a document that was deleted or replaced."""
        self._connection.execute("DELETE FROM joins WHERE id = ?", (document_id,))
        self.forget_own(document_id)

    def joined_with(self, record_id: str) -> Iterator[str]:
        """Ids of the documents that were joined with a record."""
        query = "SELECT DISTINCT id FROM joins WHERE outcome = 'joined' AND detail = ?"
        yield from [row[0] for row in self._connection.execute(query, (record_id,))]

    def digest(self) -> str:
        """Hash of what became of all documents; empty if none was ever asked for."""
        total = hashlib.sha256()
        rows = self._connection.execute("SELECT id, source, outcome, detail FROM joins ORDER BY id, source").fetchall()
        for row in rows:
            total.update(repr(row).encode("utf-8", "surrogatepass"))
        return total.hexdigest() if rows else ""


def count_waiting(connection: sqlite3.Connection, sources: Sequence[str]) -> int:
    """How many documents one of the sources is still to be asked for, or others were."""
    query = f"SELECT count(*) FROM documents d WHERE {_waits(sources)}"  # noqa: S608
    return int(connection.execute(query, _values(sources)).fetchone()[0])


def _waits(sources: Sequence[str]) -> str:
    """The condition that a document `d` waits; `_values` are its values."""
    marks = ", ".join("?" * len(sources))
    done = f"SELECT count(*) FROM joins j WHERE j.id = d.id AND j.outcome != 'failed' AND j.source IN ({marks})"  # noqa: S608
    others = f"SELECT 1 FROM joins j WHERE j.id = d.id AND j.source NOT IN ({marks})"  # noqa: S608
    return f"(({done}) < ? OR EXISTS ({others}))"


def _values(sources: Sequence[str]) -> tuple[str | int, ...]:
    return (*sources, len(sources), *sources)
