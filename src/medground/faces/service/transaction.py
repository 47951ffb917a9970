"""Reads and writes that belong together, in the same words for an SQLite file and for a PostgreSQL database."""

import re
from typing import Any

from sqlalchemy import Connection, CursorResult, inspect

from medground.errors import StorageFailed
from medground.home.files import script

_VERSION = 1
"""Goes up with every change of the tables that an older Medground cannot read."""


class Transaction:
    """What is read and written together, all or nothing. Values stand for each `?` of a statement."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.is_file = connection.dialect.name == "sqlite"

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        return [tuple(row) for row in self._done(statement, values)]

    def change(self, statement: str, *values: object) -> int:
        """How many rows a statement changed."""
        return self._done(statement, values).rowcount

    def lock(self, name: str) -> None:
        """Wait until no other transaction holds this name. An SQLite file has one writer at a time in any case."""
        if not self.is_file:
            self.rows("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", name)

    def prepare(self, place: str) -> bool:
        """Make the tables that are missing; whether none was lost.

        Raises StorageFailed: they are of another version of Medground.
        """
        self.lock("tables")
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
        if set(re.findall(r"TABLE IF NOT EXISTS (\w+)", script("faces/service", "records"))) - known:
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

    def _done(self, statement: str, values: tuple[object, ...]) -> CursorResult[Any]:
        if not self.is_file:  # which has another sign for values, and no character 0
            statement = statement.replace("?", "%s")
            values = tuple(value.replace("\0", "\ufffd") if isinstance(value, str) else value for value in values)
        return self._connection.exec_driver_sql(statement, values)
