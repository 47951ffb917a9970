"""Where a service writes down what it shares: an SQLite file with mode 0600, or a PostgreSQL database.

Where the file cannot be written to, because the disk is full or may only be read, a copy in memory stands in for it, so
that questions are answered and limits hold. What is changed there is written to the file as soon as that is possible.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import StaticPool

from medground.errors import StorageFailed, needing
from medground.home.files import script

log = logging.getLogger(__name__)
T = TypeVar("T")

_VERSION = 1
"""Goes up with every change of the tables that an older Medground cannot read."""
_PAUSE = 5.0
"""Seconds until a file that could not be written to is tried again."""
_MOST_UNWRITTEN = 100_000
"""Changes that wait for the file; the oldest are given up."""
_CANNOT_WRITE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR)
_WAIT = 10.0
"""Seconds to wait for another process that writes, and for a database that does not answer."""


class Transaction:
    """What is read and written together, all or nothing. Values stand for each `?` of a statement."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.is_file = connection.dialect.name == "sqlite"

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        return [tuple(row) for row in self._connection.exec_driver_sql(self._own(statement), values)]

    def change(self, statement: str, *values: object) -> int:
        """How many rows a statement changed."""
        return self._connection.exec_driver_sql(self._own(statement), values).rowcount

    def lock(self, name: str) -> None:
        """Wait until no other transaction holds this name. An SQLite file has one writer at a time in any case."""
        if not self.is_file:
            self.rows("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", name)

    def prepare(self, place: str) -> bool:
        """Make the tables that are missing; whether the first ones are all there, or were made now.

        Raises StorageFailed: they are of another version of Medground.
        """
        self.lock("medground tables")
        known = set(inspect(self._connection).get_table_names())
        if self.is_file:
            number = self.rows("PRAGMA user_version")[0][0]
        else:
            number = self.rows("SELECT number FROM version")[0][0] if "version" in known else 0
        if number not in (0, _VERSION):
            raise StorageFailed(
                f"{place} is of another version of Medground; use that version, or move the file away: answers "
                "stay, tokens are made again"
            )
        self._run("records")
        if "repeats" in known:
            self._run("records_moved")
        if self.is_file:
            self.change(f"PRAGMA user_version = {_VERSION}")  # shows whether it can be written to
        elif not number:
            self.change("CREATE TABLE version (number INTEGER NOT NULL)")
            self.change("INSERT INTO version VALUES (?)", _VERSION)
        return not number or {"tokens", "answers"} <= known

    def _run(self, name: str) -> None:
        whole = script("faces/service", name)
        if not self.is_file:  # where texts have the order of their code points, too
            whole = whole.replace(" WITHOUT ROWID", "").replace(" TEXT", ' TEXT COLLATE "C"')
        for statement in whole.split(";\n"):
            if statement.strip():
                self.change(statement)

    def _own(self, statement: str) -> str:
        return statement if self.is_file else statement.replace("?", "%s")


Work = Callable[[Transaction], T]


class Database(Protocol):
    """What `Records` needs of the place where it writes. Safe to use in several threads."""

    place: str
    is_whole: bool
    """Whether nothing was missing when it was opened."""
    is_shared: bool
    """Whether other processes see what is written, which a copy in memory does not show them."""

    def run(self, work: Work[T], *, writes: bool) -> T:
        """Do some work in one transaction; it may be done twice, so it changes nothing else."""
        ...

    def close(self) -> None:
        """Nothing is read or written afterwards. Safe to call twice."""
        ...


