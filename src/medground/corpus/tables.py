"""The tables of a snapshot's SQLite file, and how documents and passages are stored in them.

Each row has its own checksum, because SQLite does not notice a changed byte inside a value.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby
from operator import itemgetter
from pathlib import Path, PurePath
from typing import Any

from medground.corpus import retraction_table
from medground.corpus.design import with_design
from medground.corpus.readers.base import Input, Item, RawRecord, Ready
from medground.corpus.readers.folders import release_of
from medground.corpus.retraction import marked
from medground.errors import BadDocument
from medground.language.pattern import lazy_pattern
from medground.values.document import Document

FILE_NAME = "documents.sqlite"
_CACHE_KIB = 32 * 1024
LOG = f"{FILE_NAME}-wal"
"""What changed since an earlier snapshot, whose file this one shares."""
_ONLY_IF_ANY = ("imprint", "lines", "cautions", "metadata", "joined", "substances")
"""Fields that are stored only where they hold something: documents without them keep the hash that they always had."""

_START = 1000
_NO_SPACES = lazy_pattern("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Thai, Lao, Burmese and Khmer; Japanese, Chinese, Korean."""
_TOLD = ("title", "year", "authors[0]", "identifiers.doi", "identifiers.pmc")


@cache
def exports() -> frozenset[str]:
    """Readers of records: one paper that several of them tell is one document."""
    from medground.corpus.readers.tagged_forms import FORMS  # imported late: to read a corpus takes no reader of files

    return frozenset([*FORMS, "medline", "bibtex", "csv", "csl-json", "endnote", "zotero"])


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
        """A row from the columns of `passages`. Raises RowDamaged: the row does not match its checksum."""
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


_canonical = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode


def encode(document: Document) -> tuple[bytes, bytes]:
    """A document's canonical JSON and its digest (SHA-256): equal documents have equal bytes."""
    without = {name for name in _ONLY_IF_ANY if not getattr(document, name)}
    fields = document.model_dump(mode="json", exclude=without)
    encoded = _canonical(fields).encode()
    return encoded, hashlib.sha256(encoded).digest()


def decode(record: bytes, digest: bytes) -> Document:
    """A stored document. Raises RowDamaged: it does not match its digest."""
    if hashlib.sha256(record).digest() != digest:
        raise RowDamaged("a document does not match its checksum")
    return Document.model_validate_json(record)


def prepared(source: Input, home: Path | None, skip: int = 0) -> Iterator[Item]:
    """What is read of an input in any process, as it is stored; `home` has the table of retractions that counts."""
    if home is not None:
        retraction_table.use(home)
    return (ready(item) if isinstance(item, Document) else item for item in source.read(skip))


def ready(document: Document) -> Ready:
    """A document as it is searched and counted by: with what is known now, and what its own words say of its design."""
    one = marked(with_design(document))
    return Ready(one.id, one.year, one.kind, one.retraction, *encode(one), names_of(one), _is_unsearched(one))


def names_of(document: Document) -> tuple[str, str]:
    """By which names a notice may retract a document."""
    return document.id, f"PMID:{document.identifiers.get('pmid', '')}"


def _is_unsearched(document: Document) -> bool:
    """Whether a text is in a script that does not set its words apart, so that no word of it would be found."""
    start = document.text[:_START]
    return not start.isascii() and len(_NO_SPACES.findall(start)) > len(start) / 3


def opened(folder: Path) -> sqlite3.Connection:
    """The database of a finished snapshot, for reading from any thread. It never changes again, so it is not locked."""
    uri = (folder / FILE_NAME).resolve().as_uri()
    if not (folder / LOG).exists():
        return sqlite3.connect(f"{uri}?mode=ro&immutable=1", uri=True, check_same_thread=False)
    system = "win32" if sys.platform == "win32" else "unix"
    connection = sqlite3.connect(f"{uri}?mode=ro&vfs={system}-none", uri=True, check_same_thread=False)
    connection.execute("PRAGMA locking_mode=EXCLUSIVE")  # the index of the log is in memory, and in no file
    return connection


def opened_for_writing(path: Path, *, linked: bool) -> sqlite3.Connection:
    """The database of a snapshot under construction. One that is `linked` is never written to: its log is."""
    connection = sqlite3.connect(path, isolation_level=None)
    if linked:
        connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")  # the word index and the vectors must never be ahead of a commit
    connection.execute(f"PRAGMA cache_size=-{_CACHE_KIB}")
    connection.executescript(f"BEGIN; {(files(__package__) / 'schema.sql').read_text(encoding='utf-8')} COMMIT;")
    return connection


