"""The SQLite file of a snapshot under construction: adds documents and passages; every step can be resumed."""

import contextlib
import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from medground.corpus import tables
from medground.corpus.design import with_design
from medground.corpus.manifest import Counts, Enriched
from medground.corpus.readers.base import Ready
from medground.corpus.readers.entry import id_of_content
from medground.corpus.records import JoinTable, difference, fullness, one_record, restored, same_work
from medground.corpus.retraction import marked
from medground.corpus.tables import FileTable, KnownFile, PassageRow, decode, encode, exports
from medground.corpus.tally import Tally
from medground.values.document import Document
from medground.values.grouping import portions

_MADE = ("DOI:", "REF:")
"""Ids that readers make of what a record says."""
_PASSAGE = "number, document, start, stop, section, checksum"
_ENTRY = (
    "p.number, p.document, p.start, p.stop, p.section, p.checksum, d.record, d.digest "
    "FROM passages p JOIN documents d ON d.number = p.document"
)
_PROBLEMS = """
SELECT name || ': ' || reason FROM files WHERE reason IS NOT NULL
UNION ALL SELECT file || ifnull(':' || position, '') || ': ' || reason FROM skipped LIMIT 1
"""
_ONE_DOCUMENT = "SELECT record, digest FROM documents WHERE id = ?"


