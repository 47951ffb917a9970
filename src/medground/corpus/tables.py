"""The tables of a snapshot's SQLite file, and how documents and passages are stored in them.

Each row has its own checksum, because SQLite does not notice a changed byte inside a value.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from dataclasses import dataclass

from medground.document import Document, Passage

FILE_NAME = "documents.sqlite"
_ONLY_IF_ANY = ("imprint", "lines", "cautions", "metadata", "joined", "substances")
"""Fields that are stored only where they hold something: documents without them keep the hash that they always had."""

SCHEMA = """
CREATE TABLE documents (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  record BLOB NOT NULL,
  digest BLOB NOT NULL,
  year INTEGER,
  kind TEXT NOT NULL,
  retraction TEXT NOT NULL
);
CREATE TABLE publication_types (document INTEGER NOT NULL, type TEXT NOT NULL);
CREATE INDEX publication_types_by_document ON publication_types (document);
CREATE TABLE passages (
  number INTEGER PRIMARY KEY,
  document INTEGER NOT NULL,
  start INTEGER NOT NULL,
  stop INTEGER NOT NULL,
  section TEXT,
  checksum INTEGER NOT NULL
);
CREATE INDEX passages_by_document ON passages (document);
CREATE TABLE retracts (id TEXT PRIMARY KEY);
CREATE TABLE skipped (input TEXT NOT NULL, file TEXT NOT NULL, position INTEGER, reason TEXT NOT NULL);
CREATE TABLE state (key TEXT PRIMARY KEY, value INTEGER NOT NULL);
"""


class RowDamaged(ValueError):
    """A row does not match its checksum."""


@dataclass(frozen=True)
class PassageRow:
    """A passage as numbers: the row of its document, and its slice in code points."""

    number: int
    document: int
    start: int
    stop: int
    section: str | None

    @classmethod
    def checked(cls, row: tuple[int, int, int, int, str | None, int]) -> PassageRow:
        """A row from the columns of `passages`.

        Raises:
            RowDamaged: the row does not match its checksum.
        """
        passage = cls(*row[:5])
        if passage.checksum != row[5]:
            raise RowDamaged(f"passage {row[0]} does not match its checksum")
        return passage

    @property
    def checksum(self) -> int:
        """CRC-32 of the row's values."""
        return zlib.crc32(repr((self.number, self.document, self.start, self.stop, self.section)).encode())

    def columns(self) -> tuple[int, int, int, int, str | None, int]:
        """The columns of `passages`."""
        return self.number, self.document, self.start, self.stop, self.section, self.checksum

    def of(self, document: Document) -> Passage:
        """The passage of this row in its document."""
        return document.passage(self.start, self.stop, self.section)


def encode(document: Document) -> tuple[bytes, bytes]:
    """A document's canonical JSON and its digest (SHA-256): equal documents have equal bytes."""
    without = {name for name in _ONLY_IF_ANY if not getattr(document, name)}
    fields = document.model_dump(mode="json", exclude=without)
    record = json.dumps(fields, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    encoded = record.encode()
    return encoded, hashlib.sha256(encoded).digest()


def decode(record: bytes, digest: bytes) -> Document:
    """A stored document.

    Raises:
        RowDamaged: it does not match its digest.
    """
    if hashlib.sha256(record).digest() != digest:
        raise RowDamaged("a document does not match its checksum")
    return Document.model_validate_json(record)
