"""All jobs of a service: begun, found by their owners, stopped, forgotten."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import Counter, deque
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import KW_ONLY, dataclass, field
from datetime import UTC, datetime

from medground.errors import MedgroundError, NotFound, Stopped, UsageError
from medground.faces.service.job import MOST_BYTES, Job, JobState, Load, State, Tell, Work
from medground.faces.service.values import INTERNAL, Event, LimitReached, Problem, Repeat, problem_of
from medground.values.answer import Answer

log = logging.getLogger(__name__)

ABANDONED = 30.0
"""Seconds after which a question without listeners is cancelled."""
REMEMBERED = 3600.0
"""Seconds for which a finished job can be asked for; its answer stays."""
_WHOLE = 32
"""Finished jobs that keep all their events; older ones keep the last."""


@dataclass(repr=False)
class Jobs:
    """All jobs of a service. Call its methods in the event loop of the service.

    Attributes:
        hide: texts that clients never see in a problem.
        abandoned_after: seconds after which a question without listeners is cancelled.
        most_bytes: bytes of events that wait for a slow reader.
        most_unfinished: jobs that may wait or run at once.
        most_finished: finished jobs that are remembered.
    """

    load: Load
    _: KW_ONLY
    hide: tuple[str, ...] = ()
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    abandoned_after: float = ABANDONED
    most_bytes: int = MOST_BYTES
    most_unfinished: int = 1000
    most_finished: int = 1000
    _jobs: dict[str, Job] = field(default_factory=dict, init=False)
    _finished: deque[Job] = field(default_factory=deque, init=False)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set, init=False)
    _closed: bool = field(default=False, init=False)

    def start(
        self,
        work: Work,
        *,
        owner: str,
        kind: str,
        title: str,
        turn: AbstractAsyncContextManager[object] | None = None,
        listened: bool = False,
        repeat: Repeat | None = None,
    ) -> Job:
        """Begin a job at once; its first event, `queued`, is there when this returns.

        Args:
            work: what it does. It is cancelled where it is, and should keep what it found.
            turn: entered before it runs, such as a semaphore: it is `queued` until then.
            listened: whether it is cancelled some time after its last listener has left.
            repeat: what tells that its request is sent again.

        Raises UsageError: the service is closed; LimitReached: too much is in line already.
        """
        if self._closed:
            raise UsageError("the service is closed")
        if len(self._tasks) >= self.most_unfinished:
            raise LimitReached("too many requests are waiting", retry_after=5)
        job = self._made(owner, kind, title, repeat)
        job.abandoned_after = self.abandoned_after if listened else None
        task = asyncio.create_task(self._run(job, work, turn))
        self._tasks.add(task)
        task.add_done_callback(lambda ended: self._ended(job, ended))
        job.begin(task)
        return job

    def recalled(self, *, owner: str, kind: str, title: str, trace_id: str, repeat: Repeat) -> Job:
        """A job that is done, for an answer that was given before: its request was sent again."""
        job = self._made(owner, kind, title, repeat)
        job.trace_id = trace_id
        self._finish(job, "done")
        return job

    def repeated(self, owner: str, repeat: Repeat) -> Job | None:
        """The job of the same request that is under way or has an answer.

        Raises UsageError: the key came with another request.
        """
        for job in reversed(self._jobs.values()):
            if job.owner == owner and job.repeat and job.repeat.key == repeat.key:
                if job.state in ("failed", "stopped"):
                    continue
                repeat.check_same(job.repeat.digest)
                return job
        return None

    def find(self, job_id: str, owner: str) -> Job:
        """A job by its id. Raises NotFound: there is none, it is forgotten, or it is another person's."""
        job = self._jobs.get(job_id)
        if job is None or job.owner != owner or self._is_old(job):
            raise NotFound(f"no job {job_id[:64]!r}; finished jobs are removed after an hour; their answers are kept")
        job.touch()
        return job

    def of(self, owner: str) -> list[Job]:
        """The jobs of a person, the latest first."""
        self._forget()
        return [job for job in reversed(self._jobs.values()) if job.owner == owner]

    def unfinished(self, owner: str) -> int:
        """How many jobs of a person wait or run."""
        return sum(1 for job in self._jobs.values() if job.owner == owner and not job.is_finished)

    def counts(self) -> Counter[tuple[str, str]]:
        """How many jobs of each kind are in each state, of those that are not forgotten."""
        return Counter((job.kind, job.state) for job in self._jobs.values())

    def forget(self, owner: str, trace_id: str) -> None:
        """Let the finished jobs of an answer go, since it was deleted."""
        for job in [one for one in self._finished if one.owner == owner and one.trace_id == trace_id]:
            self._finished.remove(job)
            del self._jobs[job.id]

    async def stop(self, job_id: str, owner: str) -> JobState:
        """Stop a job, and give its state once it has kept what it found. Raises NotFound: as for `find`."""
        job = self.find(job_id, owner)
        await job.stop()
        return job.now()

    async def close(self) -> None:
        """Take no more jobs; stop those that are there, and wait until they have kept what they found."""
        self._closed = True
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _made(self, owner: str, kind: str, title: str, repeat: Repeat | None) -> Job:
        self._forget()
        job = Job(secrets.token_urlsafe(16), owner, kind, title, self.now(), self.load, repeat, self.most_bytes)
        self._jobs[job.id] = job
        job.add(Event(id=0, type="queued", words="waiting"))
        return job

    async def _run(self, job: Job, work: Work, turn: AbstractAsyncContextManager[object] | None) -> None:
        state: State = "failed"
        answer: Answer | None = None
        problem: Problem | None = None
        error: MedgroundError | None = None
        try:
            async with turn or nullcontext():
                job.state = "running"
                answer = await work(Tell(job, asyncio.get_running_loop()))
            state = "done"
        except asyncio.CancelledError:  # this task ends here: only `close` awaits it
            state, error = "stopped", Stopped("it was stopped before it had ended")
        except MedgroundError as failed:
            answer, problem, error = getattr(failed, "answer", None), problem_of(failed, self.hide), failed
        except Exception:
            log.exception("the job %s (%s) failed", job.id, job.kind)
            problem, error = INTERNAL, MedgroundError(INTERNAL.detail)
        if error is not None:
            error.__context__ = error.with_traceback(None).__cause__ = None  # its frames hold all that was read
        self._finish(job, state, answer, problem, error)

    def _ended(self, job: Job, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not job.is_finished:  # it was cancelled before it began
            self._finish(job, "stopped", error=Stopped("it was stopped before it began"))

    def _is_old(self, job: Job) -> bool:
        return job.finished is not None and self.clock() - job.finished > REMEMBERED

    def _finish(
        self,
        job: Job,
        state: State,
        answer: Answer | None = None,
        problem: Problem | None = None,
        error: MedgroundError | None = None,
    ) -> None:
        """End a job and remember it: most of its events not for long."""
        job.end(state, answer, problem, error, self.clock())
        self._finished.append(job)
        if len(self._finished) > _WHOLE:
            self._finished[-_WHOLE - 1].trim()

    def _forget(self) -> None:
        """Let jobs go that ended more than an hour ago, or are too many."""
        while self._finished and (len(self._finished) > self.most_finished or self._is_old(self._finished[0])):
            del self._jobs[self._finished.popleft().id]
