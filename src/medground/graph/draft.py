"""A concept graph while it is built: records are streamed into a file, so memory does not grow with the vocabularies.

Each file of a vocabulary is one transaction. A build that was killed resumes with the first file that it has not
finished. A draft is never opened by users: the graph that they open is written last, under another name (`writing.py`).
"""

import contextlib
import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from medground.corpus.readers.base import within_limits
from medground.corpus.readers.values import one_line
from medground.errors import BadDocument, StorageFailed, UsageError
from medground.graph.names import name_key
from medground.graph.pages import Predicate, worded
from medground.graph.vocabularies import base as forms
from medground.home.files import make_folder, script, tables
from medground.values.steps import Progress, no_progress

_DANGLING: str = tables("graph", "statements")["draft"]["dangling"]


def resolve(connection: sqlite3.Connection, progress: Progress) -> None:
    """Fill the tables from which documents are written. Rows about concepts that are not there are left out, counted.

    Within the caller's transaction.
    """
    steps = [step for step in script("graph", "resolve").split(";") if step.strip()]
    for done, statement in enumerate(steps, start=1):
        connection.execute(statement)
        progress("resolve", done, len(steps) + 1)
    dangling = connection.execute(_DANGLING).fetchone()[0]
    if dangling:
        note = f"{dangling:,} relations left out: one of their concepts is in none of the vocabularies, or filtered out"
        connection.execute("INSERT OR IGNORE INTO notes VALUES (?)", (note,))


_INSERT = {
    "concepts": "INSERT OR IGNORE INTO concepts (id, name, key, vocabulary) VALUES (?, ?, ?, ?)",
    "names": "INSERT INTO read_names VALUES (?, ?, ?, ?)",
    "types": "INSERT INTO read_types VALUES (?, ?)",
    "definitions": "INSERT INTO read_definitions VALUES (?, ?, ?, ?)",
    "relations": "INSERT INTO read_relations VALUES (?, ?, ?, ?, ?)",
}
_CACHE = "PRAGMA cache_size = -65536"  # 64 MiB, whatever the size of the file
_BATCH = 10_000
_LOCK_SECONDS = 1.0
"""Seconds to wait for another process that has the draft open."""


