"""What a service writes down: tokens, whose an answer is, what was used. One SQLite file with file mode 0600."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from medground.errors import StorageFailed
from medground.models.files.storage import writing_to

FILE_NAME = "service.sqlite"
_VERSION = 1
"""Goes up with every change of the tables that an older file lacks."""
_WAIT = 10.0
"""Seconds to wait for another process that writes, such as `medground token create`."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS tokens (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, limits TEXT NOT NULL, created TEXT NOT NULL,
    revoked TEXT, admin INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE UNIQUE INDEX IF NOT EXISTS names ON tokens (name) WHERE revoked IS NULL;
CREATE TABLE IF NOT EXISTS answers (
    trace_id TEXT PRIMARY KEY, owner TEXT NOT NULL, created TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS answers_of ON answers (owner, trace_id);
CREATE INDEX IF NOT EXISTS answers_by_time ON answers (created);
CREATE TABLE IF NOT EXISTS used (
    owner TEXT NOT NULL, day TEXT NOT NULL, requests INTEGER NOT NULL, input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL, model_calls INTEGER NOT NULL, searches INTEGER NOT NULL, seconds REAL NOT NULL,
    nanodollars INTEGER NOT NULL, unpriced INTEGER NOT NULL, PRIMARY KEY (owner, day)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS repeats (
    owner TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, trace_id TEXT NOT NULL, created TEXT NOT NULL,
    PRIMARY KEY (owner, key)
) WITHOUT ROWID;
"""


class Records:
    """The file `service/service.sqlite` of a home folder. Blocks; safe to use in several threads.

    Args:
        home: the home folder.

    Raises:
        StorageFailed: it cannot be written to, or is of another version of Medground.
    """

    def __init__(self, home: Path) -> None:
        self.path = home / "service" / FILE_NAME
        with writing_to(self.path.parent):
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.path.touch(mode=0o600)
            self.path.chmod(0o600)
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(
            self.path, timeout=_WAIT, isolation_level=None, check_same_thread=False, cached_statements=64
        )
        with self._told():
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            (found,) = self._connection.execute("PRAGMA user_version").fetchone()
            if found in (0, _VERSION):
                self._connection.executescript(f"{_SCHEMA} PRAGMA user_version = {_VERSION};")
        if found not in (0, _VERSION):
            self._connection.close()
            raise StorageFailed(
                f"{self.path} is of another version of Medground; use that version, or move the file away: answers "
                "stay, tokens are made again"
            )

    def rows(self, statement: str, *values: object) -> list[tuple[object, ...]]:
        """The rows of a query.

        Raises:
            StorageFailed: the file is damaged or in use for too long.
        """
        with self._lock, self._told():
            return self._connection.execute(statement, values).fetchall()

    def change(self, *statements: tuple[str, tuple[object, ...]]) -> int:
        """Carry out statements, all or none; the number of rows that they changed.

        Raises:
            StorageFailed: the disk is full, or the file is damaged or in use for too long.
        """
        with self._lock, self._told():
            before = self._connection.total_changes
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                for statement, values in statements:
                    self._connection.execute(statement, values)
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")
            return self._connection.total_changes - before

    def close(self) -> None:
        """Close the file once nobody is at it; nothing is read or written afterwards. Safe to call twice."""
        with self._lock:  # SQLite crashes if another thread is at work
            self._connection.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StorageFailed(f"{self.path} cannot be used ({error}); free some space or check permissions") from None
