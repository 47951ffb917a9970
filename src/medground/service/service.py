"""The service: the one object that the HTTP API, the page and the MCP server hold.

    async with Service.open(settings) as service:
        job = await service.start(Asked(question="Does aspirin prevent stroke?"), LOCAL)
        async with aclosing(job.events()) as events:
            async for event in events:
                ...                       # `queued`, steps, and last `answer`, `failed` or `stopped`
        answer = await job.result()

All methods are for one event loop, that of the caller; whatever blocks or computes is done elsewhere. Engines live in a
loop of their own thread. A `Person` comes from `who`, or is `LOCAL`. What one person asks, no other can see.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from types import TracebackType
from typing import Any, Self

from medground.answer import Answer
from medground.answers import PastAnswer
from medground.conclude.claim import CheckedClaim
from medground.document import Document
from medground.engine import Engine
from medground.errors import MedgroundError, NotFound, UsageError
from medground.export import Format
from medground.opening import Opening
from medground.progress import Progress, no_progress
from medground.query import Filters
from medground.report import Attachment
from medground.search import SearchResult
from medground.service.asked import (
    Asked,
    Searched,
    offered_models,
    offered_sources,
    searched_by,
    terms_of,
    with_seconds,
)
from medground.service.engines import Engines
from medground.service.event import Event
from medground.service.jobs import LEFT, Job, Jobs, Tell
from medground.service.offers import (
    CorpusOffer,
    RecipeOffer,
    corpora_offered,
    knowledge_bases_offered,
    recipes_offered,
)
from medground.service.owners import Owners
from medground.service.person import LOCAL, Person
from medground.service.problem import Problem, problem_of
from medground.service.records import Records
from medground.service.shelf import Shelf
from medground.settings import Settings
from medground.steps import Kept, Step

OnEvent = Callable[[Event], None]
"""Called with each event of a question as it happens."""


def ignore_events(event: Event) -> None:
    """Show no events."""


@dataclass
class Service:
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
    _owners: Owners = field(repr=False)
    _shelf: Shelf = field(repr=False)
    _now: Callable[[], datetime] = field(repr=False)
    _closed: bool = False

    def __post_init__(self) -> None:
        self._turns = asyncio.Semaphore(self.settings.serve.concurrency)
        self._long_turns = asyncio.Semaphore(self.settings.serve.research)

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
        owners = Owners(records)
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
        return cls(settings, engines, jobs, records, owners, shelf, now)

    async def warm(self) -> None:
        """Open the engine of what the settings name: what is wrong shows at once, and the first question is fast.

        Raises what `Engine.open` raises.
        """

        async def nothing(engine: Engine) -> None:
            return None

        await self.engines.use(Searched.by_default(self.settings), nothing)

    # Asking

    async def start(self, asked: Asked, person: Person = LOCAL) -> Job:
        """Begin to answer a question as a job of a person; its first event, `queued`, is there when this returns.

        A job of kind `ask` is cancelled 30 s after its last listener has left (`Job.events`, `Job.result`); one of kind
        `research` lives on until it ends or is stopped.

        Raises:
            UsageError: the question cannot be asked in this way, or the service is closed.
            NotFound: it follows an answer that is not there, or is not theirs.
            Refused: a limit of the person, or of the line, is reached; it tells when to come again.
        """
        terms = await asyncio.to_thread(terms_of, asked, self.settings)
        if asked.follow is not None:
            await self.answer(asked.follow, person)
        ask = partial(
            _ask,
            question=terms.question,
            recipe=terms.recipe,
            model=terms.model,
            settings=terms.settings,
            follow=asked.follow,
            plan=asked.plan,
        )

        async def work(tell: Tell) -> Answer:
            on_step = self._owning(person, tell)
            return await self.engines.use(terms.searched, partial(ask, on_step=on_step))

        researches = asked.kind == "research"
        return self.jobs.start(
            work,
            owner=person.id,
            kind=asked.kind,
            title=terms.question.text,
            turn=self._long_turns if researches else self._turns,
            leaving=not researches,
        )

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

    def begin(self, work: Callable[[Tell], Any], person: Person, *, kind: str, title: str, in_line: bool = True) -> Job:
        """Begin other long work as a job of a person, such as the build of a corpus; it lives on without listeners.

        Args:
            work: an async function; it tells its progress with `tell.progress(words, done, of)`, in any thread.
            person: whose it is.
            kind: `build`, `evaluate` and so on.
            title: what people see of it.
            in_line: whether it waits for its turn among research and other builds.

        Raises:
            UsageError: the service is closed.
            Refused: the line is full.
        """
        turn = self._long_turns if in_line else None
        return self.jobs.start(work, owner=person.id, kind=kind, title=title, turn=turn)

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

        Raises:
            UsageError, SourceUnavailable, BudgetExhausted: as for `Engine.verify`; or the server does not offer a model
                or a source.
            Refused: a limit of the person is reached.
        """
        if model is not None and model not in self.models():
            raise UsageError(f"the model {model!r} is not offered here; models: {', '.join(self.models())}")
        searched = searched_by(self.settings, corpora, sources, knowledge_base)
        async with self._turns:
            return await self.engines.use(searched, lambda engine: engine.verify(claim, model=model))

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
        """
        searched = searched_by(self.settings, corpora, sources, knowledge_base)
        return await self.engines.use(searched, partial(_document, document_id=document_id))

    # Answers that are kept

    async def answer(self, trace_id: str, person: Person = LOCAL) -> Answer:
        """A person's answer by its trace id.

        Raises:
            NotFound: it is not there, or is not theirs.
        """
        return await asyncio.to_thread(self._shelf.answer, trace_id, person)

    async def history(self, person: Person = LOCAL, *, limit: int = 20, before: str | None = None) -> list[PastAnswer]:
        """A person's answers, the latest first.

        Args:
            person: whose they are.
            limit: at most this many, from 1 to 200.
            before: only those before the one with this trace id, to page on.

        Raises:
            UsageError: `limit` is out of range.
        """
        if not 1 <= limit <= 200:
            raise UsageError(f"a history takes a limit from 1 to 200, not {limit}")
        return await asyncio.to_thread(self._shelf.history, person, limit, before)

    async def delete(self, trace_id: str, person: Person = LOCAL) -> None:
        """Delete a person's answer with its trace.

        Raises:
            NotFound: it is not there, or is not theirs.
            StorageFailed: it cannot be deleted.
        """
        await asyncio.to_thread(self._shelf.delete, trace_id, person)

    async def export(self, trace_id: str, form: Format, person: Person = LOCAL) -> bytes:
        """A person's answer as `ris`, `bibtex`, `csl-json`, `markdown`, `docx`, `html` or `pdf`.

        Raises:
            NotFound: it is not there, or is not theirs.
            UsageError: no such format, or the answer quotes no source.
            ConfigError: the `export` extra is missing.
        """
        return await asyncio.to_thread(self._shelf.export, trace_id, form, person)

    async def file(self, trace_id: str, name: str, person: Person = LOCAL) -> tuple[Attachment, bytes]:
        """A file of the report of a person's answer, such as the structure of a protein.

        Raises:
            NotFound: the answer or the file is not there.
        """
        return await asyncio.to_thread(self._shelf.file, trace_id, name, person)

    async def trace(self, trace_id: str, person: Person = LOCAL) -> list[dict[str, Any]]:
        """The spans of a person's answer, in the order they started, as `medground.trace.read_trace` gives them.

        Raises:
            NotFound: the answer or its trace is not there.
        """
        return await asyncio.to_thread(self._shelf.trace, trace_id, person)

    # What there is

    async def corpora(self) -> list[CorpusOffer]:
        """The corpora that can be searched."""
        return await asyncio.to_thread(corpora_offered, self.settings)

    async def recipes(self) -> list[RecipeOffer]:
        """The recipes that can be asked for."""
        return await asyncio.to_thread(recipes_offered, self.settings)

    async def knowledge_bases(self) -> list[str]:
        """The knowledge bases that can be searched."""
        return await asyncio.to_thread(knowledge_bases_offered, self.settings)

    def models(self) -> tuple[str, ...]:
        """The models that a question may name, the default first."""
        return offered_models(self.settings)

    def sources(self) -> tuple[str, ...]:
        """The sources, beside corpora, that a question may name."""
        return offered_sources(self.settings)

    def problem(self, error: MedgroundError) -> Problem:
        """An error as clients may see it: with a status, a next step, and no path of this computer."""
        return problem_of(error, (str(self.settings.home),))

    # Ending

    async def close(self) -> None:
        """Take nothing more, stop all jobs, wait until they have kept what they found, close everything.

        Safe to call twice.
        """
        if self._closed:
            return
        self._closed = True
        await self.jobs.close()
        await self.engines.close()
        await asyncio.to_thread(self._records.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        await self.close()

    def _owning(self, person: Person, tell: Tell) -> Callable[[Step], None]:
        """Tells steps, and writes down whose an answer is as soon as it is kept; called in the loop of the engines."""

        def on_step(step: Step) -> None:
            if isinstance(step, Kept):
                self._owners.own(step.trace_id, person.id, self._now())
            tell.step(step)

        return on_step


async def _ask(engine: Engine, **chosen: Any) -> Answer:
    return await engine.ask(chosen.pop("question"), **chosen)


async def _document(engine: Engine, document_id: str) -> Document:
    try:
        return await engine.document(document_id)
    except UsageError as error:
        raise NotFound(str(error)) from None
