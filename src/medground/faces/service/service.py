"""The service: the one object that the HTTP API, the page and the MCP server hold.

    async with Service.open(settings) as service:
        person = await service.who(token)             # or LOCAL, where no token is asked for
        job = await service.start(AskBody(question="Does aspirin prevent stroke?"), person)
        async with aclosing(job.events()) as events:
            async for event in events:
                ...                       # `queued`, steps, and last `answer`, `failed` or `stopped`
        answer = await job.result()

All methods are for one event loop, that of the caller; whatever blocks or computes is done elsewhere. Engines live in a
loop of their own thread. What one person asks, no other can see. Questions, searches and claims are methods of
`Questioning`, `AnswerService` has what is kept, `Offering` what is offered.
"""

import asyncio
import logging
import time
from asyncio import to_thread
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, Self

from medground.corpus.retraction import listed
from medground.engine.engine import Engine
from medground.engine.opening import Opening
from medground.errors import MedgroundError
from medground.faces.service.accounts import Owners, Saved, Spending, Tokens
from medground.faces.service.admission import Admission
from medground.faces.service.answers import AnswerService, KeptAnswers
from medground.faces.service.audit import Audit
from medground.faces.service.clock_looks import ClockLooks, since_start
from medground.faces.service.engines import Engines
from medground.faces.service.job import Job, Work
from medground.faces.service.jobs import ABANDONED, LOST, Jobs
from medground.faces.service.records import Records
from medground.faces.service.request import Searched, with_seconds
from medground.faces.service.shared import Shared
from medground.faces.service.values import Person, Problem, problem_of
from medground.faces.service.watching import Watching
from medground.home.concurrency import TURNS
from medground.home.settings import Settings
from medground.language.risk.notices import notice_for
from medground.values.steps import Progress, no_progress

log = logging.getLogger(__name__)
MINUTE = 60.0
"""Seconds between two looks at what is older than `serve.keep_days`, and at what is watched."""


async def _read_ahead(engine: Engine) -> None:
    """Read what every question needs: rules of risk, retracted papers, and what weighs a sentence."""
    from medground.language import kinds
    from medground.language.question_reading import Asked
    from medground.language.quoting import judged, scorer

    question = Asked("What are the signs of fever?")
    notice_for(question.text)
    listed()
    kinds.asked(question.text)
    scorer.strengths(question, [judged.Candidate("Fever", ["Fever is a sign."])])


