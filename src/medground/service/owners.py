"""Whose an answer is. What nobody else owns is of whoever sits at the computer, such as the command line's answers."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from medground.service.person import LOCAL
from medground.service.records import Records


class Owners:
    """The owners of answers, by trace id. Blocks."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def own(self, trace_id: str, owner: str, created: datetime) -> None:
        """Write down whose an answer is; the first owner counts."""
        statement = "INSERT INTO answers VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        self._records.change((statement, (trace_id, owner, created.isoformat())))

    def owns(self, owner: str, trace_id: str) -> bool:
        """Whether an answer is a person's."""
        rows = self._records.rows("SELECT owner FROM answers WHERE trace_id = ?", trace_id)
        return (rows[0][0] if rows else LOCAL.id) == owner

    def of(self, owner: str, before: str | None = None) -> Iterator[str]:
        """The trace ids of a person's answers, the latest first; those `before` one of them."""
        statement = "SELECT trace_id FROM answers WHERE owner = ? AND trace_id < ? ORDER BY trace_id DESC"
        for (trace_id,) in self._records.rows(statement, owner, before or "~"):
            yield str(trace_id)

    def not_of(self, owner: str) -> frozenset[str]:
        """The trace ids of everybody else's answers."""
        rows = self._records.rows("SELECT trace_id FROM answers WHERE owner <> ?", owner)
        return frozenset(str(trace_id) for (trace_id,) in rows)

    def older_than(self, time: datetime, most: int = 500) -> list[str]:
        """The trace ids of the oldest answers, of those that are older than a time."""
        statement = "SELECT trace_id FROM answers WHERE created < ? ORDER BY created LIMIT ?"
        return [str(trace_id) for (trace_id,) in self._records.rows(statement, time.isoformat(), most)]

    def forget(self, trace_id: str) -> None:
        """An answer is gone."""
        self._records.change(("DELETE FROM answers WHERE trace_id = ?", (trace_id,)))
