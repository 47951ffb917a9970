"""A job: work for a person, with events that can be followed, left and resumed, from every server of a group."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from medground.errors import NotFound, Stopped
from medground.faces.service.job_store import FINISHED, Change, JobState, JobStore, State
from medground.faces.service.shared import POLL
from medground.faces.service.values import PROBLEM, Event, Problem, Told
from medground.values.answer import Answer
from medground.values.steps import AnyStep, Kept, ResearchBegun
from medground.wording.progress import in_words


@dataclass
class Tell:
    """How work tells what it does. Safe to call in any thread."""

    job: Job
    _loop: asyncio.AbstractEventLoop

    def step(self, step: AnyStep) -> None:
        """A step of the engine; it is what `Engine.ask` takes as `on_step`."""
        self._send(Event.model_construct(id=0, type="step", words=in_words(step), step=step))

    def progress(self, words: str, done: int, of: int | None) -> None:
        """`done` of `of` units of something are done; it is a `Progress`."""
        self._send(Event(id=0, type="progress", words=words, done=done, of=of))

    def _send(self, event: Event) -> None:
        with suppress(RuntimeError):  # the loop of the service is closed: there is no listener
            self._loop.call_soon_threadsafe(self.job.add, event)


Work = Callable[[Tell], Awaitable[Answer | None]]
"""What a job does: it returns the answer, or None where it makes none."""
Load = Callable[[str], Awaitable[Answer | None]]
"""Reads a kept answer by its trace id; None where it is gone."""
_HEARD = 5.0
"""Seconds between two signs to another server that somebody listens to its job."""


@dataclass(eq=False)
class Job:
    """Work of one owner. Listen with `events`, wait with `result`, end it with `stop`.

    What it tells is in the store; where another server works on it, that is all that is known of it.
    """

    told: JobState
    owner: str
    store: JobStore = field(repr=False)
    load: Load = field(repr=False)
    changed: Callable[[Job], None] | None = field(default=None, repr=False)
    """Called when there is something to write down; None where another server works on it."""
    abandoned_after: float | None = None
    """Seconds after which it is stopped without a listener; None: it lives on."""

    def __post_init__(self) -> None:
        self.heard = 0
        self._unwritten: list[Event] = []
        self._news = asyncio.Event()
        self._answer: Answer | None = None
        self._task: asyncio.Task[None] | None = None
        self._listeners = 0
        self._timer: asyncio.TimerHandle | None = None
        self._listened = float("-inf")
        self._cannot_be_written = False

    @property
    def id(self) -> str:
        return self.told.id

    @property
    def state(self) -> State:
        return self.told.state

    @property
    def trace_id(self) -> str | None:
        return self.told.trace_id

    @property
    def is_finished(self) -> bool:
        """Whether it is done, failed or stopped."""
        return self.state in FINISHED

    async def events(self, after: int = 0) -> AsyncGenerator[Event, None]:
        """Its events with ids above `after`, those that are there at once, then the others as they come.

        Close the iterator (`contextlib.aclosing`) when the listener leaves. The last event carries the answer. Events
        of a job that ended an hour ago are gone but for the last; a `resync` stands in their place.
        """
        seen = min(max(0, after), self.told.last_event)
        with self._listening():
            while True:
                news, ended = self._news, self.is_written
                found = await asyncio.to_thread(self.store.events, self.id, seen)
                if not found and ended and seen < self.told.last_event:
                    found = [self.told.ended()]
                for event in found:
                    if event.id > seen + 1:
                        yield Event(id=event.id - 1, type="resync", job=self.id)
                    seen = event.id
                    yield event.replace(answer=await self._found(event)) if event.is_last else event
                if (found and found[-1].is_last) or (ended and not found):
                    return
                if not found:
                    await self._wait(news)

    async def result(self) -> Answer | None:
        """Its answer, once it has ended; who waits is a listener.

        Raises Told: what it failed with; Stopped: it was stopped.
        """
        with self._listening():
            while not self.is_written:
                await self._wait(self._news)
        if self.told.problem is not None:
            raise Told(self.told.problem)
        if self.state == "stopped":
            raise Stopped("it was stopped before it had ended")
        return await self._found()

    async def outcome(self) -> Answer:
        """Its answer, also one that a limit cut short. Raises what `result` raises, and NotFound: it was deleted."""
        try:
            answer = await self.result()
        except Told as told:
            answer = await self._found() if told.problem.type == f"{PROBLEM}budget" else None
            if answer is None:
                raise
        if answer is None:
            raise NotFound("the answer was deleted before it could be sent")
        return answer

    async def stop(self) -> None:
        """End it, and wait until it has kept what it found. Safe to call twice."""
        if self.changed is None and not self.is_finished:
            await asyncio.to_thread(self.store.ask_to_stop, self.id)
        self.cancel()
        while not self.is_written:
            await self._wait(self._news)

    def cancel(self) -> None:
        """End it, without waiting, if it is worked on here."""
        if self._task is not None and not self.is_finished:
            self._task.cancel()

    def touch(self) -> None:
        """It was asked for: without a listener, the time until it is cancelled starts again."""
        self._stop_timer()
        if self._listeners == 0 and self.abandoned_after is not None and not self.is_finished:
            self._timer = asyncio.get_running_loop().call_later(self.abandoned_after, self._abandon)

    def add(self, event: Event) -> None:
        """Number an event, and have it written; a step tells where the answer is. Nothing is added after the end."""
        if not self.is_finished:
            step, number = event.step, self.told.last_event + 1
            found = {"trace_id": step.trace_id} if isinstance(step, Kept) else {}
            found = {"research": step.id} if isinstance(step, ResearchBegun) else found
            self._unwritten.append(event.replace(id=number, job=self.id))
            self.update(last_event=number, words=event.words or self.told.words, **found)

    def begin(self, task: asyncio.Task[None]) -> None:
        """It is worked on by this task, which `Jobs` makes."""
        self._task = task
        self.touch()

    def update(self, **told: object) -> None:
        """What has changed of it, to be written down."""
        self.told = self.told.replace(**told)
        if self.changed is not None:
            self.changed(self)

    def end(self, state: State, answer: Answer | None = None, problem: Problem | None = None) -> None:
        """Its work has ended; everybody who waits is woken once that is written."""
        self._answer = answer
        trace_id = answer.trace_id if answer is not None else self.trace_id
        self.update(state=state, problem=problem, trace_id=trace_id, last_event=self.told.last_event + 1)
        self._unwritten.append(self.told.ended())
        self._stop_timer()

    def change(self) -> Change:
        """What is to be written of it."""
        return self.told, tuple(self._unwritten)

    def written(self, count: int | None) -> None:
        """So many of its oldest events were written, or with None nothing could be; readers are woken."""
        del self._unwritten[: count or 0]
        self._cannot_be_written = count is None
        news, self._news = self._news, asyncio.Event()
        news.set()

    @property
    def is_written(self) -> bool:
        """Whether its end was written, so that all servers know it, or cannot be."""
        return self.is_finished and (self._cannot_be_written or not self._unwritten)

    async def _wait(self, news: asyncio.Event) -> None:
        """Until there is news of it, here or on the server that works on it."""
        if self.changed is not None:
            await news.wait()
        else:
            await asyncio.sleep(POLL)
            await self._look()

    async def _look(self) -> None:
        now = asyncio.get_running_loop().time()
        listening = self._listeners > 0 and now - self._listened > _HEARD
        self._listened = now if listening else self._listened
        self.told = await asyncio.to_thread(self.store.find, self.id, self.owner, listening=listening)

    async def _found(self, last: Event | None = None) -> Answer | None:
        trace_id = last.trace_id if last else self.trace_id  # what another server told may be older than its event
        return self._answer or (await self.load(trace_id) if trace_id else None)

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
        if not self._listeners:
            self.cancel()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
