"""What servers agree on through their records: rates, leases, the pace of a service, and who still lives."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from medground.errors import StorageFailed
from medground.faces.service.records import Records
from medground.faces.service.transaction import Transaction
from medground.faces.service.values import LimitReached, Person

WINDOW = 60.0
"""Seconds in which a rate counts requests."""
POLL = 0.25
"""Seconds between two looks at what another server does."""
_SOON = 5.0
"""Seconds after which a job may have ended; a guess."""
_FAR = 120.0
"""Seconds by which no clock of a group is ahead of another; a time beyond is of a clock that was set back."""


@dataclass
class Shared:
    """One server of those that share records. Its methods block, but for `held`.

    Attributes:
        server: its name among them.
        clock: seconds since 1970, as all of them count.
    """

    records: Records
    clock: Callable[[], float] = time.time
    server: str = field(default_factory=lambda: secrets.token_hex(8))
    leases: set[str] = field(default_factory=set, init=False)
    """Those that are wanted or held here."""

    def admit(self, at: Transaction, person: Person, *, long: bool = True, lease: str = "") -> None:
        """Let a request in, or refuse it with the time to come again; a refused one counts for nothing.

        Args:
            long: whether it counts among what runs at once.
            lease: the name under which it counts where it is not a job, until that is let go.

        Raises LimitReached: too much runs for the person, or they sent too much in the last 60 seconds.
        """
        at.lock(person.id)
        if long and (most := person.limits.concurrent) is not None:
            running = sum(
                at.rows(f"SELECT count(*) FROM {table} owner = ?", person.id)[0][0]  # noqa: S608 (ours)
                for table in ("jobs WHERE finished IS NULL AND", "leases WHERE")
            )
            if running >= most:
                raise LimitReached(f"{most} of your requests are running, which is your limit", retry_after=_SOON)
        if (rate := person.limits.rate) is not None:
            now, old = self.clock(), "DELETE FROM requests WHERE owner = ? AND (at <= ? OR at > ?)"
            at.change(old, person.id, now - WINDOW, now + _FAR)
            count, first = at.rows("SELECT count(*), min(at) FROM requests WHERE owner = ?", person.id)[0]
            if count >= rate:
                wait = max(0.0, first + WINDOW - now)
                raise LimitReached(f"this token allows {rate} requests in 60 seconds", retry_after=wait)
            at.change("INSERT INTO requests VALUES (?, ?)", person.id, now)
        if lease:
            at.change("INSERT INTO leases VALUES (?, ?, ?)", lease, person.id, self.server)

    def release(self, lease: str) -> None:
        """Let a lease of this server go; `beat` does it where nothing can be written now."""
        self.leases.discard(lease)
        with suppress(StorageFailed):
            self.records.change(("DELETE FROM leases WHERE name = ? AND server = ?", (lease, self.server)))

    @asynccontextmanager
    async def held(self, lease: str) -> AsyncIterator[None]:
        """Hold a lease that one server has at a time, and there one task; one of a server that is gone can be taken."""
        statement = (
            "INSERT INTO leases VALUES (?, '', ?) ON CONFLICT (name) DO UPDATE SET owner = '' "
            "WHERE leases.server = excluded.server"  # one that could not be let go
        )

        def taking() -> asyncio.Future[int]:
            return asyncio.ensure_future(asyncio.to_thread(self.records.change, (statement, (lease, self.server))))

        self.leases.add(lease)
        taken = taking()
        try:
            while not await asyncio.shield(taken):
                await asyncio.sleep(POLL)
                taken = taking()
            yield
        finally:
            await asyncio.gather(taken, return_exceptions=True)  # a thread may still take it
            await asyncio.to_thread(self.release, lease)

    def turn(self, address: str, interval: float) -> float:
        """Seconds until this call to an outside service may be made; calls of all servers are `interval` apart."""
        now = self.clock()
        statement = (
            "INSERT INTO paces VALUES (?, ?) ON CONFLICT (address) DO UPDATE SET free = "
            "CASE WHEN paces.free > ? AND paces.free < ? THEN paces.free ELSE ? END + ? RETURNING free"
        )
        values = (address, now + interval, now, now + _FAR, now, interval)
        free = self.records.run(lambda at: float(at.rows(statement, *values)[0][0]))
        return max(0.0, free - interval - now)

    def beat(self) -> dict[str, int]:
        """Say that this server lives; how far each has counted, 0 for one that has work and does not count."""

        def told(at: Transaction) -> dict[str, int]:
            for (name,) in at.rows("SELECT name FROM leases WHERE server = ?", self.server):
                if name not in self.leases:
                    at.change("DELETE FROM leases WHERE name = ?", name)
            at.change("INSERT INTO servers VALUES (?, 0) ON CONFLICT DO NOTHING", self.server)
            at.change("UPDATE servers SET beats = beats + 1 WHERE id = ?", self.server)
            at_work = at.rows("SELECT server FROM jobs WHERE finished IS NULL UNION SELECT server FROM leases")
            return {name: 0 for (name,) in at_work} | dict(at.rows("SELECT id, beats FROM servers"))

        return self.records.run(told)

    def leave(self, server: str) -> None:
        """Forget a server that has ended, with its leases."""
        self.records.change(
            ("DELETE FROM leases WHERE server = ?", (server,)), ("DELETE FROM servers WHERE id = ?", (server,))
        )