@dataclass
class Service(Watching, AnswerService):
    """Answers many people in one process. Open it with `Service.open`.

    Attributes:
        engines: the engines, for work that no method here does: `engines.use(searched, work)`.
        audit: who did what, and when.
        jobs: all jobs; other work, such as the build of a corpus, is started with `begin`.
    """

    settings: Settings
    engines: Engines
    jobs: Jobs
    audit: Audit
    _records: Records = field(repr=False)
    _kept: KeptAnswers = field(repr=False)
    _now: Callable[[], datetime] = field(repr=False)
    _steady: Callable[[], float] = field(default=since_start, repr=False)
    _closed: bool = False

    def __post_init__(self) -> None:
        self._tokens = Tokens(self._records, self._now)
        self.saved = Saved(self._records)
        self._spending = Spending(self._records)
        self._looks = ClockLooks(self._records, self.audit, lambda: self._now(), self._steady)
        TURNS.append(self.jobs.shared.turn)
        self._admission = Admission(self._kept, self.audit, self.jobs.shared, self._now)
        self._turns = asyncio.Semaphore(self.settings.serve.concurrency)
        self._long_turns = asyncio.Semaphore(self.settings.serve.research)
        self._unfinished = set[asyncio.Task[Any]]()
        self._always = [asyncio.create_task(work) for work in (self._each_minute(), self.jobs.watch())]

    @classmethod
    def open(
        cls,
        settings: Settings | None = None,
        *,
        progress: Progress = no_progress,
        clock: Callable[[], float] = time.time,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        abandoned_after: float = ABANDONED,
        lost_after: float = LOST,
        steady: Callable[[], float] = since_start,
    ) -> Opening[Self]:
        """Open a service, by `await` or by `async with`. Engines are opened by the first question, or by `warm`.

        Args:
            progress: called, in another thread, with the progress of what must be built first.
            clock: seconds since 1970, for limits of rate and for forgetting.
            abandoned_after: seconds after which a question without listeners is cancelled.
            lost_after: seconds after which another server that says nothing is gone, and its jobs have failed.
            steady: seconds by a clock that is never set.

        Raises ConfigError: wrong settings; StorageFailed: the home folder or the database cannot be used.
        """

        async def opened() -> Self:
            used = settings or Settings.load()
            records = await to_thread(Records.from_settings, used)
            audit = Audit(records, now, used.serve.audit_words)
            await to_thread(audit.add, None, "start", used.hash)
            kept = KeptAnswers(used, Owners(records), audit)
            jobs = Jobs(
                lambda trace_id: to_thread(kept.load, trace_id),
                Shared(records, clock),
                hide=(str(used.home),),
                now=now,
                abandoned_after=abandoned_after,
                lost_after=lost_after,
                most_unfinished=used.serve.waiting,
            )
            engines = Engines(with_seconds(used, "ask"), progress)
            return cls(used, engines, jobs, audit, records, kept, now, steady)

        return Opening(opened)

    async def warm(self) -> None:
        """Open the engine of what is searched by default, and read what every question needs: what is wrong shows at
        once, and the first question is fast.

        Raises what `Engine.open` raises.
        """
        await self.engines.use(await to_thread(Searched.by_default, self.settings), _read_ahead)
        await self.corpora()

    async def who(self, token: str) -> Person:
        """The person who holds a token. Raises NotAllowed: it is not a token, or it was revoked."""
        return await to_thread(self._tokens.who, token)

    async def person(self, person_id: str) -> Person:
        """A person by id, as a session remembers it. Raises NotAllowed: their token was revoked."""
        return await to_thread(self._tokens.person, person_id)

    async def begin(self, work: Work, person: Person, *, kind: str, title: str, in_line: bool = True) -> Job:
        """Begin other long work as a job of a person, such as the build of a corpus; it lives on without listeners.

        Args:
            work: an async function; it tells its progress with `tell.progress(words, done, of)`, in any thread.
            in_line: whether it waits for its turn among research and other builds.

        Raises UsageError: the service is closed; LimitReached: the line is full, or a limit of the person is reached.
        """
        turn, admit = self._long_turns if in_line else None, partial(self.jobs.shared.admit, person=person)
        return await self.jobs.start(work, owner=person.id, kind=kind, title=title, turn=turn, admit=admit)

    async def check_ready(self) -> None:
        """Check that questions can be answered now. Raises StorageFailed: what servers share cannot be read."""
        await to_thread(self._records.rows, "SELECT 1")

    def problem(self, error: MedgroundError) -> Problem:
        """An error as clients may see it: with a status, a next step, and no path of this computer."""
        return problem_of(error, (str(self.settings.home),))

    async def close(self) -> None:
        """Take nothing more, stop all jobs, wait until they have kept what they found, close everything.

        Safe to call twice.
        """
        if self._closed:
            return
        self._closed = True
        TURNS.remove(self.jobs.shared.turn)
        for task in self._always:
            task.cancel()
        await self.jobs.close()
        await asyncio.gather(*self._unfinished, return_exceptions=True)
        await self.engines.close()
        await asyncio.gather(*self._always, return_exceptions=True)
        await to_thread(self._records.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()

    async def _each_minute(self) -> None:
        while True:
            try:
                if count := await self.sweep():
                    log.info("%d answers older than serve.keep_days were deleted", count)
                await self.ask_watched()
            except MedgroundError as error:
                log.warning("what is old could not be deleted, or what is watched not be asked again: %s", error)
            except Exception:  # what is kept is deleted in time, whatever becomes of one question
                log.exception("what is due each minute failed")
            await asyncio.sleep(MINUTE)