_KEEP_RAW = """
INSERT OR REPLACE INTO raw SELECT ?1, ?2, ?3, ?4 FROM holds h JOIN files f ON f.number = h.file JOIN files own
ON own.number = ?2 WHERE h.id = ?1 AND h.kept = 1 AND (h.file = ?2 OR f.reader != own.reader)
"""
_ENTER = """
INSERT INTO files (name, folder, reader, fingerprint, made_by) VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET
  (folder, reader, fingerprint, made_by) = (excluded.folder, excluded.reader, excluded.fingerprint, excluded.made_by),
  reason = NULL, passing = 0 RETURNING number
"""


@dataclass(frozen=True)
class KnownFile:
    """A file as it was when it was read, by a version of Medground: its number, and its size and time then."""

    name: str
    number: int
    folder: str | None
    """The folder in which it was found, or None if the user named it."""
    reader: str
    fingerprint: str
    made_by: str
    failed: bool
    """Whether it could not be read, or not to its end."""
    passing: bool
    """Whether the reason may have passed."""

    def after(self, other: KnownFile) -> bool:
        """Whether it is read after another in a build.

        PubMed's files have an order of their own; other files have that of their names in one folder, else of reading.
        """
        mine, theirs = release_of(self.name), release_of(other.name)
        if mine is not None and theirs is not None:
            return mine >= theirs
        if self.folder is None or self.folder != other.folder:
            return True
        return PurePath(self.name).parts >= PurePath(other.name).parts


