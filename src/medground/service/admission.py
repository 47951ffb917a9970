"""Whether a person may ask now, what their budget leaves, and whether they asked the same before."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from datetime import datetime
from typing import Any
from weakref import WeakValueDictionary

from medground.service.asked import Asked
from medground.service.gate import Gate, left_of
from medground.service.job import Job
from medground.service.jobs import Jobs
from medground.service.person import Person
from medground.service.repeats import Repeats, check_same
from medground.service.shelf import Shelf
from medground.service.spending import Spending

Repeat = tuple[str, str]
"""An idempotency key, and what tells its request from others."""


class Admission:
    """Lets requests to the engine in, one budget after the other.

    Args:
        gate: rate, and what runs at once.
        spending: what each person has used.
        repeats: requests that have an answer.
        shelf: their answers.
        jobs: those that run.
        now: the time.
    """

    def __init__(
        self,
        gate: Gate,
        spending: Spending,
        repeats: Repeats,
        shelf: Shelf,
        jobs: Jobs,
        now: Callable[[], datetime],
    ) -> None:
        self._gate = gate
        self._spending = spending
        self._repeats = repeats
        self._shelf = shelf
        self._jobs = jobs
        self._now = now
        self._purses: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def enter(self, person: Person, *, long: bool = True) -> None:
        """Let a request in; `long` ones count among what runs at once.

        Raises:
            Refused: a limit of the person is reached.
        """
        self._gate.enter(person, self._jobs.unfinished(person.id) if long else 0, long=long)

    async def left(self, person: Person, *, free: bool) -> dict[str, Any]:
        """What is left of a person's budget, as settings of a question; nothing for what is free.

        Raises:
            Refused: nothing is left.
        """
        if free or not _has_budget(person):
            return {}
        spent = await asyncio.to_thread(self._spending.month, person.id, self._now())
        return left_of(person, spent, self._now())

    @asynccontextmanager
    async def turn(self, person: Person, turns: asyncio.Semaphore, *, free: bool) -> AsyncIterator[None]:
        """A turn to run. What one budget pays for runs one after the other, so that it is not spent twice."""
        async with self._purse(person, free), turns:
            yield

    @asynccontextmanager
    async def running(self, person: Person, turns: asyncio.Semaphore, *, free: bool) -> AsyncIterator[None]:
        """A turn for a request that is no job, such as a claim; it counts among what runs at once."""
        with self._gate.at_work(person):
            async with self.turn(person, turns, free=free):
                yield

    async def former(self, asked: Asked, person: Person, repeat: Repeat) -> Job | None:
        """The job of the same request, or one that is done for the answer that it had before the server started.

        Raises:
            UsageError: the key came with another request.
        """
        if same := self.same(person, repeat):
            return same
        found = await asyncio.to_thread(self._repeats.find, person.id, repeat[0], self._now())
        if found is None:
            return None
        check_same(repeat[1], found[0])
        if await asyncio.to_thread(self._shelf.load, found[1]) is None:  # it was deleted
            return None
        return self._jobs.recalled(
            owner=person.id, kind=asked.kind, title=asked.question, trace_id=found[1], repeat=repeat
        )

    def same(self, person: Person, repeat: Repeat) -> Job | None:
        """The job of the same request, while it is remembered.

        Raises:
            UsageError: the key came with another request.
        """
        job = self._jobs.repeated(person.id, repeat[0])
        if job is not None and job.repeat is not None:
            check_same(repeat[1], job.repeat[1])
        return job

    async def keep(self, person: Person, repeat: Repeat, trace_id: str) -> None:
        """A request with a key has an answer."""
        await asyncio.to_thread(self._repeats.keep, person.id, *repeat, trace_id, self._now())

    def _purse(self, person: Person, free: bool) -> AbstractAsyncContextManager[object]:
        if free or not _has_budget(person):
            return nullcontext()
        return self._purses.setdefault(person.id, asyncio.Lock())


def _has_budget(person: Person) -> bool:
    return person.limits.money is not None or person.limits.tokens is not None
