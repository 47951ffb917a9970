"""What the servers of a group write down: tokens, whose an answer is, what was used, and the jobs at work.

It is an SQLite file in the home folder, with mode 0600, or the PostgreSQL database that `serve.state` names. A home for
which tokens were made never opens by accident: a second file, `MARK`, says so where what is recorded is lost.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.pool import StaticPool

from medground.errors import ConfigError, StorageFailed, needing
from medground.faces.service.transaction import Transaction
from medground.faces.service.values import LOCAL
from medground.home.files import make_folder, sync, write_whole
from medground.home.settings import Settings

log = logging.getLogger(__name__)
T = TypeVar("T")

FILE_NAME = "service.sqlite"
MARK = "asks-for-tokens"
_MARKED = "Access tokens have been created for this home folder. Servers require one as long as this file exists.\n"
_UNKNOWN = "unknown"
"""The owner of an answer whose record was lost: not a person known to a server. The command line shows every answer."""
_KEPT = ("answers", "traces", "research")
_MOVED = ("tokens", "answers", "used", "saved", "audit")
"""Tables that move from the file to a new database."""
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
_CANNOT_WRITE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR)
_WAIT = 10
"""Seconds to wait for another process that writes, and for a database that does not answer."""
Statement = tuple[str, tuple[object, ...]]


class Records:
    """What is recorded for a home folder. Blocks; safe to use in several threads.

    Where nothing can be written to the file when it is opened, a copy in memory stands in for it.

    Args:
        state: the database, as `url_of` reads it; by default the file `service/service.sqlite`.
        must_keep: whether it is an error that nothing can be written.

    Raises StorageFailed: it cannot be read, is of another version of Medground, or cannot be written to and must be.
    """

    def __init__(self, home: Path, state: URL | None = None, *, must_keep: bool = False) -> None:
        self.path = home / "service" / FILE_NAME
        self._home, self._marked = home, home / MARK
        self.place = state.render_as_string().replace("+psycopg", "") if state else str(self.path)
        self._is_file = state is None
        self._identity: tuple[int, int] | None = None
        self._lock = threading.Lock()
        with self._told():
            try:
                self._engine = _postgres(state) if state else self._opened()
                is_whole = self._done(lambda at: at.prepare(self.place))
                self._identity = None if state else _identity(self.path)
            except (OSError, OperationalError) as error:
                self._engine = self._copied(error, must_keep=must_keep)
                is_whole = self._done(lambda at: at.prepare(self.place))
        if state and self.path.is_file():
            self._move()
        recorded = self._has_others()
        if recorded or not is_whole or self.had_tokens():
            with suppress(StorageFailed):  # in a home that cannot be written to
                self.mark()
            if not recorded or not is_whole:
                self._disown()

    @classmethod
    def from_settings(cls, settings: Settings, *, must_keep: bool = False) -> Records:
        """Those that a server with these settings shares. Raises ConfigError: `serve.state` cannot be used."""
        return cls(settings.home, url_of(settings), must_keep=must_keep)

    def had_tokens(self) -> bool:
        """Whether anybody ever had a token for this home: its mark says so, or what is recorded.

        Raises StorageFailed: neither can be read.
        """
        with self._told(self._marked), suppress(FileNotFoundError, NotADirectoryError):
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

    def _move(self) -> None:
        """Copy what the file of this home holds into a database that is still empty; the file is not read again."""
        with closing(Records(self._home, must_keep=True)) as file:
            held = {table: file.rows(f"SELECT * FROM {table}") for table in _MOVED}  # noqa: S608 (ours)

        def moved(at: Transaction) -> None:
            at.lock("tables")
            if not any(at.rows(f"SELECT 1 FROM {table} LIMIT 1") for table in _MOVED):  # noqa: S608 (ours)
                for table, rows in held.items():
                    for row in rows:
                        at.change(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", *row)  # noqa: S608

        self.run(moved)
        with self._told(self.path):  # or tokens that were revoked since would be back in the next empty database
            self.path.rename(self.path.with_name(f"{FILE_NAME}.moved"))

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows of a query. Raises StorageFailed: as `run`."""
        return self.run(lambda at: at.rows(statement, *values), writes=False)

    def change(self, *statements: Statement, lasting: bool = False) -> int:
        """Carry out statements, all or none; the number of rows that they changed. As `run` otherwise."""
        return self.run(lambda at: sum(at.change(what, *values) for what, values in statements), lasting=lasting)

    def run(self, work: Callable[[Transaction], T], *, writes: bool = True, lasting: bool = False) -> T:
        """Do some work in one transaction.

        `lasting`: it survives a power failure once this returns; what may be lost, such as a step of a job, is faster.

        Raises StorageFailed: what is recorded cannot be read or written now.
        """
        with self._told():
            return self._done(work, writes=writes, lasting=lasting)

    def close(self) -> None:
        """Close it once it is not in use; nothing is read or written afterwards. Safe to call twice."""
        with self._lock:  # SQLite crashes if another thread is at work
            self._engine.dispose()

    def _done(self, work: Callable[[Transaction], T], *, writes: bool = True, lasting: bool = False) -> T:
        with self._lock if self._is_file else nullcontext():
            if self._identity is not None and _identity(self.path) != self._identity:
                raise StorageFailed(f"{self.path} was emptied, moved or deleted while in use; restart the server")
            options = {"writes": writes, "lasting": lasting}
            with self._engine.connect().execution_options(**options) as connection, connection.begin():
                return work(Transaction(connection))

    def _opened(self) -> Engine:
        """The file, which other processes see too."""
        make_folder(self.path.parent, private=True)
        self.path.touch(mode=0o600)
        self.path.chmod(0o600)
        sync(self.path.parent)
        return _sqlite(lambda: _connect(str(self.path), "PRAGMA journal_mode = WAL"))

    def _copied(self, error: OSError | OperationalError, *, must_keep: bool) -> Engine:
        """A copy of the file in memory, if what went wrong is that it cannot be written to."""
        cause = error.orig if isinstance(error, OperationalError) else error
        cannot_write = isinstance(cause, OSError) or getattr(cause, "sqlite_errorcode", 0) & 0xFF in _CANNOT_WRITE
        if must_keep or not cannot_write or not self._is_file:
            raise error
        memory = _connect(":memory:")
        if self.path.is_file():
            changes = self.path.with_name(f"{FILE_NAME}-wal")
            as_it_is = not changes.exists() or changes.stat().st_size == 0
            uri = f"{self.path.absolute().as_uri()}?mode=ro{'&immutable=1' if as_it_is else ''}"
            with closing(_connect(uri)) as file:
                file.backup(memory)
        log.warning("usage and jobs are recorded in memory only: cannot write to %s (%s)", self.path, cause)
        return _sqlite(lambda: memory)

    @contextmanager
    def _told(self, path: Path | None = None) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error, SQLAlchemyError) as error:
            cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
            reason = (isinstance(cause, OSError) and cause.strerror) or str(cause).partition("\n")[0]
            advice = "free some space or check permissions"
            if getattr(cause, "sqlite_errorcode", 0) & 0xFF in _DAMAGED:
                advice = "move it away and restart; answers stay; create new tokens: medground token create NAME"
            elif path is None and not self._is_file:
                advice = "check that it runs, serve.state and keys.state; servers refuse everyone meanwhile"
            raise StorageFailed(f"{path or self.place} cannot be used ({reason}); {advice}") from None


