"""Who may ask now (rate, concurrency, budget of the month, requests sent twice), and what each request has used."""

import asyncio
import secrets
from asyncio import to_thread
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from functools import partial
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from medground.answering.conclude.claim import CheckedClaim
from medground.answering.evidence_table import EvidenceTable
from medground.errors import MedgroundError
from medground.faces.service.accounts import Owners, Spending, Spent, next_month
from medground.faces.service.answers import KeptAnswers
from medground.faces.service.audit import Audit
from medground.faces.service.job import Tell
from medground.faces.service.shared import Shared
from medground.faces.service.values import LimitReached, Person
from medground.home.settings_groups import BudgetSettings
from medground.values.answer import Answer
from medground.values.steps import AnyStep, Kept, OnStep, ResearchBegun
from medground.values.usage import UsageReport

T = TypeVar("T", Answer, CheckedClaim, EvidenceTable)


class Admission:
    """Lets requests to the engine in, one budget after the other, and counts what they used, however they end."""

    def __init__(self, kept: KeptAnswers, audit: Audit, shared: Shared, now: Callable[[], datetime]) -> None:
        self._owners, self._spending = Owners(shared.records), Spending(shared.records)
        self._audit, self._kept = audit, kept
        self._shared = shared
        self._now = now
        self._purses = WeakValueDictionary[str, asyncio.Lock]()

    async def enter(self, person: Person, *, lease: str = "") -> None:
        """Let a request in that is not a job, or refuse it with the time to come again.

        `lease`: under which it counts among what runs at once. Raises LimitReached: as for `Shared.admit`.
        """
        if lease or person.limits.rate is not None:
            work = partial(self._shared.admit, person=person, long=bool(lease), lease=lease)
            await to_thread(self._shared.records.run, work)

    async def left(self, person: Person, *, free: bool) -> dict[str, Any]:
        """What is left of a person's budget, as settings of a question; nothing for what is free.

        Raises LimitReached: nothing is left.
        """
        if free or not person.limits.has_budget:
            return {}
        spent = await to_thread(self._spending.month, person.id, self._now())
        return left_of(person, spent, self._now())

    @asynccontextmanager
    async def turn(self, person: Person, turns: asyncio.Semaphore, *, free: bool) -> AsyncIterator[None]:
        """A turn to run. What one budget pays for runs one after the other, so that it is not spent twice."""
        async with AsyncExitStack() as held:
            if not free and person.limits.has_budget:
                await held.enter_async_context(self._purses.setdefault(person.id, asyncio.Lock()))
                await held.enter_async_context(self._shared.held(f"purse:{person.id}"))
            await held.enter_async_context(turns)
            yield

    @asynccontextmanager
    async def running(self, person: Person, turns: asyncio.Semaphore, *, free: bool) -> AsyncIterator[None]:
        """A turn for a request that is not a job, such as a claim; it counts among what runs at once.

        Raises LimitReached: as for `Shared.admit`.
        """
        lease = f"running:{secrets.token_hex(8)}"
        self._shared.leases.add(lease)
        try:
            await self.enter(person, lease=lease)
            async with self.turn(person, turns, free=free):
                yield
        finally:
            await to_thread(self._shared.release, lease)

    async def answered(self, person: Person, tell: Tell, ask: Callable[[OnStep], Awaitable[Answer]]) -> Answer:
        """The answer to a person's question; it is theirs before it is announced.

        `ask`: asks it, given what is to be called with each step, in whatever thread.
        """
        kept: list[str] = []

        def on_step(step: AnyStep) -> None:
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
            await to_thread(self._count, person, error.spent, error.trace_id)
            raise
        except asyncio.CancelledError:
            if kept:
                await to_thread(self._count_stopped, person, kept[-1])
            raise
        await to_thread(self._count, person, done.usage, done.trace_id)
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
