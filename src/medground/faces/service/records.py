"""What a service writes down: tokens, whose an answer is, what was used. One SQLite file with file mode 0600.

Where the file cannot be written to, because the disk is full or may only be read, a copy in memory stands in for it, so
that questions are answered and limits hold. What is changed there is written to the file as soon as that is possible.

A home for which tokens were made never opens by accident: a second file, `MARK`, says so where this one is lost.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

from medground.errors import StorageFailed
from medground.faces.service.values import LOCAL
from medground.home.files import script, write_whole

log = logging.getLogger(__name__)

FILE_NAME = "service.sqlite"
MARK = "asks-for-tokens"
_MARKED = "Access tokens have been created for this home folder. Servers require one as long as this file exists.\n"
_UNKNOWN = "unknown"
"""The owner of an answer whose record was lost: not a person known to a server. The command line shows every answer."""
_KEPT = ("answers", "traces", "research")
_PAUSE = 5.0
"""Seconds until a file that could not be written to is tried again."""
_MOST_UNWRITTEN = 100_000
"""Changes that wait for the file; the oldest are given up."""
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
_CANNOT_WRITE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR)
Statement = tuple[str, tuple[object, ...]]
_VERSION = 1
"""Goes up with every change of the tables that an older file lacks."""
_WAIT = 10.0
"""Seconds to wait for another process that writes, such as `medground token create`."""


class Records:
    """The file `service/service.sqlite` of a home folder. Blocks; safe to use in several threads.

    `must_keep`: whether a change that the file does not take is an error.

    Raises StorageFailed: it cannot be read, is of another version of Medground, or cannot be written to and must be.
    """

    def __init__(self, home: Path, *, must_keep: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self.path = home / "service" / FILE_NAME
        self._home = home
        self._marked = home / MARK
        self._is_whole = True
        self._must_keep = must_keep
        self._clock = clock
        self._lock = threading.Lock()
        self._unwritten: deque[tuple[Statement, ...]] = deque(maxlen=_MOST_UNWRITTEN)
        self._stands_in = False
        self._again = 0.0
        with self._told():
            try:
                self._connection = self._opened()
            except (OSError, sqlite3.OperationalError) as error:
                self._connection = self._copied(error)
        recorded = self._has_others()
        if recorded or not self._is_whole or self.had_tokens():
            with contextlib.suppress(StorageFailed):  # in a home that cannot be written to
                self.mark()
            if not recorded or not self._is_whole:
                self._disown()

    def had_tokens(self) -> bool:
        """Whether anybody ever had a token for this home: its mark says so, or what is recorded.

        Raises StorageFailed: neither can be read.
        """
        with self._told(self._marked), contextlib.suppress(FileNotFoundError, NotADirectoryError):
            self._marked.lstat()
            return True
        return self._has_others()

    def _has_others(self) -> bool:
        others = "SELECT EXISTS (SELECT 1 FROM tokens) OR EXISTS (SELECT 1 FROM answers WHERE owner <> ?)"
        return bool(self.rows(others, LOCAL.id)[0][0])

    def mark(self) -> None:
        """Mark this home as one for which there was a token. Raises StorageFailed: the mark cannot be written."""
        with self._told(self._marked):
            if not self._marked.exists():
                write_whole(self._marked, _MARKED, private=True)

    def _disown(self) -> None:
        """Where records are lost, what was kept before is of an unknown owner, not of the local user."""
        names = {one.name.partition(".")[0] for folder in _KEPT for one in (self._home / folder).glob("*")}
        statement = "INSERT INTO answers VALUES (?, ?, '9999') ON CONFLICT DO NOTHING"  # never too old to keep
        self.change(*((statement, (name, _UNKNOWN)) for name in ("", *names)))  # one row at least: done once
        log.warning(
            "the owners of the saved answers are lost, so servers show them to nobody; medground history lists them"
        )

    def rows(self, statement: str, *values: object) -> list[tuple[object, ...]]:
        """The rows of a query. Raises StorageFailed: the file is damaged or in use for too long."""
        with self._lock, self._told():
            self._return()
            self._check_place()
            return self._connection.execute(statement, values).fetchall()

    def change(self, *statements: Statement) -> int:
        """Carry out statements, all or none; the number of rows that they changed.

        Raises StorageFailed: the file is damaged or in use for too long, or does not take them and must.
        """
        with self._lock, self._told():
            self._return()
            self._check_place()
            if not self._stands_in:
                try:
                    return _commit(self._connection, statements)
                except sqlite3.OperationalError as error:
                    full = self._connection
                    self._connection = self._copied(error)
                    full.close()
            changed = _commit(self._connection, statements)
            self._unwritten.append(statements)
            return changed

    def close(self) -> None:
        """Close the file once it is not in use; nothing is read or written afterwards. Safe to call twice."""
        with self._lock:  # SQLite crashes if another thread is at work
            self._connection.close()

    def _opened(self) -> sqlite3.Connection:
        """The file, ready to be written to."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path.touch(mode=0o600)
        self.path.chmod(0o600)
        connection = _connect(str(self.path))
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            (found,) = connection.execute("PRAGMA user_version").fetchone()
            if found not in (0, _VERSION):
                raise StorageFailed(
                    f"{self.path} is of another version of Medground; use that version, or move the file away: answers "
                    "stay, tokens are made again"
                )
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
            self._is_whole = not found or {"tokens", "answers"} <= tables
            connection.executescript(f"{script('faces/service', 'records')} PRAGMA user_version = {_VERSION};")
            connection.execute(f"PRAGMA user_version = {_VERSION}")  # shows whether it can be written to
        except BaseException:
            connection.close()
            raise
        self._file = _identity(self.path)
        return connection

    def _check_place(self) -> None:
        """Check that the open file is still the one that other processes see, such as `medground token revoke`."""
        if not self._stands_in and _identity(self.path) != self._file:
            raise StorageFailed(f"{self.path} was emptied, moved or deleted while in use; restart the server")

    def _copied(self, error: OSError | sqlite3.OperationalError) -> sqlite3.Connection:
        """A copy of the file in memory, if what went wrong is that it cannot be written to."""
        cannot_write = isinstance(error, OSError) or error.sqlite_errorcode & 0xFF in _CANNOT_WRITE
        if self._must_keep or not cannot_write:
            raise error
        memory = _connect(":memory:")
        if self.path.is_file():
            with closing(self._read_only()) as file:
                file.backup(memory)
        memory.executescript(script("faces/service", "records"))
        reason = error.strerror if isinstance(error, OSError) else error
        _tell_once(self.path, str(reason))
        self._stands_in, self._again = True, self._clock() + _PAUSE
        return memory

    def _read_only(self) -> sqlite3.Connection:
        """The file where nothing can be written next to it either: as it is, unless it has changes of its own there."""
        changes = self.path.with_name(f"{FILE_NAME}-wal")
        as_it_is = not changes.exists() or changes.stat().st_size == 0
        return _connect(f"{self.path.absolute().as_uri()}?mode=ro{'&immutable=1' if as_it_is else ''}")

    def _return(self) -> None:
        """Write to the file what only memory holds, if that has become possible."""
        if not self._stands_in or self._clock() < self._again:
            return
        self._again = self._clock() + _PAUSE
        try:
            file = self._opened()
        except (OSError, sqlite3.OperationalError):
            return
        try:
            _commit(file, [one for statements in self._unwritten for one in statements])
        except sqlite3.OperationalError:
            file.close()
            return
        self._unwritten.clear()
        self._stands_in, memory, self._connection = False, self._connection, file
        memory.close()

    @contextmanager
    def _told(self, path: Path | None = None) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            damaged = getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED
            advice = (
                "move it away and restart; answers are kept; create new tokens with medground token create NAME"
                if damaged
                else "free some space or check permissions"
            )
            raise StorageFailed(f"{path or self.path} cannot be used ({reason}); {advice}") from None


@cache
def _tell_once(path: Path, reason: str) -> None:
    log.warning("usage is recorded in memory only: cannot write to %s (%s)", path, reason)


def _identity(path: Path) -> tuple[int, int] | None:
    """Tells a file that is not empty from every other."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return (found.st_dev, found.st_ino) if found.st_size else None


def _connect(place: str) -> sqlite3.Connection:
    return sqlite3.connect(
        place,
        timeout=_WAIT,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=64,
        uri=place.startswith("file:"),
    )


def _commit(connection: sqlite3.Connection, statements: Sequence[Statement]) -> int:
    before = connection.total_changes
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement, values in statements:
            connection.execute(statement, values)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite may have rolled back by itself
            connection.execute("ROLLBACK")
        raise
    return connection.total_changes - before