def url_of(settings: Settings) -> URL | None:
    """The database of `serve.state`, with the password of `keys.state`; None for the file in the home folder.

    Raises ConfigError: it is not the address of one, or holds a password, which would be shown.
    """
    if (given := settings.serve.state) is None:
        return None
    try:
        url = make_url(given)
    except (ArgumentError, ValueError):
        url = URL.create("none")
    if url.password is not None:
        raise ConfigError("serve.state must not hold a password; set it as keys.state (MEDGROUND_KEYS__STATE)")
    if url.drivername not in ("postgresql", "postgres") or not url.database:
        raise ConfigError("serve.state is not an address such as postgresql://USER@HOST:5432/DATABASE")
    secret = settings.keys.state
    return url.set(drivername="postgresql+psycopg", password=secret.get_secret_value() if secret else None)


def _postgres(url: URL) -> Engine:
    limits = {"connect_timeout": _WAIT // 2, "options": f"-c statement_timeout={_WAIT}s"}
    with needing("group", "a PostgreSQL database"):
        return create_engine(url, pool_pre_ping=True, pool_timeout=_WAIT, hide_parameters=True, connect_args=limits)


def _sqlite(connect: Callable[[], sqlite3.Connection]) -> Engine:
    def begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        connection.exec_driver_sql(f"PRAGMA synchronous = {'FULL' if options.get('lasting') else 'NORMAL'}")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("writes") else "BEGIN")

    engine = create_engine("sqlite://", creator=connect, poolclass=StaticPool)
    event.listen(engine, "begin", begin)
    return engine


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


def _identity(path: Path) -> tuple[int, int] | None:
    """Tells a file that is not empty from every other."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return (found.st_dev, found.st_ino) if found.st_size else None