class FileTable:
    """Which file gave which document. Shares the connection, and so the transactions, of the database."""

    def __init__(self, connection: sqlite3.Connection, version: str) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._version = version

    def enter(self, source: Input) -> int:
        """Note that a file is being read; returns its number."""
        values = (source.name, source.folder, source.reader, source.fingerprint, self._version)
        return int(self._execute(_ENTER, values).fetchone()[0])

    def fail(self, number: int, refusal: BadDocument) -> None:
        """Note why a file could not be read, or not to its end."""
        values = (refusal.reason, int(refusal.passing), number)
        self._execute("UPDATE files SET reason = ?, passing = ? WHERE number = ?", values)

    def digest(self) -> str:
        """Hash of what is known of all files."""
        query = "SELECT name, reader, fingerprint, reason FROM files ORDER BY name"
        return digest_of_rows(self._execute(query))

    def groups(self, folder: str) -> Iterator[dict[str, Any]]:
        """For each reader, how many files of a folder it read, and a hash of what is known of them."""
        query = "SELECT reader, name, fingerprint FROM files WHERE folder = ? AND reason IS NULL ORDER BY reader, name"
        rows = self._execute(query, (folder,)).fetchall()
        for reader, group in groupby(rows, key=itemgetter(0)):
            files = [row[1:] for row in group]
            digest = hashlib.sha256(repr(files).encode("utf-8", "surrogatepass")).hexdigest()[:32]
            yield {"reader": reader, "fingerprint": digest, "files": len(files)}

    def note(self, number: int, text: str) -> None:
        """Note what the reader of a file tells."""
        self._execute("INSERT INTO notes VALUES (?, ?)", (number, text))

    def hold(self, document_id: str, number: int, *, kept: bool, is_new: bool = False) -> None:
        """Note that a file holds a document, and whether its version of it is the one that is kept."""
        if kept and not is_new:
            self._execute("UPDATE holds SET kept = 0 WHERE id = ? AND kept = 1", (document_id,))
        self._execute("INSERT OR REPLACE INTO holds VALUES (?, ?, ?)", (document_id, number, int(kept)))

    def keep_raw(self, record: RawRecord, number: int) -> None:
        """Keep the record of a document as this file has it, unless another file of records has a later one."""
        self._execute(_KEEP_RAW, (record.id, number, record.packed, record.digest))

    def rename(self, gone: str, document_id: str) -> None:
        """The files that hold a document hold another from now on, beside the one whose version is kept."""
        values = (document_id, gone)
        self._execute("INSERT OR IGNORE INTO holds SELECT ?, file, 0 FROM holds WHERE id = ?", values)
        self._execute("DELETE FROM holds WHERE id = ?", (gone,))

    def tellings(self, like: str = "*") -> Iterator[tuple[str, str, int | None, str | None, str | None, str | None]]:
        """Of each record from an export with such an id: id, title, year, first author, DOI and PMC id."""
        fields = ", ".join(f"json_extract(CAST(record AS TEXT), '$.{name}')" for name in _TOLD)
        readers = ", ".join("?" * len(exports()))
        query = (
            f"SELECT d.id, {fields} FROM documents d JOIN holds h ON h.id = d.id AND h.kept JOIN files f "  # noqa: S608
            f"ON f.number = h.file WHERE d.id GLOB ? AND f.reader IN ({readers}) ORDER BY d.id"
        )
        yield from self._execute(query, (like, *sorted(exports())))

    def kept_from(self, document_id: str) -> KnownFile | None:
        """The file whose version of a document is kept, or None."""
        query = "SELECT file FROM holds WHERE id = ? AND kept = 1"
        row = self._execute(query, (document_id,)).fetchone()
        return None if row is None else self.place(int(row[0]))

    def withdraw(self, document_id: str, number: int) -> bool:
        """Note that a file deletes a document; returns False where a later file has it again."""
        self._execute("INSERT OR IGNORE INTO withdrawn VALUES (?, ?)", (document_id, number))
        source = self.kept_from(document_id)
        return source is None or source.number == number or self.place(number).after(source)

    def is_withdrawn(self, document_id: str, number: int) -> bool:
        """Whether a file that comes after this one deletes a document that this one has.

        If this file itself deleted it before, it has it again now.
        """
        rows = self._execute("SELECT file FROM withdrawn WHERE id = ?", (document_id,)).fetchall()
        if not rows:  # as for nearly all
            return False
        self._execute("DELETE FROM withdrawn WHERE id = ? AND file = ?", (document_id, number))
        here = self.place(number)
        return any(not here.after(self.place(row[0])) for row in rows if row[0] != number)

    def withdrawn_by(self, number: int) -> list[str]:
        """Ids of the documents that a file deletes."""
        return [row[0] for row in self._execute("SELECT id FROM withdrawn WHERE file = ?", (number,))]

    def before_it(self, source: Input) -> str:
        """What to tell of a PubMed file that comes too late or again; empty if there is nothing."""
        release = release_of(source.name)
        if release is None:
            return ""
        query = "SELECT name FROM files WHERE reader = 'medline' AND name != ?"
        names = [row[0] for row in self._execute(query, (source.name,))]
        known = {found: name for name in names if (found := release_of(name)) is not None}
        if release in known:
            return f"PubMed's {release} was read before, as {known[release]}"
        if known and (latest := max(known)) > release:
            return f"older than {latest}, which was read before; that file's revisions and deletions are kept"
        return ""

    def place(self, number: int) -> KnownFile:
        """Where a file stands."""
        return known_files(self._connection, number=number).popitem()[1]

    def known(self) -> Mapping[str, KnownFile]:
        """All files by name."""
        return known_files(self._connection)

    def given_by(self, number: int) -> list[str]:
        """Ids of the documents that are kept as this file has them."""
        rows = self._execute("SELECT id FROM holds WHERE file = ? AND kept = 1", (number,))
        return [row[0] for row in rows]

    def others_with(self, ids: list[str], number: int) -> Iterator[str]:
        """Names of the other files that hold one of these documents."""
        query = "SELECT f.name FROM holds h JOIN files f ON f.number = h.file WHERE h.id = ? AND h.file != ?"
        for document_id in ids:
            yield from (row[0] for row in self._execute(query, (document_id, number)))

    def clear(self, number: int, *, holds: bool = True) -> None:
        """Forget what a file held and told, before it is read again."""
        for table in ("holds", "withdrawn", "raw", "notes") if holds else ("notes",):
            self._execute(f"DELETE FROM {table} WHERE file = ?", (number,))  # noqa: S608 fixed names
        name = "SELECT name FROM files WHERE number = ?"
        self._execute(f"DELETE FROM skipped WHERE input = ({name})", (number,))  # noqa: S608

    def remove(self, number: int) -> None:
        """Forget a file that has gone, and was cleared."""
        self._execute("DELETE FROM files WHERE number = ?", (number,))


def digest_of_rows(rows: Iterable[tuple[object, ...]]) -> str:
    """Hash of some rows in their order."""
    total = hashlib.sha256()
    for row in rows:
        total.update(repr(row).encode("utf-8", "surrogatepass"))
    return total.hexdigest()


def known_files(connection: sqlite3.Connection, **limits: str | int) -> dict[str, KnownFile]:
    """All files by name, or those of a `folder` or a `number`."""
    columns = "name, number, folder, reader, fingerprint, made_by, reason IS NOT NULL, passing"
    where = "".join(f" WHERE {name} = ?" for name in limits)
    query = f"SELECT {columns} FROM files{where} ORDER BY number"  # noqa: S608 fixed names
    rows = connection.execute(query, tuple(limits.values()))
    return {row[0]: KnownFile(*row[:-2], *map(bool, row[-2:])) for row in rows}
