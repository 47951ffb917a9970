"""Who may ask now (rate, concurrency, budget of the month, requests sent twice), and what each request has used."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from datetime import datetime
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from medground.answering.conclude.claim import CheckedClaim
from medground.answering.evidence_table import EvidenceTable
from medground.errors import MedgroundError
from medground.faces.service.accounts import Owners, Repeats, Spending, Spent, next_month
from medground.faces.service.answers import KeptAnswers
from medground.faces.service.audit import Audit
from medground.faces.service.job import Job, Tell
from medground.faces.service.jobs import Jobs
from medground.faces.service.records import Records
from medground.faces.service.request import Asked
from medground.faces.service.values import LimitReached, Person, Repeat
from medground.home.settings_groups import BudgetSettings
from medground.values.answer import Answer
from medground.values.steps import Kept, OnStep, ResearchBegun, Step
from medground.values.usage import UsageReport

T = TypeVar("T", Answer, CheckedClaim, EvidenceTable)

_WINDOW = 60.0
_SOON = 5.0
"""Seconds after which a job may have ended; a guess."""


class Admission:
    """Lets requests to the engine in, one budget after the other, and counts what they used, however they end."""

    def __init__(
        self,
        records: Records,
        audit: Audit,
        kept: KeptAnswers,
        jobs: Jobs,
        clock: Callable[[], float],
        now: Callable[[], datetime],
    ) -> None:
        self._owners, self._spending, self._repeats = Owners(records), Spending(records), Repeats(records)
        self._audit, self._kept = audit, kept
        self._jobs = jobs
        self._clock, self._now = clock, now
        self._let_in: dict[str, deque[float]] = {}
        self._running: Counter[str] = Counter()
        self._purses: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def enter(self, person: Person, *, long: bool = True) -> None:
        """Let a request in, or refuse it with the time to come again; a refused one counts for nothing.

        `long`: whether it counts among what runs at once. Raises LimitReached: too much runs for the person, or they
        sent too much in the last 60 seconds.
        """
        most = person.limits.concurrent
        if long and most is not None and self._jobs.unfinished(person.id) + self._running[person.id] >= most:
            raise LimitReached(f"{most} of your requests are running, which is your limit", retry_after=_SOON)
        if (rate := person.limits.rate) is None:
            return
        now = self._clock()
        times = self._let_in.setdefault(person.id, deque())
        while times and now - times[0] >= _WINDOW:
            times.popleft()
        if len(times) >= rate:
            raise LimitReached(f"this token allows {rate} requests in 60 seconds", retry_after=times[0] + _WINDOW - now)
        times.append(now)

    async def left(self, person: Person, *, free: bool) -> dict[str, Any]:
        """What is left of a person's budget, as settings of a question; nothing for what is free.

        Raises LimitReached: nothing is left.
        """
        if free or not person.limits.has_budget:
            return {}
        spent = await asyncio.to_thread(self._spending.month, person.id, self._now())
        return left_of(person, spent, self._now())

    @asynccontextmanager
    async def turn(self, person: Person, turns: asyncio.Semaphore, *, free: bool) -> AsyncIterator[None]:
        """A turn to run. What one budget pays for runs one after the other, so that it is not spent twice."""
        purse: AbstractAsyncContextManager[object] = nullcontext()
        if not free and person.limits.has_budget:
            purse = self._purses.setdefault(person.id, asyncio.Lock())
        async with purse, turns:
            yield

    @asynccontextmanager
    async def running(self, person: Person, turns: asyncio.Semaphore, *, free: bool) -> AsyncIterator[None]:
        """A turn for a request that is not a job, such as a claim; it counts among what runs at once."""
        self._running[person.id] += 1
        try:
            async with self.turn(person, turns, free=free):
                yield
        finally:
            self._running[person.id] -= 1

    async def former(self, asked: Asked, person: Person, repeat: Repeat) -> Job | None:
        """The job of the same request, or one that is done for the answer that it had before the server started.

        Raises UsageError: the key came with another request.
        """
        if same := self._jobs.repeated(person.id, repeat):
            return same
        trace_id = await asyncio.to_thread(self._repeats.find, person.id, repeat, self._now())
        if trace_id is None or await asyncio.to_thread(self._kept.load, trace_id) is None:  # it was deleted
            return None
        return self._jobs.recalled(
            owner=person.id, kind=asked.kind, title=asked.question, trace_id=trace_id, repeat=repeat
        )

    async def keep(self, person: Person, repeat: Repeat, trace_id: str) -> None:
        """A request with a key has an answer."""
        await asyncio.to_thread(self._repeats.keep, person.id, repeat, trace_id, self._now())

    async def answered(self, person: Person, tell: Tell, ask: Callable[[OnStep], Awaitable[Answer]]) -> Answer:
        """The answer to a person's question; it is theirs before anybody is told of it.

        `ask`: asks it, given what is to be called with each step, in whatever thread.
        """
        kept: list[str] = []

        def on_step(step: Step) -> None:
            if isinstance(step, Kept):
                kept.append(step.trace_id)
                self._owners.own(step.trace_id, person.id, self._now())
                self._audit.add(person, "answer", step.trace_id)
            elif isinstance(step, ResearchBegun):
                self._owners.own(step.id, person.id, self._now())
            tell.step(step)

        return await self.counted(person, ask(on_step), kept)

    async def counted(self, person: Person, work: Awaitable[T], kept: list[str] | None = None) -> T:
        """The result of work for a person, whose use is counted and whose trace is theirs; `kept` names its answers."""
        try:
            done = await work
        except MedgroundError as error:
            await asyncio.to_thread(self._count, person, error.spent, error.trace_id)
            raise
        except asyncio.CancelledError:
            if kept:
                await asyncio.to_thread(self._count_stopped, person, kept[-1])
            raise
        await asyncio.to_thread(self._count, person, done.usage, done.trace_id)
        return done

    def _count_stopped(self, person: Person, trace_id: str) -> None:
        answer = self._kept.load(trace_id)
        self._count(person, answer.usage if answer else None, trace_id)

    def _count(self, person: Person, usage: UsageReport | None, trace_id: str | None) -> None:
        if trace_id is not None:
            self._owners.own(trace_id, person.id, self._now())
        if usage is not None:
            self._spending.add(person.id, usage, self._now())


def left_of(person: Person, spent: Spent, at: datetime) -> dict[str, Any]:
    """What is left of a person's budget of this month, as settings of one question; none where nothing is limited.

    Raises LimitReached: nothing is left.
    """
    left: dict[str, Any] = {}
    for what in ("tokens", "money"):
        if (most := getattr(person.limits, what)) is not None:
            left[f"budget.{what}"] = most - getattr(spent, what)
            if left[f"budget.{what}"] <= 0:
                raise LimitReached(f"the monthly budget of {what} is used up", retry_after=next_month(at))
    return left


def lowered(changes: Mapping[str, Any], left: Mapping[str, Any], budget: BudgetSettings) -> dict[str, Any]:
    """Settings of a question in which its budget is at most what is left, and at most that of the server."""
    found = dict(changes)
    for key, value in left.items():
        others = (changes.get(key), getattr(budget, key.removeprefix("budget.")))
        found[key] = min([value, *(other for other in others if other is not None)])
    return found