class Draft:
    """Reads vocabularies into a file, in order. Where two give the same concept, the first one's name counts.

    A file that was left by an interrupted build of the same vocabularies is continued.

    Raises UsageError: another process is writing it; StorageFailed: the file cannot be written.
    """

    def __init__(self, path: Path, vocabularies: Sequence[forms.Vocabulary], progress: Progress = no_progress) -> None:
        self.path = path
        self.vocabularies = tuple(vocabularies)
        self._progress = progress
        self._key = fingerprint(vocabularies)
        with _writing(path):
            make_folder(path.parent)
        self.connection = self._opened()
        self._waiting: dict[str, list[tuple[object, ...]]] = {}
        self._predicates: dict[str, int] = {
            name: number for number, name in self.connection.execute("SELECT number, name FROM predicates")
        }

    def read(self) -> None:
        """Read every file that is not read yet, then resolve names and ids. Safe to call again.

        Raises BadDocument: a file is not what it claims to be, or there is no concept in any vocabulary; StorageFailed:
        writing to disk failed.
        """
        with _writing(self.path):
            for number, vocabulary in enumerate(self.vocabularies):
                for part in range(len(vocabulary.parts)):
                    self._read_part(number, part)
                self._check_not_empty(number)
            if self.state("resolved") is None:
                with self.connection:
                    resolve(self.connection, self._progress)
                    self.set_state("resolved", "yes")

    def state(self, key: str) -> str | None:
        """A note that the build left for itself."""
        row = self.connection.execute("SELECT value FROM state WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def set_state(self, key: str, value: str) -> None:
        """Leave a note; it is kept with the next commit."""
        self.connection.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (key, value))

    def notes(self) -> tuple[str, ...]:
        """What the readers tell the user."""
        return tuple(row[0] for row in self.connection.execute("SELECT text FROM notes ORDER BY rowid"))

    def close(self) -> None:
        """Close the file. Safe to call twice."""
        self.connection.close()

    def remove(self) -> None:
        """Close and delete the file, once the graph is published."""
        self.close()
        for path in (self.path, self.path.with_name(f"{self.path.name}-journal")):
            path.unlink(missing_ok=True)

    def _opened(self) -> sqlite3.Connection:
        for _ in range(2):
            try:
                # The build reads in one thread and may write in another, but never at the same time.
                connection = sqlite3.connect(self.path, timeout=_LOCK_SECONDS, check_same_thread=False)
                connection.execute(_CACHE)
                connection.execute("PRAGMA synchronous = FULL")  # damage that SQLite does not see would stay
                if self._fits(connection):
                    return connection
                connection.close()
            except sqlite3.OperationalError as error:
                raise _storage_error(self.path, error) from None
            except sqlite3.DatabaseError:
                pass
            self.path.unlink(missing_ok=True)
        raise StorageFailed(f"cannot write {self.path}; choose another folder")

    def _fits(self, connection: sqlite3.Connection) -> bool:
        """Whether the file is a draft of these vocabularies; a new file becomes one."""
        if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            with connection:
                connection.executescript(script("graph", "draft"))
                connection.execute("INSERT INTO state VALUES ('key', ?)", (self._key,))
                connection.executemany(
                    "INSERT INTO vocabularies VALUES (?, ?, ?, ?, ?, ?)",
                    [(n, v.name, v.licence, v.origin, v.both_ways, v.joins) for n, v in enumerate(self.vocabularies)],
                )
            return True
        row = connection.execute("SELECT value FROM state WHERE key = 'key'").fetchone()
        return row is not None and row[0] == self._key

    def _read_part(self, vocabulary: int, number: int) -> None:
        known = (vocabulary, number)
        if self.connection.execute("SELECT 1 FROM parts WHERE vocabulary = ? AND part = ?", known).fetchone():
            return
        part = self.vocabularies[vocabulary].parts[number]
        try:
            with self.connection:  # all of a file, or nothing of it
                for done, record in enumerate(within_limits(part.records, part.name), start=1):
                    self._store(forms.checked(record), vocabulary)
                    if done % _BATCH == 0:
                        self._progress(f"read {Path(part.name).name}", done, None)
                self._flush(*self._waiting.copy())
                self.connection.execute("INSERT INTO parts VALUES (?, ?)", known)
        except BaseException as error:
            self._waiting.clear()
            self._predicates = dict(self.connection.execute("SELECT name, number FROM predicates"))
            if isinstance(error, ValueError):
                raise BadDocument(str(error), file=part.name) from error
            raise

    def _store(self, record: forms.Record, vocabulary: int) -> None:
        match record:
            case forms.RelationRecord(subject, predicate, thing, details):
                if subject != thing:
                    limits = "; ".join(map(one_line, details))
                    self._put("relations", (subject, self._predicate(predicate), thing, limits, vocabulary))
            case forms.NameRecord(concept, text, scope):
                if text := one_line(text):
                    self._put("names", (concept, text, scope, name_key(text)))
            case forms.ConceptRecord(concept, name, types):
                name = one_line(name) or concept
                key = name_key(name)
                self._put("concepts", (concept, name, key, vocabulary))
                self._put("names", (concept, name, "name", key))
                for kind in types:
                    self._put("types", (concept, one_line(kind)))
            case forms.DefinitionRecord(concept, text, label, source):
                if text := one_line(text):
                    self._put("definitions", (concept, text, label, source))
            case forms.TypeRecord(concept, kind):
                self._put("types", (concept, one_line(kind)))
            case forms.PredicateRecord(predicate, forward, inverse):
                self._predicate(predicate, forward, inverse)
            case forms.NoteRecord(text):
                self.connection.execute("INSERT OR IGNORE INTO notes VALUES (?)", (one_line(text),))

    def _put(self, table: str, row: tuple[object, ...]) -> None:
        """Rows are stored in batches: one by one takes three times as long."""
        waiting = self._waiting.setdefault(table, [])
        waiting.append(row)
        if len(waiting) == _BATCH:
            self._flush(table)

    def _flush(self, *tables: str) -> None:
        for table in tables:
            self.connection.executemany(_INSERT[table], self._waiting.pop(table, []))

    def _predicate(self, name: str, forward: str = "", inverse: str = "") -> int:
        number = self._predicates.get(name)
        wording = Predicate(one_line(forward), one_line(inverse)) if inverse else worded(one_line(forward) or name)
        if number is None:
            cursor = self.connection.execute("INSERT INTO predicates VALUES (NULL, ?, ?, ?)", (name, *wording))
            number = self._predicates[name] = int(cursor.lastrowid or 0)
        elif forward:  # an ontology may name its predicates after its terms
            update = "UPDATE predicates SET forward = ?, inverse = ? WHERE number = ?"
            self.connection.execute(update, (*wording, number))
        return number

    def _check_not_empty(self, number: int) -> None:
        if self.connection.execute("SELECT 1 FROM concepts WHERE vocabulary = ? LIMIT 1", (number,)).fetchone():
            return
        same = self.vocabularies[number]
        raise BadDocument(
            f"{same.name} has no concept to add; check its filters, and that it is not listed twice",
            file=same.parts[0].name if same.parts else "",
        )


def fingerprint(vocabularies: Sequence[forms.Vocabulary]) -> str:
    """Changes when a file, the order or the settings of the vocabularies do."""
    content = [(v.name, v.both_ways, v.joins, [(p.name, p.fingerprint) for p in v.parts]) for v in vocabularies]
    return hashlib.sha256(repr(("1", content)).encode()).hexdigest()[:32]


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise _storage_error(path, error) from None


def _storage_error(path: Path, error: Exception) -> StorageFailed | UsageError:
    """An error of the disk or of SQLite as our own; a damaged draft is deleted."""
    if "locked" in str(error):
        return UsageError(f"{path} is being written by another process; wait for it or stop it")
    if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
        path.unlink(missing_ok=True)
        return StorageFailed(
            f"the unfinished graph {path} was damaged and has been deleted; run the same command again"
        )
    return StorageFailed(f"cannot write {path} ({error}); free some space or choose another folder")
