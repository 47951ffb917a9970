"""The service: the one object that the HTTP API, the page and the MCP server hold.

    async with Service.open(settings) as service:
        person = await service.who(token)             # or LOCAL, where no token is asked for
        job = await service.start(Asked(question="Does aspirin prevent stroke?"), person)
        async with aclosing(job.events()) as events:
            async for event in events:
                ...                       # `queued`, steps, and last `answer`, `failed` or `stopped`
        answer = await job.result()

All methods are for one event loop, that of the caller; whatever blocks or computes is done elsewhere. Engines live in a
loop of their own thread. What one person asks, no other can see. Methods on kept answers are those of `Keeping`, what
is offered that of `Offering`.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar
from weakref import WeakValueDictionary

from medground.answer import Answer
from medground.conclude.claim import CheckedClaim
from medground.document import Document
from medground.engine import Engine
from medground.errors import MedgroundError, NotFound, StorageFailed, UsageError
from medground.evidence_table.columns import checked_columns
from medground.evidence_table.values import EvidenceTable
from medground.opening import Opening
from medground.progress import Progress, no_progress
from medground.query import Filters
from medground.search import SearchResult
from medground.service.asked import Asked, Searched, Terms, is_free, searched_by, searched_for, terms_of, with_seconds
from medground.service.book import Book
from medground.service.engines import Engines
from medground.service.event import Event
from medground.service.gate import Gate, left_of, lowered
from medground.service.jobs import LEFT, Job, Jobs, Tell, Work
from medground.service.keeping import Keeping
from medground.service.offers import Offering
from medground.service.owners import Owners
from medground.service.person import LOCAL, Person
from medground.service.problem import Problem, problem_of
from medground.service.records import Records
from medground.service.repeats import Repeats, check_same, checked_key, digest_of
from medground.service.shelf import Shelf
from medground.service.spending import Spending
from medground.service.tokens import Tokens
from medground.settings import Settings
from medground.steps import OnStep

log = logging.getLogger(__name__)
T = TypeVar("T")
SWEEP = 3600.0
"""Seconds between two deletions of what is older than `serve.keep_days`."""

OnEvent = Callable[[Event], None]
"""Called with each event of a question as it happens."""


def ignore_events(event: Event) -> None:
    """Show no events."""


@dataclass
class Service(Keeping, Offering):
    """Answers many people in one process. Open it with `Service.open`.

    Attributes:
        settings: those of the server.
        engines: the engines, for work that no method here does: `engines.use(searched, work)`.
        jobs: all jobs; other work, such as the build of a corpus, is started with `begin`.
    """

    settings: Settings
    engines: Engines
    jobs: Jobs
    _records: Records = field(repr=False)
    _shelf: Shelf = field(repr=False)
    _spending: Spending = field(repr=False)
    _book: Book = field(repr=False)
    _gate: Gate = field(repr=False)
    _now: Callable[[], datetime] = field(repr=False)
    _closed: bool = False

    def __post_init__(self) -> None:
        self._tokens = Tokens(self._records, self._now)
        self._repeats = Repeats(self._records)
        self._turns = asyncio.Semaphore(self.settings.serve.concurrency)
        self._long_turns = asyncio.Semaphore(self.settings.serve.research)
        self._purses: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._claims: set[asyncio.Task[Any]] = set()
        self._sweeper = asyncio.create_task(self._sweep_each_hour())

    @classmethod
    def open(
        cls,
        settings: Settings | None = None,
        *,
        progress: Progress = no_progress,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        left: float = LEFT,
    ) -> Opening[Self]:
        """Open a service, by `await` or by `async with`. Engines are opened by the first question, or by `warm`.

        Args:
            settings: `Settings.load()` by default.
            progress: called, in another thread, with the progress of what must be built first.
            clock: seconds that never go back, for limits of rate and for forgetting.
            now: the time, for what is kept.
            left: seconds after which a question that nobody listens to is cancelled.

        Raises:
            ConfigError: wrong settings.
            StorageFailed: the home folder cannot be written to.
        """
        return Opening(lambda: cls._opened(settings or Settings.load(), progress, clock, now, left))

    @classmethod
    async def _opened(
        cls,
        settings: Settings,
        progress: Progress,
        clock: Callable[[], float],
        now: Callable[[], datetime],
        left: float,
    ) -> Self:
        records = await asyncio.to_thread(Records, settings.home)
        owners, spending = Owners(records), Spending(records)
        shelf = Shelf(settings, owners)

        async def load(trace_id: str) -> Answer | None:
            return await asyncio.to_thread(shelf.load, trace_id)

        jobs = Jobs(
            load,
            hide=(str(settings.home),),
            clock=clock,
            now=now,
            left=left,
            most_unfinished=settings.serve.waiting,
        )
        engines = Engines(with_seconds(settings, "ask"), progress)
        book = Book(owners, spending, shelf, now)
        return cls(settings, engines, jobs, records, shelf, spending, book, Gate(clock), now)

    async def warm(self) -> None:
        """Open the engine of what the settings name: what is wrong shows at once, and the first question is fast.

        Raises what `Engine.open` raises.
        """

        async def nothing(engine: Engine) -> None:
            return None

        await self.engines.use(Searched.by_default(self.settings), nothing)

    async def who(self, token: str) -> Person:
        """Whoever holds a token.

        Raises:
            NotAllowed: it is not a token, or it was revoked.
        """
        return await asyncio.to_thread(self._tokens.who, token)

    async def person(self, person_id: str) -> Person:
        """A person by id, as a session remembers it.

        Raises:
            NotAllowed: their token was revoked.
        """
        return await asyncio.to_thread(self._tokens.person, person_id)

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
            Refused: a limit of the person, or of the line, is reached; it tells when to come again.
        """
        repeat = (checked_key(key), digest_of(asked)) if key is not None else None
        if repeat and (former := await self._former(asked, person, repeat)):
            return former
        terms = await asyncio.to_thread(terms_of, asked, self.settings)
        if asked.follow is not None:
            await self.answer(asked.follow, person)
        await self._left(person, terms.free)
        if repeat and (same := self._same(person, repeat)):  # from here on nothing is awaited
            return same

        async def ask(on_step: OnStep) -> Answer:
            changes = lowered(terms.settings, await self._left(person, terms.free), self.settings.budget)
            return await self.engines.use(terms.searched, partial(_ask, asked, terms, changes, on_step))

        async def work(tell: Tell) -> Answer:
            answer = await self._book.answered(person, tell, ask)
            if repeat:
                await asyncio.to_thread(self._repeats.keep, person.id, *repeat, answer.trace_id, self._now())
            return answer

        return self._started(work, person, terms.free, kind=asked.kind, title=terms.question.text, repeat=repeat)

    async def resume(self, research: str, person: Person = LOCAL) -> Job:
        """Go on with a person's research that failed, was stopped or reached a limit, as a new job.

        Raises:
            NotFound: it is not there, or is not theirs.
            Refused: as for `start`.
        """
        one = await asyncio.to_thread(self._shelf.unfinished, research, person)
        then = one.settings_with(self.settings)
        free = is_free(then)
        await self._left(person, free)

        async def ask(on_step: OnStep) -> Answer:
            changes = lowered({}, await self._left(person, free), then.budget)
            go_on = partial(_resume, one.id, changes, on_step)
            return await self.engines.use(Searched.by_default(then), go_on)

        async def work(tell: Tell) -> Answer:
            return await self._book.answered(person, tell, ask)

        return self._started(work, person, free, kind="research", title=one.question.text)

    async def ask(self, asked: Asked, person: Person = LOCAL, on_event: OnEvent = ignore_events) -> Answer:
        """Answer a question. Cancelling this stops the question; what was found is kept.

        Args:
            asked: the question.
            person: whose it is.
            on_event: called with each event, in the loop of the caller.

        Raises:
            UsageError, NotFound, Refused: as for `start`.
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

    def begin(self, work: Work, person: Person, *, kind: str, title: str, in_line: bool = True) -> Job:
        """Begin other long work as a job of a person, such as the build of a corpus; it lives on without listeners.

        Args:
            work: an async function; it tells its progress with `tell.progress(words, done, of)`, in any thread.
            person: whose it is.
            kind: `build`, `evaluate` and so on.
            title: what people see of it.
            in_line: whether it waits for its turn among research and other builds.

        Raises:
            UsageError: the service is closed.
            Refused: the line is full, or a limit of the person is reached.
        """
        self._gate.enter(person, self.jobs.unfinished(person.id))
        return self.jobs.start(
            work, owner=person.id, kind=kind, title=title, turn=self._long_turns if in_line else None
        )

    async def search(
        self,
        text: str,
        person: Person = LOCAL,
        *,
        limit: int = 10,
        filters: Filters | None = None,
        corpora: tuple[str, ...] | None = None,
        sources: tuple[str, ...] | None = None,
        knowledge_base: str | None = None,
    ) -> SearchResult:
        """The passages that fit some words best. What is named stands in place of all that is searched by default.

        Raises:
            UsageError, SourceUnavailable: as for `Engine.search`; or the server does not offer a source.
            Refused: a limit of the person is reached.
        """
        searched = searched_by(self.settings, corpora, sources, knowledge_base)
        self._gate.enter(person, long=False)
        return await self.engines.use(searched, lambda engine: engine.search(text, limit=limit, filters=filters))

    async def verify(
        self,
        claim: str,
        person: Person = LOCAL,
        *,
        model: str | None = None,
        corpora: tuple[str, ...] | None = None,
        sources: tuple[str, ...] | None = None,
        knowledge_base: str | None = None,
    ) -> CheckedClaim:
        """Compare a claim with what the sources hold; it takes its turn among the questions.

        A claim is checked to its end, also where the caller is cancelled, so that what it used is counted.

        Raises:
            UsageError, SourceUnavailable, BudgetExhausted: as for `Engine.verify`; or the server does not offer a model
                or a source.
            Refused: a limit of the person is reached.
        """
        if model is not None and model not in self.models():
            raise UsageError(f"the model {model!r} is not offered here; models: {', '.join(self.models())}")
        searched = searched_by(self.settings, corpora, sources, knowledge_base)
        free = is_free(self.settings) and model in (None, self.settings.model.default)
        await self._left(person, free)
        self._gate.enter(person, self.jobs.unfinished(person.id))
        return await self._to_its_end(self._checked(claim, person, model, searched, free))

    async def table(
        self, trace_id: str, columns: Sequence[str], person: Person = LOCAL, *, model: str | None = None
    ) -> EvidenceTable:
        """The studies of a person's answer as a table with columns of their own; it takes its turn among the questions.

        It is filled to its end, also where the caller is cancelled, so that what it used is counted.

        Raises:
            NotFound: the answer is not there, or is not theirs.
            UsageError: a column cannot be used, or the server does not offer the model.
            Refused: a limit of the person is reached.
        """
        if model is not None and model not in self.models():
            raise UsageError(f"the model {model!r} is not offered here; models: {', '.join(self.models())}")
        names = checked_columns(columns)
        searched = await asyncio.to_thread(searched_for, await self.answer(trace_id, person), self.settings)
        free = is_free(self.settings) and model in (None, self.settings.model.default)
        await self._left(person, free)
        self._gate.enter(person, self.jobs.unfinished(person.id))
        return await self._to_its_end(self._tabled(trace_id, names, person, model, searched, free))

    async def document(
        self,
        document_id: str,
        person: Person = LOCAL,
        *,
        corpora: tuple[str, ...] | None = None,
        sources: tuple[str, ...] | None = None,
        knowledge_base: str | None = None,
    ) -> Document:
        """A document by its id, such as `PMID:21645374`; `medground.corpus.chunk.chunk` gives its passages.

        Raises:
            NotFound: no source that is searched holds it.
            UsageError: the server does not offer a source, or there is no such corpus.
            SourceUnavailable: it may be in a source that could not be asked.
            Refused: a limit of the person is reached.
        """
        searched = searched_by(self.settings, corpora, sources, knowledge_base)
        self._gate.enter(person, long=False)
        return await self.engines.use(searched, partial(_document, document_id=document_id))

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
        self._sweeper.cancel()
        await self.jobs.close()
        await asyncio.gather(*self._claims, return_exceptions=True)
        await self.engines.close()
        await asyncio.gather(self._sweeper, return_exceptions=True)
        await asyncio.to_thread(self._records.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        await self.close()

    def _started(
        self, work: Work, person: Person, free: bool, *, kind: str, title: str, repeat: tuple[str, str] | None = None
    ) -> Job:
        """Begin a question, if its person may ask it now."""
        self._gate.enter(person, self.jobs.unfinished(person.id))
        researches = kind == "research"
        return self.jobs.start(
            work,
            owner=person.id,
            kind=kind,
            title=title,
            turn=self._turn(person, free, self._long_turns if researches else self._turns),
            leaving=not researches,
            repeat=repeat,
        )

    async def _former(self, asked: Asked, person: Person, repeat: tuple[str, str]) -> Job | None:
        """The job of the same request, or one that is done for the answer that it had before the server started."""
        if same := self._same(person, repeat):
            return same
        found = await asyncio.to_thread(self._repeats.find, person.id, repeat[0], self._now())
        if found is None:
            return None
        check_same(repeat[1], found[0])
        if await asyncio.to_thread(self._shelf.load, found[1]) is None:  # it was deleted
            return None
        return self.jobs.recalled(
            owner=person.id, kind=asked.kind, title=asked.question, trace_id=found[1], repeat=repeat
        )

    def _same(self, person: Person, repeat: tuple[str, str]) -> Job | None:
        job = self.jobs.repeated(person.id, repeat[0])
        if job is not None and job.repeat is not None:
            check_same(repeat[1], job.repeat[1])
        return job

    async def _left(self, person: Person, free: bool) -> dict[str, Any]:
        """What is left of a person's budget, as settings; nothing for what costs nothing.

        Raises:
            Refused: nothing is left.
        """
        if free or not _has_budget(person):
            return {}
        return left_of(person, await self.usage(person), self._now())

    @asynccontextmanager
    async def _turn(self, person: Person, free: bool, turns: asyncio.Semaphore) -> AsyncIterator[None]:
        """A turn at work. What is paid from one budget is done one after the other, so that it is not spent twice."""
        async with self._purse(person, free), turns:
            yield

    def _purse(self, person: Person, free: bool) -> AbstractAsyncContextManager[object]:
        if free or not _has_budget(person):
            return nullcontext()
        return self._purses.setdefault(person.id, asyncio.Lock())

    async def _checked(
        self, claim: str, person: Person, model: str | None, searched: Searched, free: bool
    ) -> CheckedClaim:
        with self._gate.at_work(person):
            async with self._turn(person, free, self._turns):
                changes = lowered({}, await self._left(person, free), self.settings.budget)
                check = partial(_verify, claim, model, changes)
                return await self._book.checked(person, self.engines.use(searched, check))

    async def _tabled(
        self, trace_id: str, columns: Sequence[str], person: Person, model: str | None, searched: Searched, free: bool
    ) -> EvidenceTable:
        with self._gate.at_work(person):
            async with self._turn(person, free, self._turns):
                changes = lowered({}, await self._left(person, free), self.settings.budget)
                fill = partial(_fill, trace_id, columns, model, changes)
                return await self._book.tabled(person, self.engines.use(searched, fill))

    async def _to_its_end(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of some work that goes on where its caller is cancelled."""
        task = asyncio.create_task(work)
        self._claims.add(task)
        task.add_done_callback(self._claim_ended)
        return await asyncio.shield(task)

    def _claim_ended(self, task: asyncio.Task[Any]) -> None:
        self._claims.discard(task)
        if not task.cancelled():
            task.exception()  # looked at, since its caller may have left

    async def _sweep_each_hour(self) -> None:
        while True:
            try:
                await asyncio.to_thread(self._repeats.forget_old, self._now())
                if count := await self.sweep():
                    log.info("%d answers older than serve.keep_days were deleted", count)
            except StorageFailed as error:
                log.warning("what is older than serve.keep_days could not be deleted: %s", error)
            await asyncio.sleep(SWEEP)


def _has_budget(person: Person) -> bool:
    return person.limits.money is not None or person.limits.tokens is not None


async def _ask(asked: Asked, terms: Terms, changes: Mapping[str, Any], on_step: OnStep, engine: Engine) -> Answer:
    return await engine.ask(
        terms.question,
        recipe=terms.recipe,
        model=terms.model,
        settings=changes,
        follow=asked.follow,
        plan=asked.plan,
        on_step=on_step,
    )


async def _resume(research: str, changes: Mapping[str, Any], on_step: OnStep, engine: Engine) -> Answer:
    return await engine.resume(research, settings=changes, on_step=on_step)


async def _verify(claim: str, model: str | None, changes: Mapping[str, Any], engine: Engine) -> CheckedClaim:
    return await engine.verify(claim, model=model, settings=changes)


async def _fill(
    trace_id: str, columns: Sequence[str], model: str | None, changes: Mapping[str, Any], engine: Engine
) -> EvidenceTable:
    return await engine.table(trace_id, columns, model=model, settings=changes)


async def _document(engine: Engine, document_id: str) -> Document:
    try:
        return await engine.document(document_id)
    except UsageError as error:
        raise NotFound(str(error)) from None