class DatabaseWriter:
    """Documents and passages of a snapshot under construction. Nothing is saved before `commit`; then it is on disk.

    Where the file is linked from an earlier snapshot, all changes stay in SQLite's log beside it.
    """

    def __init__(self, path: Path) -> None:
        self.folder = path.parent
        self._path = path
        self._linked = path.exists() and path.stat().st_nlink > 1
        self._connection = tables.opened_for_writing(path, linked=self._linked)
        self._execute = self._connection.execute
        self.files = FileTable(self._connection, version("medground"))
        self.joins = JoinTable(self._connection)
        self._tally = Tally(self._connection)
        self._retracts = self._number("SELECT count(*) FROM retracts") > 0
        self._execute("BEGIN")

    def close(self) -> None:
        """Close the file, dropping what was not committed. Safe to call twice."""
        if not self._linked:
            self._connection.close()
            return
        self._linked = False
        with contextlib.closing(sqlite3.connect(f"{self._path.resolve().as_uri()}?mode=ro", uri=True)) as other:
            other.execute("SELECT count(*) FROM state").fetchone()
            self._connection.close()  # it is not the last to close, which would write its log into the file
        self._path.with_name(f"{self._path.name}-shm").unlink(missing_ok=True)

    def commit(self) -> None:
        """Save everything so far, so that it survives a power failure."""
        self._tally.save()
        self._execute("COMMIT")
        self._execute("BEGIN")

    def finish(self) -> None:
        """Commit, and leave a single plain file, or a linked one and its log."""
        self._tally.save()
        for step in ("COMMIT", "PRAGMA optimize", *["PRAGMA wal_checkpoint(TRUNCATE)"] * (not self._linked)):
            self._execute(step)
        self.close()

    def forget_state(self) -> None:
        """Forget how far an earlier build got, so that a new one starts from its documents."""
        self._execute("DELETE FROM state")
        self._execute("DROP TABLE IF EXISTS kept")
        self._execute("DELETE FROM pending")

    def pending(self, what: Literal["freed", "gone", "amended"] | None = None) -> list[Any]:
        """What an earlier snapshot had that is not as it was, in order: numbers of the passages of documents that were
        `freed`, ids of these documents, or row numbers of those whose passages stay but whose other fields changed.
        """
        query = "SELECT value FROM pending WHERE what = coalesce(?, what) ORDER BY value"
        return [row[0] for row in self._execute(query, (what,))]

    def _pend(self, what: str, values: Sequence[int | str]) -> None:
        rows = [(what, value) for value in values]
        self._connection.executemany("INSERT OR IGNORE INTO pending VALUES (?, ?)", rows)

    def state(self, key: str) -> int:
        """A number from the state of the build; 0 if it was never set."""
        row = self._execute("SELECT value FROM state WHERE key = ?", (key,)).fetchone()
        return int(row[0]) if row else 0

    def set_state(self, key: str, value: int) -> None:
        """Set a number in the state of the build; saved by the next commit."""
        self._execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (key, value))

    def keep(self, ready: Ready, file: int) -> Document | None:
        """Add a document that a file holds. Returns the one of the same file that it replaced, if it is another paper.

        Of two records of a paper the fuller is kept, and what it lacks is filled from the other; PubMed's own files
        replace each other. A chapter with the DOI of its book gets an id of its own. Of other files of different
        readers the longer text is kept; otherwise, and between equal ones, the later. A document that a later file
        deletes is not added.
        """
        if self.files.is_withdrawn(ready.id, file):
            self.files.hold(ready.id, file, kept=False)
            return None
        source = self.files.kept_from(ready.id)
        if source is None:
            if self._is_retracted(ready.names) or self._execute(_ONE_DOCUMENT, (ready.id,)).fetchone():
                self.put(ready.document)
            else:
                self._insert(ready, ready.record, ready.digest)
            self.files.hold(ready.id, file, kept=True, is_new=True)
            return None
        document = ready.document
        place, before = self.files.place(file), self.own_record(document.id)
        same = before is None or same_work(before, document)
        both = {place.reader, source.reader} <= exports()
        own = document.id if same else id_of_content(document.title, document.text)
        if own != document.id and document.id.startswith(_MADE) and (both or source.number == file):
            return self.keep(tables.ready(document.replace(id=own)), file)
        keep = source.number == file or self._supersedes(document, place, source)
        if before and same and both and place.reader + source.reader != "medline" * 2:
            later, longer = source.number == file or place.after(source), len(document.text) - len(before.text)
            self.put(one_record(document, before) if later else one_record(before, document))
            keep = longer > 0 or (longer == 0 and later)
        elif keep:
            self.put(document)
        self.files.hold(document.id, file, kept=keep)
        return None if same or source.number != file else before

    def own_record(self, document_id: str) -> Document | None:
        """A document as its file has it; None if there is none."""
        return None if (stored := self._stored(document_id)) is None else self.own_version(stored)

    def unite(self, one: Document, other: Document, document: Document) -> None:
        """Replace two records by one, which the files of both hold."""
        for gone in (found.id for found in (one, other) if found.id != document.id):
            self.files.rename(gone, document.id)
            self.delete(gone)
        self.put(document)

    def forget_held(self, file: int) -> None:
        """Delete the documents that this file gave, and forget what else it said."""
        for document_id in self.files.given_by(file):
            self.delete(document_id)
        self.files.clear(file)

    def withdraw(self, document_id: str, file: int) -> bool:
        """Delete a document as a file says, unless a later file has it again; returns whether one was deleted."""
        return self.files.withdraw(document_id, file) and self.delete(document_id)

    def put(self, document: Document) -> None:
        """Add a document, or replace the one with the same id unless they are equal."""
        document = self._marked(document)
        record, digest = encode(document)
        known = self._execute("SELECT digest FROM documents WHERE id = ?", (document.id,)).fetchone()
        if known is not None:
            own = self.joins.own(document.id)
            if digest == (known[0] if own is None else own[0]):
                return
            self.joins.forget(document.id)
            self._delete(document.id)
        self._insert(document, record, digest)

    def _stored(self, document_id: str) -> Document | None:
        row = self._execute(_ONE_DOCUMENT, (document_id,)).fetchone()
        return None if row is None else decode(*row)

    def own_version(self, document: Document) -> Document:
        """A stored document as its file has it, without what a record filled."""
        own = self.joins.own(document.id)
        return document if own is None else restored(document, own[1])

    def amend(self, stored: Document, own: Document, document: Document) -> None:
        """Replace a stored document by one with the same text, and keep it as its `own` file has it."""
        own, document = self._marked(own), self._marked(document)
        differs = None if document == own else (encode(own)[1], difference(own, document))
        self.joins.keep_own(document.id, differs)
        if document == stored:
            return
        record, digest = encode(document)
        number = self._number("SELECT number FROM documents WHERE id = ?", document.id)
        if document.title != stored.title:  # it is part of what is embedded
            self._delete(document.id)
            self._insert(document, record, digest)
            return
        query = "UPDATE documents SET record = ?, digest = ?, year = ?, retraction = ? WHERE number = ?"
        self._execute(query, (record, digest, document.year, document.retraction, number))
        self._pend("amended", [number])

    def _marked(self, document: Document) -> Document:
        """The document as it is searched and counted by: what is known now, what its own words say of
        its design, and what a notice that was read says."""
        document = marked(with_design(document))
        if document.retraction in ("none", "concern") and self._is_retracted(tables.names_of(document)):
            return document.replace(retraction="retracted")
        return document

    def _is_retracted(self, names: Sequence[str]) -> bool:
        query = "SELECT count(*) FROM retracts WHERE id IN (?, ?)"
        return self._retracts and self._number(query, *names) > 0

    def _insert(self, document: Document | Ready, record: bytes, digest: bytes) -> None:
        self._execute(
            "INSERT INTO documents (id, record, digest, year, kind, retraction) VALUES (?, ?, ?, ?, ?, ?)",
            (document.id, record, digest, document.year, document.kind, document.retraction),
        )

    def delete(self, document_id: str) -> bool:
        """Delete a document; returns False if it does not exist."""
        self.joins.forget(document_id)
        self._execute("DELETE FROM raw WHERE id = ?", (document_id,))
        return self._delete(document_id)

    def _delete(self, document_id: str) -> bool:
        row = self._execute("SELECT number FROM documents WHERE id = ?", (document_id,)).fetchone()
        if row is None:
            return False
        freed = self._execute("DELETE FROM passages WHERE document = ? RETURNING number", row).fetchall()
        if freed:
            self._pend("freed", [number for (number,) in freed])
            self._pend("gone", [document_id])
        self._execute("DELETE FROM documents WHERE number = ?", row)
        return True

    def retract(self, document_id: str) -> None:
        """Mark a document as retracted, whether it was already added or comes later."""
        self._execute("INSERT OR IGNORE INTO retracts VALUES (?)", (document_id,))
        self._retracts = True
        for each in (document_id, *self.joins.joined_with(document_id)):
            if (stored := self._stored(each)) is not None:
                self.amend(stored, self.own_version(stored), stored)

    def skip(self, input_name: str, file: str, position: int | None, reason: str) -> None:
        """Note a record that could not be read."""
        self._execute("INSERT INTO skipped VALUES (?, ?, ?, ?)", (input_name, file, position, reason))

    def count(self) -> int:
        """Number of documents."""
        return self._tally.count("documents")

    def first_problem(self) -> str:
        """The first file or record that could not be read, and why; empty if there is none."""
        row = self._execute(_PROBLEMS).fetchone()
        return row[0] if row else ""

    def uncut(self) -> Iterator[tuple[int, Document]]:
        """Documents that have no passages yet, in order, with their row numbers."""
        last = self._number("SELECT coalesce(max(document), 0) FROM passages")
        query = "SELECT number, record, digest FROM documents WHERE number > ? ORDER BY number LIMIT 100"
        while rows := self._execute(query, (last,)).fetchall():
            yield from ((number, decode(record, digest)) for number, record, digest in rows)
            last = rows[-1][0]

    def place(self, rows: Iterable[PassageRow]) -> None:
        """Store passages that have their numbers."""
        columns = (row.columns() for row in rows)
        self._connection.executemany("INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?)", columns)

    def fill(self, holes: Sequence[int], total: int) -> list[tuple[int, int, int]]:
        """Move the passages from number `total` to these numbers, so that no number is missing.

        Returns the old number, the new one and the row number of the document of each.
        """
        query = f"SELECT {_PASSAGE} FROM passages WHERE number >= ? ORDER BY number"  # noqa: S608 fixed names
        rows = [PassageRow.checked(row) for row in self._execute(query, (total,))]
        moving = list(zip(rows, holes, strict=True))
        self._execute("DELETE FROM passages WHERE number >= ?", (total,))
        self.place(replace(row, number=hole) for row, hole in moving)
        return [(row.number, hole, row.document) for row, hole in moving]

    def passages_of(self, document: int) -> list[tuple[PassageRow, Document]]:
        """The passages of a document by its row number; none if there is no such document."""
        query = f"SELECT {_PASSAGE} FROM passages WHERE document = ? ORDER BY number"  # noqa: S608 fixed names
        stored = "SELECT record, digest FROM documents WHERE number = ?"
        known = self._execute(stored, (document,)).fetchone()
        if known is None:
            return []
        found = decode(*known)
        return [(PassageRow.checked(row), found) for row in self._execute(query, (document,))]

    def passage_count(self) -> int:
        """Number of passages."""
        return self._tally.count("passages")

    def passages_from(self, first: int) -> Iterator[tuple[PassageRow, Document]]:
        """Passages from number `first`, in order, each with its document."""
        while entries := self._entries("p.number >= ? ORDER BY p.number LIMIT 100", (first,)):
            yield from entries
            first = entries[-1][0].number + 1

    def entries(self, numbers: Sequence[int]) -> Iterator[tuple[PassageRow, Document]]:
        """Passages with these numbers, in the same order, each with its document."""
        for some in portions(numbers, 100):
            marks = ", ".join("?" * len(some))
            found = {entry[0].number: entry for entry in self._entries(f"p.number IN ({marks})", some)}
            yield from (found[number] for number in some)

    def _entries(self, where: str, values: Sequence[int]) -> list[tuple[PassageRow, Document]]:
        query = f"SELECT {_ENTRY} WHERE {where}"
        known: dict[int, Document] = {}
        found = []
        for row in self._execute(query, values).fetchall():
            passage = PassageRow.checked(row[:6])
            if passage.document not in known:
                known[passage.document] = decode(*row[6:])
            found.append((passage, known[passage.document]))
        return found

    def digest(self, settings: Sequence[str]) -> str:
        """Hash of all documents and records, in any order, and of the settings that shape the snapshot."""
        content = self._tally.total("documents") + self._tally.total("raw")
        return hashlib.sha256(repr(list(settings)).encode() + content).hexdigest()

    def sources(self, enriched: Sequence[Enriched]) -> str:
        """Hash of what is known of the files that were read, and of what became of joining their documents."""
        files, joins = self.files.digest(), self.joins.digest()
        if not joins and not enriched:
            return files
        return hashlib.sha256(repr((files, joins, enriched)).encode()).hexdigest()

    def counts(self, deleted: int) -> Counts:
        """The counts for the manifest."""
        return Counts(
            documents=self.count(),
            passages=self.passage_count(),
            skipped=self._number("SELECT count(*) FROM skipped"),
            passed_over=self._number("SELECT count(*) FROM files WHERE reason IS NOT NULL"),
            deleted=deleted,
            retracted=self._number("SELECT count(*) FROM documents WHERE retraction = 'retracted'"),
        )

    def _supersedes(self, document: Document, file: KnownFile, other: KnownFile) -> bool:
        if file.reader != other.reader:
            stored = self._stored(document.id)
            if more := fullness(document) - (fullness(stored) if stored else 0):
                return more > 0
        return file.after(other)

    def _number(self, query: str, *values: str) -> int:
        return int(self._execute(query, values).fetchone()[0])
