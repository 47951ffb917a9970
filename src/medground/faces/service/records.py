"""What the servers of a group write down: tokens, whose an answer is, what was used, and the jobs at work.

It is an SQLite file in the home folder, or the PostgreSQL database that `serve.state` names. A home for which tokens
were made never opens by accident: a second file, `MARK`, says so where what is recorded is lost.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from medground.errors import ConfigError, StorageFailed
from medground.faces.service.databases import Database, Postgres, SqliteFile, Transaction, Work
from medground.faces.service.values import LOCAL
from medground.home.files import write_whole
from medground.home.settings import Settings

log = logging.getLogger(__name__)
T = TypeVar("T")

FILE_NAME = "service.sqlite"
MARK = "asks-for-tokens"
_MARKED = "Access tokens have been created for this home folder. Servers require one as long as this file exists.\n"
_UNKNOWN = "unknown"
"""The owner of an answer whose record was lost: not a person known to a server. The command line shows every answer."""
_KEPT = ("answers", "traces", "research")
_MOVED = ("tokens", "answers", "used", "saved")
"""Tables that move from the file to a new database."""
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
Statement = tuple[str, tuple[object, ...]]


class Records:
    """What is recorded for a home folder. Blocks; safe to use in several threads.

    Args:
        state: the database, as `url_of` reads it; by default the file `service/service.sqlite`.
        must_keep: whether a change that the file does not take is an error.

    Raises StorageFailed: it cannot be read, is of another version of Medground, or cannot be written to and must be.
    """

    def __init__(
        self,
        home: Path,
        state: URL | None = None,
        *,
        must_keep: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.path = home / "service" / FILE_NAME
        self._home = home
        self._marked = home / MARK
        self._place = state.render_as_string().replace("+psycopg", "") if state else str(self.path)
        with self._told():
            self._database: Database = (
                Postgres(state) if state else SqliteFile(self.path, must_keep=must_keep, clock=clock)
            )
        if state and self.path.is_file():
            self._move()
        recorded = self._has_others()
        if recorded or not self._database.is_whole or self.had_tokens():
            with contextlib.suppress(StorageFailed):  # in a home that cannot be written to
                self.mark()
            if not recorded or not self._database.is_whole:
                self._disown()

    @classmethod
    def of(cls, settings: Settings, *, must_keep: bool = False) -> Records:
        """Those that a server with these settings shares. Raises ConfigError: `serve.state` cannot be used."""
        return cls(settings.home, url_of(settings), must_keep=must_keep)

    @property
    def is_shared(self) -> bool:
        """Whether other processes see what is written; not so while memory stands in for a file."""
        return self._database.is_shared

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

    def _move(self) -> None:
        """Copy what the file of this home holds into a database that is still empty; the file is not read again."""

        def moved(at: Transaction) -> None:
            at.lock("medground tables")
            if any(at.rows(f"SELECT 1 FROM {table} LIMIT 1") for table in _MOVED):  # noqa: S608 (ours)
                return
            for table, rows in held.items():
                for row in rows:
                    at.change(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", *row)  # noqa: S608

        def read(at: Transaction) -> dict[str, list[tuple[object, ...]]]:
            return {table: at.rows(f"SELECT * FROM {table}") for table in _MOVED}  # noqa: S608 (ours)

        with self._told(self.path), closing(SqliteFile(self.path, must_keep=True)) as file:
            held = file.run(read, writes=False)
        self.run(moved)
        with self._told(self.path):  # or tokens that were revoked since would be back in the next empty database
            self.path.rename(self.path.with_name(f"{FILE_NAME}.moved"))

    def rows(self, statement: str, *values: object) -> list[tuple[object, ...]]:
        """The rows of a query. Raises StorageFailed: it cannot be read, or is in use for too long."""
        return self.run(lambda at: at.rows(statement, *values), writes=False)

    def change(self, *statements: Statement) -> int:
        """Carry out statements, all or none; the number of rows that they changed. Raises StorageFailed: as `run`."""
        return self.run(lambda at: sum(at.change(statement, *values) for statement, values in statements))

    def run(self, work: Work[T], *, writes: bool = True) -> T:
        """Do some work in one transaction; it may be done twice, so it changes nothing else.

        Raises StorageFailed: it cannot be read or is in use for too long, or does not take changes and must.
        """
        with self._told():
            return self._database.run(work, writes=writes)

    def close(self) -> None:
        """Close it once it is not in use; nothing is read or written afterwards. Safe to call twice."""
        self._database.close()

    @contextmanager
    def _told(self, path: Path | None = None) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error, SQLAlchemyError) as error:
            cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
            reason = (isinstance(cause, OSError) and cause.strerror) or str(cause).partition("\n")[0]
            advice = "free some space or check permissions"
            if getattr(cause, "sqlite_errorcode", 0) & 0xFF in _DAMAGED:
                advice = (
                    "move it away and restart; answers are kept; create new tokens with medground token create NAME"
                )
            elif path is None and self._place != str(self.path):
                advice = "check that it runs, serve.state and keys.state; servers refuse everyone meanwhile"
            raise StorageFailed(f"{path or self._place} cannot be used ({reason}); {advice}") from None


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
