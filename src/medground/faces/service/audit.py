"""Who did what, and when: written down when it happens, never changed, and deleted only once it is old."""

import asyncio
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from medground.faces.service.records import Records
from medground.faces.service.values import Person
from medground.values.document import Described

Act = Literal["start", "sign-in", "sign-out", "refused", "ask", "answer", "check", "search", "table", "export"]
Change = Literal["delete", "build", "remove", "token", "revoke", "allow", "clock", "sweep"]
_PAGE = 1000


class Entry(Described):
    """One act of a person."""

    id: str
    """ids sort by time"""
    at: datetime
    person: str
    """the id of the person; empty if unknown, or for the server itself"""
    name: str
    """the name of the person at that time"""
    act: Act | Change
    what: str
    """the job, answer, collection, token or address; for `start`, the settings' hash"""
    words: str | None = None
    """what was asked; only with `serve.audit_words`"""


_COLUMNS = ", ".join(Entry.model_fields)


@dataclass
class Audit:
    """The audit log of a home folder. Blocks, except `note`. `with_words`: whether the words of questions are kept."""

    _records: Records
    _now: Callable[[], datetime] = lambda: datetime.now(UTC)
    with_words: bool = False

    def add(self, person: Person | None, act: Act | Change, what: str = "", words: str | None = None) -> None:
        """Write down an act. Raises StorageFailed: it cannot be written down."""
        at = self._now().astimezone(UTC)
        who = (person.id, person.name) if person else ("", "")
        row = (f"{_stamp(at)}-{secrets.token_hex(4)}", at.isoformat(), *who, act, what[:500])
        statement = "INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?)"
        self._records.change((statement, (*row, words if self.with_words else None)), lasting=True)

    async def note(self, person: Person | None, act: Act | Change, what: str = "", words: str | None = None) -> None:
        """As `add`, off the event loop."""
        await asyncio.to_thread(self.add, person, act, what, words)

    def read(self, before: str | None = None, limit: int = _PAGE) -> list[Entry]:
        """Entries, the latest first; those `before` one of them, by its id."""
        return self._where("id < ? ORDER BY id DESC LIMIT ?", before or "~", limit)

    def since(self, time: datetime | None) -> Iterator[Entry]:
        """All entries from a time on, the oldest first."""
        after = _stamp(time) if time else ""
        while found := self._where("id > ? ORDER BY id LIMIT ?", after, _PAGE):
            yield from found
            after = found[-1].id

    def count(self) -> int:
        """How many entries there are."""
        return int(self._records.rows("SELECT count(*) FROM audit")[0][0])

    def forget_before(self, time: datetime, most: int) -> int:
        """Delete the oldest entries, of those that are older than a time; how many there were."""
        old = "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE id < ? ORDER BY id LIMIT ?)"
        return self._records.change((old, (_stamp(time), most)))

    def _where(self, which: str, *values: object) -> list[Entry]:
        rows = self._records.rows(f"SELECT {_COLUMNS} FROM audit WHERE {which}", *values)  # noqa: S608 (our names)
        return [Entry.model_validate(dict(zip(Entry.model_fields, row, strict=True))) for row in rows]


def _stamp(time: datetime) -> str:
    return f"{time.astimezone(UTC):%Y%m%dT%H%M%S.%f}"
