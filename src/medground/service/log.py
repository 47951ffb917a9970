"""The events of one job, kept within a bound, for any number of readers that may be slow or come back."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator

from medground.service.event import Event

MOST_BYTES = 1 << 20
"""Bytes of events that wait for the slowest reader; older ones are dropped, and it gets a `resync`."""


class EventLog:
    """Numbers events and hands them to readers. All of it happens in one event loop.

    Args:
        job: the id of the job that the events are of.
        most_bytes: bytes that are kept, as JSON.
    """

    def __init__(self, job: str, most_bytes: int = MOST_BYTES) -> None:
        self._job = job
        self._most = most_bytes
        self._events: deque[tuple[Event, int]] = deque()
        self._bytes = 0
        self._next = 1
        self._news = asyncio.Event()

    @property
    def last(self) -> Event | None:
        """The latest event."""
        return self._events[-1][0] if self._events else None

    @property
    def bytes(self) -> int:
        """Bytes of the events that are kept."""
        return self._bytes

    @property
    def ended(self) -> bool:
        """Whether no further event comes."""
        return self.last is not None and self.last.is_last

    def add(self, event: Event) -> Event:
        """Number an event, keep it, and wake the readers. Nothing is added after the last event of a job."""
        if self.ended:
            return event
        numbered = event.model_copy(update={"id": self._next, "job": self._job})
        size = len(numbered.model_dump_json(exclude_none=True))
        self._next += 1
        self._events.append((numbered, size))
        self._bytes += size
        while self._bytes > self._most and len(self._events) > 1:
            self._drop()
        news, self._news = self._news, asyncio.Event()
        news.set()
        return numbered

    def trim(self) -> None:
        """Keep nothing but the latest event."""
        while len(self._events) > 1:
            self._drop()

    async def after(self, last_seen: int) -> AsyncGenerator[Event, None]:
        """The events with higher ids as they come, up to the last one of the job.

        A reader that has missed some gets a `resync` in their place, with the id of the last one that it missed.
        """
        seen = min(max(0, last_seen), self._next - 1)
        while True:
            news = self._news
            if self._events and (missed := self._events[0][0].id - 1) > seen:
                seen = missed
                yield Event(id=missed, type="resync", job=self._job)
                continue
            event = self._at(seen + 1)
            if event is not None:
                seen = event.id
                yield event
                if event.is_last:
                    return
            elif self.ended:
                return
            else:
                await news.wait()

    def _at(self, number: int) -> Event | None:
        if not self._events:
            return None
        place = number - self._events[0][0].id
        return self._events[place][0] if 0 <= place < len(self._events) else None

    def _drop(self) -> None:
        _, size = self._events.popleft()
        self._bytes -= size