class Postgres:
    """A database that servers on several machines share. `url`: where it is, with its password."""

    is_shared = True

    def __init__(self, url: URL) -> None:
        self.place = url.render_as_string().replace("+psycopg", "")
        waiting = {"connect_timeout": _WAIT // 2, "options": f"-c statement_timeout={_WAIT:.0f}s"}
        with needing("group", "a PostgreSQL database"):
            self._engine = create_engine(
                url, pool_pre_ping=True, pool_timeout=_WAIT, hide_parameters=True, connect_args=waiting
            )
        self.is_whole = self.run(lambda at: at.prepare(self.place), writes=True)

    def run(self, work: Work[T], *, writes: bool) -> T:
        with self._engine.begin() as connection:
            return work(Transaction(connection))

    def close(self) -> None:
        self._engine.dispose()


class SqliteFile:
    """A file that all processes of a computer share. `must_keep`: a change that it does not take is an error."""

    def __init__(self, path: Path, *, must_keep: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self.path, self.place = path, str(path)
        self.is_whole = True
        self._must_keep, self._clock = must_keep, clock
        self._lock = threading.Lock()
        self._unwritten: list[tuple[str, Any]] = []
        self.is_shared = True
        self._again = 0.0
        try:
            self._engine = self._opened()
        except (OSError, OperationalError) as error:
            self._engine = self._copied(error)

    def run(self, work: Work[T], *, writes: bool) -> T:
        with self._lock:
            self._return()
            self._check_place()
            if writes and self.is_shared:
                try:
                    return _done(self._engine, work, writes=True)
                except OperationalError as error:
                    full, self._engine = self._engine, self._copied(error)
                    full.dispose()
            before = len(self._unwritten)
            try:
                return _done(self._engine, work, writes=writes)
            except BaseException:
                del self._unwritten[before:]
                raise
            finally:
                del self._unwritten[:-_MOST_UNWRITTEN]

    def close(self) -> None:
        with self._lock:  # SQLite crashes if another thread is at work
            self._engine.dispose()

    def _opened(self) -> Engine:
        """The file, ready to be written to."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path.touch(mode=0o600)
        self.path.chmod(0o600)
        engine = _engine(lambda: _connect(self.place, "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL"))
        try:
            self.is_whole = _done(engine, lambda at: at.prepare(self.place), writes=True)
        except BaseException:
            engine.dispose()
            raise
        self._file = _identity(self.path)
        return engine

    def _check_place(self) -> None:
        """Check that the open file is still the one that other processes see, such as `medground token revoke`."""
        if self.is_shared and _identity(self.path) != self._file:
            raise StorageFailed(f"{self.path} was emptied, moved or deleted while in use; restart the server")

    def _copied(self, error: OSError | OperationalError) -> Engine:
        """A copy of the file in memory, if what went wrong is that it cannot be written to."""
        cause = error.orig if isinstance(error, OperationalError) else error
        cannot_write = isinstance(cause, OSError) or getattr(cause, "sqlite_errorcode", 0) & 0xFF in _CANNOT_WRITE
        if self._must_keep or not cannot_write:
            raise error
        memory = _connect(":memory:")
        if self.path.is_file():
            with closing(self._read_only()) as file:
                file.backup(memory)
        engine = _engine(lambda: memory)
        _done(engine, lambda at: at.prepare(self.place), writes=True)
        event.listen(engine, "before_cursor_execute", self._note)
        _tell_once(self.path, str(cause.strerror if isinstance(cause, OSError) else cause))
        self.is_shared, self._again = False, self._clock() + _PAUSE
        return engine

    def _note(self, connection: Connection, cursor: object, statement: str, values: Any, *_: object) -> None:
        if not statement.startswith(("SELECT", "BEGIN", "PRAGMA")):
            self._unwritten.append((statement, values))

    def _read_only(self) -> sqlite3.Connection:
        """The file where nothing can be written next to it either: as it is, unless it has changes of its own there."""
        changes = self.path.with_name(f"{self.path.name}-wal")
        as_it_is = not changes.exists() or changes.stat().st_size == 0
        return _connect(f"{self.path.absolute().as_uri()}?mode=ro{'&immutable=1' if as_it_is else ''}")

    def _return(self) -> None:
        """Write to the file what only memory holds, if that has become possible."""
        if self.is_shared or self._clock() < self._again:
            return
        self._again = self._clock() + _PAUSE
        try:
            file = self._opened()
        except (OSError, OperationalError):
            return
        try:
            _done(file, lambda at: [at.change(one, *values) for one, values in self._unwritten], writes=True)
        except OperationalError:
            file.dispose()
            return
        self._unwritten.clear()
        self.is_shared, memory, self._engine = True, self._engine, file
        memory.dispose()


def _engine(connect: Callable[[], sqlite3.Connection]) -> Engine:
    engine = create_engine("sqlite://", creator=connect, poolclass=StaticPool)
    event.listen(engine, "begin", _begin)
    return engine


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _done(engine: Engine, work: Work[T], *, writes: bool) -> T:
    with engine.connect().execution_options(writes=writes) as connection, connection.begin():
        return work(Transaction(connection))


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


def _connect(place: str, *first: str) -> sqlite3.Connection:
    uri = place.startswith("file:")
    connection = sqlite3.connect(place, timeout=_WAIT, isolation_level=None, check_same_thread=False, uri=uri)
    try:
        for statement in first:
            connection.execute(statement)
    except BaseException:
        connection.close()
        raise
    return connection
