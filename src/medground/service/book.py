"""Writes down, for each request to the engine, whose its answer is and what it used, also where it ends early."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TypeVar

from medground.answer import Answer
from medground.conclude.claim import CheckedClaim
from medground.errors import MedgroundError
from medground.evidence_table.values import EvidenceTable
from medground.service.jobs import Tell
from medground.service.owners import Owners
from medground.service.person import Person
from medground.service.shelf import Shelf
from medground.service.spending import Spending
from medground.steps import Kept, OnStep, ResearchBegun, Step
from medground.usage import UsageReport

T = TypeVar("T", Answer, CheckedClaim, EvidenceTable)


class Book:
    """Owners and use of what is asked.

    Args:
        owners: whose an answer is.
        spending: what each person has used.
        shelf: reads the answer of a question that was stopped.
        now: the time.
    """

    def __init__(self, owners: Owners, spending: Spending, shelf: Shelf, now: Callable[[], datetime]) -> None:
        self._owners = owners
        self._spending = spending
        self._shelf = shelf
        self._now = now

    async def answered(self, person: Person, tell: Tell, ask: Callable[[OnStep], Awaitable[Answer]]) -> Answer:
        """The answer to a person's question; it is theirs before anybody is told of it.

        Args:
            person: whose the question is.
            tell: is told each step.
            ask: asks it, given what is to be called with each step, in whatever thread.
        """
        kept: list[str] = []

        def on_step(step: Step) -> None:
            if isinstance(step, Kept):
                kept.append(step.trace_id)
                self._owners.own(step.trace_id, person.id, self._now())
            elif isinstance(step, ResearchBegun):
                self._owners.own(step.id, person.id, self._now())
            tell.step(step)

        return await self._counted(person, ask(on_step), kept)

    async def checked(self, person: Person, check: Awaitable[CheckedClaim]) -> CheckedClaim:
        """A claim of a person that is checked; its trace is theirs."""
        return await self._counted(person, check, [])

    async def tabled(self, person: Person, fill: Awaitable[EvidenceTable]) -> EvidenceTable:
        """The table of an answer of a person."""
        return await self._counted(person, fill, [])

    async def _counted(self, person: Person, work: Awaitable[T], kept: list[str]) -> T:
        try:
            done = await work
        except MedgroundError as error:
            await asyncio.to_thread(self._write, person, error.spent, error.trace_id)
            raise
        except asyncio.CancelledError:
            if kept:
                await asyncio.to_thread(self._write_stopped, person, kept[-1])
            raise
        await asyncio.to_thread(self._write, person, done.usage, done.trace_id)
        return done

    def _write_stopped(self, person: Person, trace_id: str) -> None:
        answer = self._shelf.load(trace_id)
        self._write(person, answer.usage if answer else None, trace_id)

    def _write(self, person: Person, usage: UsageReport | None, trace_id: str | None) -> None:
        if trace_id is not None:
            self._owners.own(trace_id, person.id, self._now())
        if usage is not None:
            self._spending.add(person.id, usage, self._now())
