"""The files of a snapshot under construction: what was read, what was passed over and why, and who holds which id."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from medground.corpus.readers.base import Input
from medground.errors import BadDocument

SCHEMA = """
CREATE TABLE IF NOT EXISTS files (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  folder TEXT,
  reader TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  made_by TEXT NOT NULL,
  reason TEXT,
  passing INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS holds (
  id TEXT NOT NULL,
  file INTEGER NOT NULL,
  kept INTEGER NOT NULL,
  PRIMARY KEY (id, file)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS holds_by_file ON holds (file);
CREATE TABLE IF NOT EXISTS notes (file INTEGER NOT NULL, text TEXT NOT NULL);
"""


@dataclass(frozen=True)
class KnownFile:
    """A file as it was when it was read.

    Attributes:
        number: its number in the snapshot.
        reader: the reader that read it.
        fingerprint: its size and time then.
        made_by: the version of Medground that read it.
        failed: whether it could not be read, or not to its end.
        passing: whether the reason may have passed.
    """

    number: int
    reader: str
    fingerprint: str
    made_by: str
    failed: bool
    passing: bool


class FileTable:
    """Which file gave which document. Shares the connection, and so the transactions, of the database."""

    def __init__(self, connection: sqlite3.Connection, version: str) -> None:
        self._connection = connection
        self._version = version

    def enter(self, source: Input) -> int:
        """Note that a file is being read; returns its number."""
        known = self._connection.execute("SELECT number FROM files WHERE name = ?", (source.name,)).fetchone()
        values = (source.folder, source.reader, source.fingerprint, self._version, source.name)
        if known is None:
            added = "INSERT INTO files (folder, reader, fingerprint, made_by, name) VALUES (?, ?, ?, ?, ?)"
            return int(self._connection.execute(added, values).lastrowid or 0)
        changed = "UPDATE files SET folder = ?, reader = ?, fingerprint = ?, made_by = ?, reason = NULL, passing = 0"
        self._connection.execute(f"{changed} WHERE name = ?", values)
        return int(known[0])

    def fail(self, number: int, refusal: BadDocument) -> None:
        """Note why a file could not be read, or not to its end."""
        values = (refusal.reason, int(refusal.passing), number)
        self._connection.execute("UPDATE files SET reason = ?, passing = ? WHERE number = ?", values)

    def first_failed(self) -> str | None:
        """Name and reason of the first file that could not be read."""
        row = self._connection.execute("SELECT name, reason FROM files WHERE reason IS NOT NULL LIMIT 1").fetchone()
        return None if row is None else f"{row[0]}: {row[1]}"

    def digest(self) -> str:
        """Hash of what is known of all files."""
        total = hashlib.sha256()
        for row in self._connection.execute("SELECT name, reader, fingerprint, reason FROM files ORDER BY name"):
            total.update(repr(row).encode("utf-8", "surrogatepass"))
        return total.hexdigest()

    def note(self, number: int, text: str) -> None:
        """Note what the reader of a file tells."""
        self._connection.execute("INSERT INTO notes VALUES (?, ?)", (number, text))

    def hold(self, document_id: str, number: int, *, kept: bool) -> None:
        """Note that a file holds a document, and whether its version of it is the one that is kept."""
        if kept:
            self._connection.execute("UPDATE holds SET kept = 0 WHERE id = ? AND kept = 1", (document_id,))
        self._connection.execute("INSERT OR REPLACE INTO holds VALUES (?, ?, ?)", (document_id, number, int(kept)))

    def kept_from(self, document_id: str) -> tuple[int, str] | None:
        """Number and reader of the file whose version of a document is kept, or None."""
        query = "SELECT f.number, f.reader FROM holds h JOIN files f ON f.number = h.file WHERE h.id = ? AND h.kept = 1"
        row = self._connection.execute(query, (document_id,)).fetchone()
        return None if row is None else (int(row[0]), str(row[1]))

    def known(self) -> Mapping[str, KnownFile]:
        """All files by name."""
        query = "SELECT name, number, reader, fingerprint, made_by, reason IS NOT NULL, passing FROM files"
        rows = self._connection.execute(query).fetchall()
        return {row[0]: KnownFile(row[1], row[2], row[3], row[4], bool(row[5]), bool(row[6])) for row in rows}

    def held_by(self, number: int) -> list[str]:
        """Ids of the documents that a file holds."""
        rows = self._connection.execute("SELECT id FROM holds WHERE file = ?", (number,))
        return [row[0] for row in rows]

    def given_by(self, number: int) -> list[str]:
        """Ids of the documents that are kept as this file has them."""
        rows = self._connection.execute("SELECT id FROM holds WHERE file = ? AND kept = 1", (number,))
        return [row[0] for row in rows]

    def others_with(self, ids: list[str], number: int) -> Iterator[str]:
        """Names of the other files that hold one of these documents."""
        query = "SELECT f.name FROM holds h JOIN files f ON f.number = h.file WHERE h.id = ? AND h.file != ?"
        for document_id in ids:
            yield from (row[0] for row in self._connection.execute(query, (document_id, number)))

    def clear(self, number: int) -> None:
        """Forget what a file held and told, before it is read again."""
        for table in ("holds", "notes"):
            self._connection.execute(f"DELETE FROM {table} WHERE file = ?", (number,))  # noqa: S608 fixed names
        name = "SELECT name FROM files WHERE number = ?"
        self._connection.execute(f"DELETE FROM skipped WHERE input = ({name})", (number,))  # noqa: S608

    def remove(self, number: int) -> None:
        """Forget a file that has gone."""
        self.clear(number)
        self._connection.execute("DELETE FROM files WHERE number = ?", (number,))
