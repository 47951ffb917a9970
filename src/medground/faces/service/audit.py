"""Who did what, and when: written down when it happens, never changed, and deleted only once it is old."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from pydantic import Field

from medground.faces.service.records import Records
from medground.faces.service.values import Person
from medground.values.document import Frozen

Act = Literal[
    "start", "sign-in", "sign-out", "refused", "ask", "answer", "check", "search", "table", "export", "delete", "build",
    "remove", "token", "revoke", "allow",
]  # fmt: skip
_COLUMNS = "id, at, person, name, act, what, words"
_PAGE = 1000


class Entry(Frozen):
    """One act of a person."""

    id: str = Field(description="ids sort by time")
    at: datetime
    person: str = Field(description="the id of the person; empty: nobody is known, or the server itself")
    name: str = Field(description="the name of the person at that time")
    act: Act
    what: str = Field(description="the job, answer, collection, token or address; for `start`, the settings' hash")
    words: str | None = Field(default=None, description="what was asked; only with `serve.audit_words`")


@dataclass
class Audit:
    """The audit log of a home folder. Blocks.

    `with_words`: whether the words of questions are kept.
    """

    _records: Records
    _now: Callable[[], datetime] = lambda: datetime.now(UTC)
    with_words: bool = False

    def add(self, person: Person | None, act: Act, what: str = "", words: str | None = None) -> None:
        """Write down an act. Raises StorageFailed: it cannot be written down."""
        at = self._now().astimezone(UTC)
        who = (person.id, person.name) if person else ("", "")
        row = (f"{at:%Y%m%dT%H%M%S.%f}-{secrets.token_hex(4)}", at.isoformat(), *who, act, what[:500])
        statement = "INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?)"
        self._records.change((statement, (*row, words if self.with_words else None)))

    def read(self, *, before: str | None = None, limit: int = _PAGE) -> list[Entry]:
        """Entries, the latest first; those `before` one of them, by its id."""
        statement = f"SELECT {_COLUMNS} FROM audit WHERE id < ? ORDER BY id DESC LIMIT ?"  # noqa: S608 (our names)
        rows = self._records.rows(statement, before or "~", limit)
        return [Entry.model_validate(dict(zip(_COLUMNS.split(", "), row, strict=True))) for row in rows]

    def since(self, time: datetime | None) -> Iterator[Entry]:
        """All entries from a time on, the oldest first."""
        after = f"{time.astimezone(UTC):%Y%m%dT%H%M%S.%f}" if time else ""
        statement = f"SELECT {_COLUMNS} FROM audit WHERE id > ? ORDER BY id LIMIT ?"  # noqa: S608 (our names)
        while rows := self._records.rows(statement, after, _PAGE):
            for row in rows:
                yield Entry.model_validate(dict(zip(_COLUMNS.split(", "), row, strict=True)))
            after = str(rows[-1][0])

    def forget_before(self, time: datetime) -> int:
        """Delete entries older than a time; how many there were."""
        return self._records.change(("DELETE FROM audit WHERE at < ?", (time.astimezone(UTC).isoformat(),)))


class Audited:
    """What writes an audit log, off the event loop; a `Service` is one."""

    _audit: Audit

    async def note(self, person: Person | None, act: Act, what: str = "", words: str | None = None) -> None:
        """Write down an act of a person. Raises StorageFailed: it cannot be written down."""
        await asyncio.to_thread(self._audit.add, person, act, what, words)

    async def audit(self, *, before: str | None = None, limit: int = 100) -> list[Entry]:
        """Entries of the audit log, the latest first; those `before` one of them, by its id."""
        return await asyncio.to_thread(self._audit.read, before=before, limit=limit)
