"""All jobs of a service: begun, found by their owners, stopped; and those of servers that are gone are ended."""

import asyncio
import logging
import secrets
from asyncio import to_thread
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import KW_ONLY, dataclass, field
from datetime import UTC, datetime

from medground.errors import MedgroundError, StorageFailed, UsageError
from medground.faces.service.job import Job, Load, Tell, Work
from medground.faces.service.job_store import Admit, JobState, JobStore, State
from medground.faces.service.shared import Shared
from medground.faces.service.values import INTERNAL, Event, LimitReached, Problem, Repeat, ServerGone, problem_of
from medground.values.answer import Answer

log = logging.getLogger(__name__)

ABANDONED = 30.0
"""Seconds after which a question without listeners is cancelled."""
LOST = 15.0
"""Seconds after which a server that says nothing is gone."""
_BEAT = 0.5
"""Seconds between two signs of life; where nothing is at work, some more."""
_QUIET = 3.0


@dataclass(repr=False)
class Jobs:
    """All jobs of a service. Call its methods in the event loop of the service.

    Attributes:
        shared: this server among those that share records.
        hide: texts that clients never see in a problem.
        abandoned_after: seconds after which a question without listeners is cancelled.
        lost_after: seconds after which a server that says nothing is gone.
        most_unfinished: jobs that may wait or run here at once.
    """

    load: Load
    shared: Shared
    _: KW_ONLY
    hide: tuple[str, ...] = ()
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    abandoned_after: float = ABANDONED
    lost_after: float = LOST
    most_unfinished: int = 1000
    _here: dict[str, Job] = field(default_factory=dict, init=False)
    """Those that are worked on here, until their end is written."""
    _changed: dict[str, Job] = field(default_factory=dict, init=False)
    _seen: dict[str, tuple[int, float]] = field(default_factory=dict, init=False)
    """How far each server had counted, and since when."""
    _tasks: set[asyncio.Task[None]] = field(default_factory=set, init=False)
    _beginning: set[asyncio.Future[Job]] = field(default_factory=set, init=False)
    _beaten: float = field(default=0.0, init=False)
    _writing: asyncio.Task[None] | None = field(default=None, init=False)
    _closed: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.store = JobStore(self.shared)

    async def start(
        self,
        work: Work,
        *,
        owner: str,
        kind: str,
        title: str,
        turn: AbstractAsyncContextManager[object] | None = None,
        listened: bool = False,
        repeat: Repeat | None = None,
        admit: Admit | None = None,
    ) -> Job:
        """Begin a job at once, or give the one that its request began before, here or on another server.

        Args:
            work: what it does. It is cancelled where it is, and should keep what it found.
            turn: entered before it runs, such as a semaphore: it is `queued` until then.
            listened: whether it is cancelled some time after its last listener has left.
            repeat: what tells that its request is sent again.
            admit: refuses what the owner may not do now.

        Raises UsageError: the service is closed; LimitReached: too much is in line already, or as `admit` does.
        """
        if self._closed:
            raise UsageError("the service is closed")
        if len(self._tasks) + len(self._beginning) >= self.most_unfinished:
            raise LimitReached("too many requests are waiting", retry_after=5)
        told = JobState(id=secrets.token_urlsafe(16), kind=kind, title=title, state="queued", created=self.now())

        async def begin() -> Job:
            former = await to_thread(self.store.begin, told, owner, repeat, admit)
            return self._begun(told, owner, work, turn, listened) if former is None else self._of(former, owner)

        beginning = asyncio.ensure_future(begin())
        self._beginning.add(beginning)
        beginning.add_done_callback(self._beginning.discard)
        return await asyncio.shield(beginning)  # what is written down is worked on, also where the caller has left

    async def repeated(self, owner: str, repeat: Repeat) -> Job | None:
        """The job of the same request that is under way or has an answer which was not deleted.

        Raises UsageError: the key came with another request.
        """
        told = await to_thread(self.store.repeated, owner, repeat)
        if told and told.trace_id and told.state == "done" and await self.load(told.trace_id) is None:
            await self.forget(owner, told.trace_id)
            told = None
        return None if told is None else self._of(told, owner)

    async def find(self, job_id: str, owner: str) -> Job:
        """A job by its id. Raises NotFound: there is none, it is forgotten, or it is another person's."""
        job = self._here.get(job_id)
        if job is None or job.owner != owner:
            job = self._of(await to_thread(self.store.find, job_id, owner, listening=True), owner)
        job.touch()
        return job

    async def jobs_of(self, owner: str) -> list[JobState]:
        """A person's jobs that are not finished or finished in the last hour, the latest first."""
        found = await to_thread(self.store.jobs_of, owner)
        return [self._here[one.id].told if one.id in self._here else one for one in found]

    async def counts(self) -> Counter[tuple[str, str]]:
        """How many jobs of each kind are in each state, of those that are not forgotten."""
        return await to_thread(self.store.counts)

    async def forget(self, owner: str, trace_id: str) -> None:
        """Let the finished jobs of an answer go, since it was deleted."""
        await to_thread(self.store.forget, owner, trace_id)

    async def stop(self, job_id: str, owner: str) -> JobState:
        """Stop a job, and give its state once it has kept what it found. Raises NotFound: as for `find`."""
        job = await self.find(job_id, owner)
        await job.stop()
        return job.told

    async def watch(self) -> None:
        """Tell other servers that this one lives, do what they ask, and end the jobs of those that are gone."""
        while not self._closed:
            try:
                await self._beat()
            except StorageFailed as error:
                self._seen.clear()  # others could not count on, either
                log.warning("%s", error)
            await asyncio.sleep(min(_BEAT if self._here else _QUIET, self.lost_after / 4))

    async def _beat(self) -> None:
        counts, now = await to_thread(self.shared.beat), asyncio.get_running_loop().time()
        if now - self._beaten > self.lost_after / 2:
            self._seen.clear()  # this process was held up, and others perhaps with it
        self._beaten = now
        known = ((name, count, self._seen.get(name)) for name, count in counts.items())
        self._seen = {name: old if old and old[0] == count else (count, now) for name, count, old in known}
        for name, (_, since) in self._seen.items():
            if now - since > self.lost_after and name != self.shared.server:
                await to_thread(self.store.end_of, name, problem_of(ServerGone(), self.hide))
        for name, stopping, heard in await to_thread(self.store.asked) if self._here else ():
            job = self._here.get(name)
            if job is not None and stopping:
                job.cancel()
            elif job is not None and job.heard != heard:
                job.heard = heard
                job.touch()

    async def close(self) -> None:
        """Take no more jobs; stop those that are there, and wait until they have kept what they found."""
        self._closed = True
        await asyncio.gather(*self._beginning, return_exceptions=True)
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._writing is not None:
            await asyncio.wait([self._writing])  # it goes on where this is cancelled
        with suppress(StorageFailed):
            await to_thread(self.shared.leave, self.shared.server)

    def _begun(
        self, told: JobState, owner: str, work: Work, turn: AbstractAsyncContextManager[object] | None, listened: bool
    ) -> Job:
        job = Job(told, owner, self.store, self.load, self._note, self.abandoned_after if listened else None)
        self._here[job.id] = job
        job.add(Event(id=0, type="queued", words="waiting"))
        task = asyncio.create_task(self._run(job, work, turn))
        self._tasks.add(task)
        task.add_done_callback(lambda ended: self._ended(job, ended))
        job.begin(task)
        return job

    def _of(self, told: JobState, owner: str) -> Job:
        """A job that is known from the records."""
        return self._here.get(told.id) or Job(told, owner, self.store, self.load)

    def _note(self, job: Job) -> None:
        """Have a job written, together with what comes until then."""
        self._changed[job.id] = job
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())

    async def _write(self) -> None:
        while self._changed:
            jobs, self._changed = self._changed, {}
            changes = {name: job.change() for name, job in jobs.items()}
            try:
                await to_thread(self.store.write, [*changes.values()])
            except StorageFailed as error:
                log.warning("jobs are not written down: %s", error)
                for job in jobs.values():
                    job.written(None)
                if self._closed:
                    return
                self._changed = jobs | self._changed
                await asyncio.sleep(_BEAT)
                continue
            for name, job in jobs.items():
                job.written(len(changes[name][1]))
                if job.is_written:
                    self._here.pop(name, None)

    async def _run(self, job: Job, work: Work, turn: AbstractAsyncContextManager[object] | None) -> None:
        state: State = "failed"
        answer: Answer | None = None
        problem: Problem | None = None
        try:
            async with turn or nullcontext():
                job.update(state="running")
                answer = await work(Tell(job, asyncio.get_running_loop()))
            state = "done"
        except asyncio.CancelledError:  # this task ends here: only `close` awaits it
            state = "stopped"
        except MedgroundError as failed:
            answer, problem = getattr(failed, "answer", None), problem_of(failed, self.hide)
        except Exception:
            log.exception("the job %s (%s) failed", job.id, job.told.kind)
            problem = INTERNAL
        job.end(state, answer, problem)

    def _ended(self, job: Job, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not job.is_finished:  # it was cancelled before it began
            job.end("stopped")
