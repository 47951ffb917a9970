"""Jobs: work for somebody, with events that can be followed, left and resumed."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from pydantic import Field

from medground.answer import Answer
from medground.document import Frozen
from medground.errors import BudgetExhausted, MedgroundError, NotFound, Stopped, UsageError
from medground.service.event import Event, EventType
from medground.service.log import MOST_BYTES, EventLog
from medground.service.problem import INTERNAL, Problem, problem_of
from medground.service.refused import Refused
from medground.steps import Kept, ResearchBegun, Step
from medground.wording.steps import in_words

log = logging.getLogger(__name__)

State = Literal["queued", "running", "done", "failed", "stopped"]
FINISHED: frozenset[State] = frozenset(["done", "failed", "stopped"])
LEFT = 30.0
"""Seconds after which a question that nobody listens to is cancelled."""
REMEMBERED = 3600.0
"""Seconds for which a finished job can be asked for; its answer stays."""
_WHOLE = 32
"""Finished jobs that keep all their events; older ones keep the last."""
_MOST_FINISHED = 1000


class JobState(Frozen):
    """A job as it is now."""

    id: str
    kind: str = Field(description="`ask`, `research`, or what else is worked on, such as `build`")
    title: str = Field(description="the question, or what is worked on")
    state: State
    created: datetime
    words: str = Field(default="", description="the latest step in words")
    last_event: int = Field(default=0, description="the id of its latest event")
    trace_id: str | None = Field(default=None, description="the id of its answer, once one is kept")
    research: str | None = Field(default=None, description="the research that can be gone on with, if it ends early")
    problem: Problem | None = None


class Tell:
    """How work tells what it does. Safe to call in any thread."""

    def __init__(self, job: Job, loop: asyncio.AbstractEventLoop) -> None:
        self._job = job
        self._loop = loop

    def step(self, step: Step) -> None:
        """A step of the engine; it is what `Engine.ask` takes as `on_step`."""
        self._send(Event.model_construct(id=0, type="step", words=in_words(step), step=step))  # type: ignore[arg-type]

    def progress(self, words: str, done: int, of: int | None) -> None:
        """`done` of `of` units of something are done; it is a `Progress`."""
        self._send(Event(id=0, type="progress", words=words, done=done, of=of))

    def _send(self, event: Event) -> None:
        with suppress(RuntimeError):  # the loop of the service is closed: nobody listens
            self._loop.call_soon_threadsafe(self._job.add, event)


Work = Callable[[Tell], Awaitable[Answer | None]]
"""What a job does: it returns the answer, or None where it makes none."""
Load = Callable[[str], Awaitable[Answer | None]]
"""Reads a kept answer by its trace id; None where it is gone."""


@dataclass
class Job:
    """Work of one owner. Listen with `events`, wait with `result`, end it with `stop`."""

    id: str
    owner: str
    kind: str
    title: str
    created: datetime
    load: Load = field(repr=False)
    leaving: float | None = None
    """Seconds after which it is stopped when nobody listens; None: it lives on."""
    repeat: tuple[str, str] | None = None
    """The idempotency key of its request, and what tells that request from others."""
    most_bytes: int = MOST_BYTES
    state: State = "queued"
    trace_id: str | None = None
    research: str | None = None
    problem: Problem | None = None
    finished: float | None = None
    """When it ended, by the clock of the jobs."""

    def __post_init__(self) -> None:
        self.log = EventLog(self.id, self.most_bytes)
        self._words = ""
        self._error: MedgroundError | None = None
        self._answer: Answer | None = None
        self._task: asyncio.Task[None] | None = None
        self._listeners = 0
        self._timer: asyncio.TimerHandle | None = None
        self._ended = asyncio.Event()

    @property
    def is_finished(self) -> bool:
        """Whether it is done, failed or stopped."""
        return self.state in FINISHED

    def now(self) -> JobState:
        """Its state as a value, for clients."""
        last = self.log.last
        return JobState(
            id=self.id,
            kind=self.kind,
            title=self.title,
            state=self.state,
            created=self.created,
            words=self._words,
            last_event=last.id if last else 0,
            trace_id=self.trace_id,
            research=self.research,
            problem=self.problem,
        )

    async def events(self, after: int = 0) -> AsyncGenerator[Event, None]:
        """Its events with ids above `after`, those that are there at once, then the others as they come.

        Close the iterator (`contextlib.aclosing`) when the listener leaves. The last event carries the answer.
        """
        self._listeners += 1
        self._stop_timer()
        try:
            async for event in self.log.after(after):
                yield await self._whole(event)
        finally:
            self._listeners -= 1
            self.touch()

    async def result(self) -> Answer | None:
        """Its answer, once it has ended; who waits is a listener.

        Raises:
            MedgroundError: what it failed with; `Stopped` where somebody stopped it.
        """
        self._listeners += 1
        self._stop_timer()
        try:
            await self._ended.wait()
        finally:
            self._listeners -= 1
            self.touch()
        if self._error is not None:
            raise self._error
        return await self._found()

    async def stop(self) -> None:
        """End it, and wait until it has kept what it found. Safe to call twice."""
        if self._task is not None and not self.is_finished:
            self._task.cancel()
            await self._ended.wait()

    def touch(self) -> None:
        """Somebody has asked for it: where nobody listens, the time until it is cancelled starts again."""
        self._stop_timer()
        if self._listeners == 0 and self.leaving is not None and not self.is_finished:
            self._timer = asyncio.get_running_loop().call_later(self.leaving, self._leave)

    def add(self, event: Event) -> None:
        """Add an event; a step tells where the answer is."""
        if isinstance(event.step, Kept):
            self.trace_id = event.step.trace_id
        if isinstance(event.step, ResearchBegun):
            self.research = event.step.id
        if event.words:
            self._words = event.words
        self.log.add(event)

    def begin(self, task: asyncio.Task[None]) -> None:
        """It is worked on by this task, which `Jobs` makes."""
        self._task = task
        self.touch()

    def end(
        self, state: State, answer: Answer | None, problem: Problem | None, error: MedgroundError | None, at: float
    ) -> None:
        """Its work has ended: the last event, and everybody who waits is woken."""
        self.state, self.problem, self.finished = state, problem, at
        self._answer, self._error = answer, error
        if answer is not None:
            self.trace_id = answer.trace_id
        kind: EventType = "failed" if problem else "stopped" if state == "stopped" else "done"
        if kind == "done" and self.trace_id is not None:
            kind = "answer"
        words = problem.detail if problem else "stopped" if kind == "stopped" else ""
        self.log.add(Event(id=0, type=kind, words=words, trace_id=self.trace_id, problem=problem))
        self._stop_timer()
        self._ended.set()

    def trim(self) -> None:
        """Keep what is small: the last event, and where the answer is."""
        self.log.trim()
        self._answer = None
        if isinstance(self._error, BudgetExhausted):
            self._error.answer = None

    async def _found(self) -> Answer | None:
        return self._answer or (await self.load(self.trace_id) if self.trace_id else None)

    async def _whole(self, event: Event) -> Event:
        return event.model_copy(update={"answer": await self._found()}) if event.is_last else event

    def _leave(self) -> None:
        if self._task is not None and not self._listeners:
            self._task.cancel()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Jobs:
    """All jobs of a service. Call its methods in the event loop of the service.

    Args:
        load: reads kept answers.
        hide: texts that clients never see in a problem.
        clock: seconds that never go back.
        now: the time.
        left: seconds after which a question that nobody listens to is cancelled.
        most_bytes: bytes of events that wait for a slow reader.
        most_unfinished: jobs that may wait or run at once.
    """

    def __init__(
        self,
        load: Load,
        *,
        hide: tuple[str, ...] = (),
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        left: float = LEFT,
        most_bytes: int = MOST_BYTES,
        most_unfinished: int = 1000,
    ) -> None:
        self._load = load
        self._hide = hide
        self._clock = clock
        self._now = now
        self._left = left
        self._most_bytes = most_bytes
        self._most_unfinished = most_unfinished
        self._jobs: dict[str, Job] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    def start(
        self,
        work: Work,
        *,
        owner: str,
        kind: str,
        title: str,
        turn: AbstractAsyncContextManager[object] | None = None,
        leaving: bool = False,
        repeat: tuple[str, str] | None = None,
    ) -> Job:
        """Begin a job at once; its first event, `queued`, is there when this returns.

        Args:
            work: what it does. It is cancelled where it is, and should keep what it found.
            owner: the id of the person whose it is.
            kind: `ask`, `research` or what else it is.
            title: what people see of it.
            turn: entered before it runs, such as a semaphore: it is `queued` until then.
            leaving: whether it is cancelled some time after its last listener has left.
            repeat: the idempotency key of its request, and what tells that request from others.

        Raises:
            UsageError: the service is closed.
            Refused: too much is in line already.
        """
        if self._closed:
            raise UsageError("the service is closed")
        if len(self._tasks) >= self._most_unfinished:
            raise Refused("too many questions wait in line", retry_after=5)
        job = self._made(owner, kind, title, repeat)
        job.leaving = self._left if leaving else None
        task = asyncio.create_task(self._run(job, work, turn))
        self._tasks.add(task)
        task.add_done_callback(lambda ended: self._ended(job, ended))
        job.begin(task)
        return job

    def recalled(self, *, owner: str, kind: str, title: str, trace_id: str, repeat: tuple[str, str]) -> Job:
        """A job that is done, for an answer that was given before: its request was sent again."""
        job = self._made(owner, kind, title, repeat)
        job.trace_id = trace_id
        job.end("done", None, None, None, self._clock())
        return job

    def repeated(self, owner: str, key: str) -> Job | None:
        """The job of an earlier request with this key that is under way or has an answer."""
        for job in reversed(self._jobs.values()):
            if job.owner == owner and job.repeat and job.repeat[0] == key and job.state not in ("failed", "stopped"):
                return job
        return None

    def find(self, job_id: str, owner: str) -> Job:
        """A job by its id.

        Raises:
            NotFound: there is none, it is forgotten, or it is another person's.
        """
        job = self._jobs.get(job_id)
        if job is None or job.owner != owner or self._is_old(job):
            raise NotFound(f"no job {job_id[:64]!r}; finished jobs are forgotten after an hour, their answers stay")
        job.touch()
        return job

    def of(self, owner: str) -> list[Job]:
        """The jobs of a person, the latest first."""
        self._forget()
        return [job for job in reversed(self._jobs.values()) if job.owner == owner]

    def unfinished(self, owner: str) -> int:
        """How many jobs of a person wait or run."""
        return sum(1 for job in self._jobs.values() if job.owner == owner and not job.is_finished)

    async def stop(self, job_id: str, owner: str) -> JobState:
        """Stop a job, and give its state once it has kept what it found.

        Raises:
            NotFound: as for `find`.
        """
        job = self.find(job_id, owner)
        await job.stop()
        return job.now()

    async def close(self) -> None:
        """Take no more jobs; stop those that are there, and wait until they have kept what they found."""
        self._closed = True
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _made(self, owner: str, kind: str, title: str, repeat: tuple[str, str] | None) -> Job:
        self._forget()
        job = Job(
            id=secrets.token_urlsafe(16),
            owner=owner,
            kind=kind,
            title=title,
            created=self._now(),
            load=self._load,
            most_bytes=self._most_bytes,
            repeat=repeat,
        )
        self._jobs[job.id] = job
        job.add(Event(id=0, type="queued", words="waiting in line"))
        return job

    async def _run(self, job: Job, work: Work, turn: AbstractAsyncContextManager[object] | None) -> None:
        state: State = "failed"
        answer: Answer | None = None
        problem: Problem | None = None
        error: MedgroundError | None = None
        try:
            if turn is None:
                answer = await self._working(job, work)
            else:
                async with turn:
                    answer = await self._working(job, work)
            state = "done"
        except asyncio.CancelledError:  # this task ends here: nobody awaits it but `close`
            state, error = "stopped", Stopped("it was stopped before it had ended")
        except BudgetExhausted as spent:
            answer, problem, error = spent.answer, problem_of(spent, self._hide), spent
        except MedgroundError as failed:
            problem, error = problem_of(failed, self._hide), failed
        except Exception:
            log.exception("the job %s (%s) failed", job.id, job.kind)
            problem, error = INTERNAL, MedgroundError(INTERNAL.detail)
        if error is not None:
            error.__context__ = error.with_traceback(None).__cause__ = None  # its frames hold all that was read
        job.end(state, answer, problem, error, self._clock())

    async def _working(self, job: Job, work: Work) -> Answer | None:
        job.state = "running"
        return await work(Tell(job, asyncio.get_running_loop()))

    def _ended(self, job: Job, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not job.is_finished:  # it was cancelled before it began
            job.end("stopped", None, None, Stopped("it was stopped before it began"), self._clock())

    def _is_old(self, job: Job) -> bool:
        return job.finished is not None and self._clock() - job.finished > REMEMBERED

    def _forget(self) -> None:
        """Let finished jobs go: most of their events soon, all of them after an hour."""
        finished = sorted((job for job in self._jobs.values() if job.finished is not None), key=lambda j: -_at(j))
        for place, job in enumerate(finished):
            if place >= _MOST_FINISHED or self._is_old(job):
                del self._jobs[job.id]
            elif place >= _WHOLE:
                job.trim()


def _at(job: Job) -> float:
    return job.finished or 0.0
