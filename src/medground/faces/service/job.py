"""A job: work for a person, with events that can be followed, left and resumed."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from pydantic import Field

from medground.errors import BudgetExhausted, MedgroundError, NotFound
from medground.faces.service.values import Event, EventType, Problem, Repeat
from medground.values.answer import Answer
from medground.values.document import Frozen
from medground.values.steps import Kept, ResearchBegun, Step
from medground.wording.progress import in_words

MOST_BYTES = 1 << 20
"""Bytes of events that wait for the slowest reader; older ones are dropped, and it gets a `resync`."""


class EventLog:
    """Numbers events and hands them to readers. All of it happens in one event loop.

    `most_bytes`: bytes that are kept, as JSON.
    """

    def __init__(self, job: str, most_bytes: int = MOST_BYTES) -> None:
        self._job = job
        self._most = most_bytes
        self._events: deque[tuple[Event, int]] = deque()
        self.bytes = 0
        """Bytes of the events that are kept."""
        self._next = 1
        self._news = asyncio.Event()

    @property
    def last(self) -> Event | None:
        """The latest event."""
        return self._events[-1][0] if self._events else None

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
        self.bytes += size
        while self.bytes > self._most and len(self._events) > 1:
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
            place = seen + 1 - (self._events[0][0].id if self._events else 0)
            if self._events and place < len(self._events):
                event, _ = self._events[place]
                seen = event.id
                yield event
                if event.is_last:
                    return
            elif self.ended:
                return
            else:
                await news.wait()

    def _drop(self) -> None:
        _, size = self._events.popleft()
        self.bytes -= size


State = Literal["queued", "running", "done", "failed", "stopped"]
FINISHED: frozenset[State] = frozenset(["done", "failed", "stopped"])


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
    research: str | None = Field(default=None, description="the research that can be resumed, if it ends early")
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
        with suppress(RuntimeError):  # the loop of the service is closed: there is no listener
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
    repeat: Repeat | None = None
    most_bytes: int = MOST_BYTES
    abandoned_after: float | None = None
    """Seconds after which it is stopped without a listener; None: it lives on."""
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
        same = {name: getattr(self, name) for name in JobState.model_fields if hasattr(self, name)}
        return JobState(**same, words=self._words, last_event=last.id if last else 0)

    async def events(self, after: int = 0) -> AsyncGenerator[Event, None]:
        """Its events with ids above `after`, those that are there at once, then the others as they come.

        Close the iterator (`contextlib.aclosing`) when the listener leaves. The last event carries the answer.
        """
        with self._listening():
            async for event in self.log.after(after):
                yield event.model_copy(update={"answer": await self._found()}) if event.is_last else event

    async def result(self) -> Answer | None:
        """Its answer, once it has ended; who waits is a listener.

        Raises MedgroundError: what it failed with; `Stopped` where it was stopped.
        """
        with self._listening():
            await self._ended.wait()
        if self._error is not None:
            raise self._error
        return await self._found()

    async def outcome(self) -> Answer:
        """Its answer, also one that a limit cut short. Raises what `result` raises, and NotFound: it was deleted."""
        try:
            answer = await self.result()
        except BudgetExhausted as spent:
            if spent.answer is None:
                raise
            answer = spent.answer
        if answer is None:
            raise NotFound("the answer was deleted before it could be sent")
        return answer

    async def stop(self) -> None:
        """End it, and wait until it has kept what it found. Safe to call twice."""
        if self._task is not None and not self.is_finished:
            self._task.cancel()
            await self._ended.wait()

    def touch(self) -> None:
        """It was asked for: without a listener, the time until it is cancelled starts again."""
        self._stop_timer()
        if self._listeners == 0 and self.abandoned_after is not None and not self.is_finished:
            self._timer = asyncio.get_running_loop().call_later(self.abandoned_after, self._abandon)

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

    @contextmanager
    def _listening(self) -> Iterator[None]:
        self._listeners += 1
        self._stop_timer()
        try:
            yield
        finally:
            self._listeners -= 1
            self.touch()

    def _abandon(self) -> None:
        if self._task is not None and not self._listeners:
            self._task.cancel()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
