"""Questions of people, each as a job: begun, followed, gone on with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing

from medground.answer import Answer
from medground.errors import NotFound
from medground.service.admission import Admission, Repeat, lowered
from medground.service.asked import Asked, Searched, is_free, terms_of
from medground.service.engines import Engines
from medground.service.event import Event
from medground.service.job import Job, Tell, Work
from medground.service.jobs import Jobs
from medground.service.keeping import KeptAnswers
from medground.service.offers import Offering
from medground.service.person import LOCAL, Person
from medground.service.repeats import checked_key, digest_of
from medground.settings import Settings
from medground.steps import OnStep

OnEvent = Callable[[Event], None]
"""Called with each event of a question as it happens."""


def ignore_events(event: Event) -> None:
    """Show no events."""


class Questioning(Offering):
    """Begins questions and research; a `Service` is one."""

    settings: Settings
    engines: Engines
    jobs: Jobs
    _kept: KeptAnswers
    _admission: Admission
    _turns: asyncio.Semaphore
    _long_turns: asyncio.Semaphore

    async def start(self, asked: Asked, person: Person = LOCAL, *, key: str | None = None) -> Job:
        """Begin to answer a question as a job of a person; its first event, `queued`, is there when this returns.

        A job of kind `ask` is cancelled 30 s after its last listener has left (`Job.events`, `Job.result`); one of kind
        `research` lives on until it ends or is stopped.

        Args:
            asked: the question.
            person: whose it is.
            key: the idempotency key of the request: the job of an earlier request of this person with the same key, of
                the last 24 hours, is given again, unless it failed or was stopped.

        Raises:
            UsageError: the question cannot be asked in this way, the key came with another question, or the service is
                closed.
            NotFound: it follows an answer that is not there, or is not theirs.
            LimitReached: a limit of the person, or of the line, is reached; it tells when to come again.
        """
        repeat = (checked_key(key), digest_of(asked)) if key is not None else None
        if repeat and (former := await self._admission.former(asked, person, repeat)):
            return former
        followed = None
        if asked.follow is not None:
            followed = await asyncio.to_thread(self._kept.answer, asked.follow, person)
        terms = await asyncio.to_thread(terms_of, asked, self.settings, followed)
        await self._admission.left(person, free=terms.free)
        if repeat and (same := self._admission.same(person, repeat)):  # from here on nothing is awaited
            return same

        async def ask(on_step: OnStep) -> Answer:
            changes = lowered(terms.settings, await self._admission.left(person, free=terms.free), self.settings.budget)
            return await self.engines.use(
                terms.searched,
                lambda engine: engine.ask(
                    terms.question,
                    recipe=terms.recipe,
                    model=terms.model,
                    settings=changes,
                    follow=asked.follow,
                    plan=asked.plan,
                    on_step=on_step,
                ),
            )

        async def work(tell: Tell) -> Answer:
            answer = await self._admission.answered(person, tell, ask)
            if repeat:
                await self._admission.keep(person, repeat, answer.trace_id)
            return answer

        return self._started(work, person, terms.free, kind=asked.kind, title=terms.question.text, repeat=repeat)

    async def resume(self, research: str, person: Person = LOCAL) -> Job:
        """Go on with a person's research that failed, was stopped or reached a limit, as a new job.

        Raises:
            NotFound: it is not there, or is not theirs.
            LimitReached: as for `start`.
        """
        one = await asyncio.to_thread(self._kept.unfinished, research, person)
        then = await asyncio.to_thread(one.settings_with, self.settings)
        free = is_free(then)
        await self._admission.left(person, free=free)

        async def ask(on_step: OnStep) -> Answer:
            changes = lowered({}, await self._admission.left(person, free=free), then.budget)
            return await self.engines.use(
                Searched.named(then), lambda engine: engine.resume(one.id, settings=changes, on_step=on_step)
            )

        async def work(tell: Tell) -> Answer:
            return await self._admission.answered(person, tell, ask)

        return self._started(work, person, free, kind="research", title=one.question.text)

    async def ask(self, asked: Asked, person: Person = LOCAL, on_event: OnEvent = ignore_events) -> Answer:
        """Answer a question. Cancelling this stops the question; what was found is kept.

        Args:
            asked: the question.
            person: whose it is.
            on_event: called with each event, in the loop of the caller.

        Raises:
            UsageError, NotFound, LimitReached: as for `start`.
            Stopped: somebody stopped the job.
            MedgroundError: what `Engine.ask` raises.
        """
        job = await self.start(asked, person)
        try:
            async with aclosing(job.events()) as events:
                async for event in events:
                    on_event(event)
            answer = await job.result()
        except asyncio.CancelledError:
            await job.stop()
            raise
        if answer is None:
            raise NotFound("the answer was deleted before it could be shown")
        return answer

    def _started(
        self, work: Work, person: Person, free: bool, *, kind: str, title: str, repeat: Repeat | None = None
    ) -> Job:
        """Begin a question, if its person may ask it now."""
        self._admission.enter(person)
        researches = kind == "research"
        return self.jobs.start(
            work,
            owner=person.id,
            kind=kind,
            title=title,
            turn=self._admission.turn(person, self._long_turns if researches else self._turns, free=free),
            listened=not researches,
            repeat=repeat,
        )
