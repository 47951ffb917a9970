"""The documents and passages of a finished snapshot."""

import threading
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medground.corpus.faults import reading
from medground.corpus.reports import DocumentReport, FileEntry, FileReport, SameId, document_reports
from medground.corpus.tables import KnownFile, PassageRow, decode, known_files, opened
from medground.values.document import Document, Passage
from medground.values.grouping import grouped, portions

_AT_ONCE = 500
"""SQLite limits the number of values in one statement."""
_SAME_IDS = """
SELECT h.id, h.kept, f.name FROM holds h JOIN files f ON f.number = h.file
WHERE h.id IN (SELECT id FROM holds WHERE NOT kept) ORDER BY h.id, f.number
"""


@dataclass(frozen=True)
class Skipped:
    """A record that could not be read."""

    input: str
    file: str
    position: int | None
    reason: str


class Database:
    """Reads the SQLite file of a snapshot, from any thread.

    All methods raise SnapshotCorrupt when a row is not what the build stored.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        with reading(folder):
            self._connection = opened(folder)
            self._connection.execute("SELECT count(*) FROM state").fetchone()

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def documents(self, ids: Sequence[str]) -> dict[str, Document]:
        """Documents by id, in the requested order; unknown ids are omitted."""
        query = "SELECT record, digest FROM documents WHERE id IN ({})"
        with reading(self.folder):
            stored = [decode(*row) for rows in self._in(query, list(dict.fromkeys(ids))) for row in rows]
        found = {document.id: document for document in stored}
        return {document_id: found[document_id] for document_id in ids if document_id in found}

    def raw_records(self, ids: Sequence[str]) -> dict[str, bytes]:
        """The XML of documents that were read from MEDLINE or PubMed XML, by id; others are omitted."""
        query = "SELECT id, xml FROM raw WHERE id IN ({})"
        with reading(self.folder):
            rows = (row for rows in self._in(query, ids) for row in rows)
            return {document_id: zlib.decompress(xml) for document_id, xml in rows}

    def holders(self, numbers: Sequence[int]) -> list[str]:
        """Ids of the documents that hold these passages, each once, in the order of their building."""
        query = "SELECT DISTINCT d.number, d.id FROM passages p JOIN documents d ON d.number = p.document"
        with reading(self.folder):
            rows = {row for found in self._in(f"{query} WHERE p.number IN ({{}})", numbers) for row in found}
        return [document_id for _, document_id in sorted(rows)]

    def passages(self, numbers: Sequence[int]) -> list[Passage]:
        """Passages by number, in the requested order."""
        with reading(self.folder):
            rows: dict[int, PassageRow] = {}
            columns = "number, document, start, stop, section, checksum"
            for found in self._in(f"SELECT {columns} FROM passages WHERE number IN ({{}})", numbers):  # noqa: S608
                rows.update((row[0], PassageRow.checked(row)) for row in found)
            documents: dict[int, Document] = {}
            wanted = list(dict.fromkeys(row.document for row in rows.values()))
            for found in self._in("SELECT number, record, digest FROM documents WHERE number IN ({})", wanted):
                documents.update((number, decode(record, digest)) for number, record, digest in found)
            missing = [n for n in numbers if n not in rows or rows[n].document not in documents]
            if missing:
                raise ValueError(f"passage {missing[0]} is missing")
            chosen = [rows[number] for number in numbers]
            return [documents[row.document].passage(row.start, row.stop, row.section) for row in chosen]

    def all_documents(self) -> Iterator[Document]:
        """All documents, streamed in the order of their ids."""
        last = ""
        query = f"SELECT record, digest FROM documents WHERE id > ? ORDER BY id LIMIT {_AT_ONCE}"  # noqa: S608
        while True:
            with reading(self.folder):
                with self._lock:
                    rows = self._connection.execute(query, (last,)).fetchall()
                found = [decode(record, digest) for record, digest in rows]
            if not found:
                return
            yield from found
            last = found[-1].id

    def skipped(self, limit: int = 20) -> list[Skipped]:
        """The first records that could not be read during the build; all of them with a limit of -1."""
        query = "SELECT input, file, position, reason FROM skipped ORDER BY rowid LIMIT ?"
        with reading(self.folder), self._lock:
            return [Skipped(*row) for row in self._connection.execute(query, (limit,)).fetchall()]

    def known_files(self, folder: str | None = None) -> dict[str, KnownFile]:
        """The files that were found in a folder, or all, by name, as they were when they were read."""
        with reading(self.folder), self._lock:
            return known_files(self._connection, **({"folder": folder} if folder else {}))

    def document_reports(self) -> list[DocumentReport]:
        """What became of each document with each source of records, by file."""
        with reading(self.folder), self._lock:
            return [*document_reports(self._connection)]

    def file_of(self, document_id: str) -> Path | None:
        """The file from which a document was read, whether or not it still exists; None if that was not noted."""
        query = "SELECT f.name FROM holds h JOIN files f ON f.number = h.file WHERE h.id = ? AND h.kept = 1"
        with reading(self.folder), self._lock:
            row = self._connection.execute(query, (document_id,)).fetchone()
        return None if row is None else Path(row[0])

    def file_report(self) -> FileReport:
        """Which files were read or skipped, what their readers noted, and which ids are in several of them."""
        with reading(self.folder), self._lock:
            execute = self._connection.execute
            files = [FileEntry(*row) for row in execute("SELECT name, reader, reason FROM files ORDER BY number")]
            notes = grouped(execute("SELECT n.text, f.name FROM notes n JOIN files f ON f.number = n.file"))
            kept: dict[str, str] = {}
            others: dict[str, list[str]] = {}
            for document_id, is_kept, name in execute(_SAME_IDS):
                if is_kept:
                    kept[document_id] = name
                else:
                    others.setdefault(document_id, []).append(name)
            several = [SameId(one, kept.get(one, ""), tuple(names)) for one, names in others.items()]
            return FileReport(files, notes, several)

    def check(self) -> None:
        """Run SQLite's own check for structural damage."""
        with reading(self.folder), self._lock:
            verdict = self._connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if verdict != "ok":
                raise ValueError(str(verdict))

    def _in(self, query: str, values: Sequence[str] | Sequence[int]) -> Iterator[list[Any]]:
        """The rows of a query with `IN ({})`, in batches."""
        for batch in portions(values, _AT_ONCE):
            with self._lock:
                yield self._connection.execute(query.format(", ".join("?" * len(batch))), batch).fetchall()
