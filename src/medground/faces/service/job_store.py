"""Jobs as all servers of a group see them: states and events, and what others ask of the one that works on them."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from medground.errors import NotFound
from medground.faces.service.shared import Shared
from medground.faces.service.transaction import Transaction
from medground.faces.service.values import Event, EventType, Problem, Repeat
from medground.values.document import Described

State = Literal["queued", "running", "done", "failed", "stopped"]
FINISHED: frozenset[State] = frozenset(["done", "failed", "stopped"])
REMEMBERED = 24 * 3600.0
"""Seconds for which a finished job can be asked for, and its request is not repeated; its answer stays."""
LISTED = 3600.0
"""Seconds for which a finished job is listed, and keeps its events."""
_PAGE = 500
"""Events that are read at once."""


class JobState(Described):
    """A job as it is now."""

    id: str
    kind: str
    """`ask`, `research`, or what else is worked on, such as `build`"""
    title: str
    """the question, or what is worked on"""
    state: State
    created: datetime
    words: str = ""
    """the latest step in words"""
    last_event: int = 0
    """the id of its latest event"""
    trace_id: str | None = None
    """the id of its answer, once one is kept"""
    research: str | None = None
    """the research that can be resumed, if it ends early"""
    problem: Problem | None = None

    def ended(self) -> Event:
        """Its last event, without the answer."""
        kind: EventType = "failed" if self.problem else "stopped" if self.state == "stopped" else "done"
        if kind == "done" and self.trace_id is not None:
            kind = "answer"
        words = self.problem.detail if self.problem else "stopped" if kind == "stopped" else ""
        told = {"words": words, "trace_id": self.trace_id, "problem": self.problem}
        return Event(id=self.last_event, type=kind, job=self.id, **told)


Admit = Callable[[Transaction], None]
"""Raises where a request is refused, in the transaction that would write it down."""
Change = tuple[JobState, Sequence[Event]]
"""A job as it is now, and its events that are not written yet."""


@dataclass
class JobStore:
    """Reads and writes jobs. Blocks; all methods raise StorageFailed as `Records.run`."""

    shared: Shared

    def begin(self, job: JobState, owner: str, repeat: Repeat | None, admit: Admit | None) -> JobState | None:
        """Write down a new job; None, or the job that its request made before, and then nothing is written.

        Raises UsageError: the key came with another request; or as `admit` does.
        """

        def begun(at: Transaction) -> JobState | None:
            at.lock(owner)
            if repeat and (former := self._repeated(at, owner, repeat)):
                return former
            if admit is not None:
                admit(at)
            statement = "INSERT INTO jobs (id, owner, kind, state, told, server, created, key, digest)"
            key = (repeat.key, repeat.digest) if repeat else (None, None)
            row = (job.id, owner, job.kind, job.state, job.model_dump_json(), self.shared.server, self.shared.clock())
            at.change(f"{statement} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", *row, *key)
            return None

        return self.shared.records.run(begun)

    def repeated(self, owner: str, repeat: Repeat) -> JobState | None:
        """The job of the same request that is under way or has an answer.

        Raises UsageError: the key came with another request.
        """
        return self.shared.records.run(lambda at: self._repeated(at, owner, repeat))

    def _repeated(self, at: Transaction, owner: str, repeat: Repeat) -> JobState | None:
        here = "FROM jobs WHERE owner = ? AND key = ? AND state NOT IN ('failed', 'stopped')"
        for told, digest, created in at.rows(f"SELECT told, digest, created {here}", owner, repeat.key):
            if self.shared.clock() - created < REMEMBERED:
                repeat.check_same(digest)
                return JobState.model_validate_json(told)
            at.change("UPDATE jobs SET key = NULL WHERE owner = ? AND key = ?", owner, repeat.key)
        return None

    def find(self, job_id: str, owner: str, *, listening: bool = False) -> JobState:
        """A job by its id. `listening`: the server that works on it is notified.

        Raises NotFound: there is none, it is forgotten, or it is another person's.
        """

        def found(at: Transaction) -> list[tuple[Any, ...]]:
            if listening:
                heard = "UPDATE jobs SET heard = heard + 1 WHERE id = ? AND owner = ? AND finished IS NULL"
                at.change(heard, job_id, owner)
            statement = "SELECT told FROM jobs WHERE id = ? AND owner = ? AND (finished IS NULL OR finished >= ?)"
            return at.rows(statement, job_id, owner, self.shared.clock() - REMEMBERED)

        if not (rows := self.shared.records.run(found, writes=listening)):
            raise NotFound(f"no job {job_id[:64]!r}; finished jobs are removed after a day; their answers are kept")
        return JobState.model_validate_json(rows[0][0])

    def jobs_of(self, owner: str) -> list[JobState]:
        """A person's jobs that are not finished or finished in the last hour, the latest first."""
        statement = "SELECT told FROM jobs WHERE owner = ? AND (finished IS NULL OR finished >= ?)"
        rows = self.shared.records.rows(f"{statement} ORDER BY created DESC", owner, self.shared.clock() - LISTED)
        return [JobState.model_validate_json(told) for (told,) in rows]

    def counts(self) -> Counter[tuple[str, str]]:
        """How many jobs of each kind are in each state, of those that are not forgotten."""
        rows = self.shared.records.rows("SELECT kind, state, count(*) FROM jobs GROUP BY kind, state")
        return Counter({(kind, state): count for kind, state, count in rows})

    def events(self, job_id: str, after: int) -> list[Event]:
        """The events with higher ids, some hundreds at most."""
        statement = f"SELECT content FROM events WHERE job = ? AND id > ? ORDER BY id LIMIT {_PAGE}"  # noqa: S608
        rows = self.shared.records.rows(statement, job_id, after)
        return [Event.model_validate_json(content) for (content,) in rows]

    def write(self, changes: Iterable[Change]) -> None:
        """Write down how jobs go on. One that another server has ended stays as it is."""

        def written(at: Transaction) -> None:
            for job, events in changes:
                _write(at, job, events, self.shared.clock())

        self.shared.records.run(written)

    def ask_to_stop(self, job_id: str) -> None:
        """Ask the server that works on a job to stop it."""
        self.shared.records.change(("UPDATE jobs SET stopping = 1 WHERE id = ?", (job_id,)))

    def asked(self) -> list[tuple[str, bool, int]]:
        """The unfinished jobs of this server: whether to stop, and how often somebody elsewhere said to listen."""
        statement = "SELECT id, stopping, heard FROM jobs WHERE server = ? AND finished IS NULL"
        rows = self.shared.records.rows(statement, self.shared.server)
        return [(job, bool(stopping), heard) for job, stopping, heard in rows]

    def end_of(self, server: str, problem: Problem) -> None:
        """End the jobs of a server that is gone with a problem, and forget the server."""

        def ended(at: Transaction) -> None:
            for (told,) in at.rows("SELECT told FROM jobs WHERE server = ? AND finished IS NULL", server):
                job = JobState.model_validate_json(told)
                seen = {"state": "failed", "last_event": job.last_event + 1}
                own = problem.replace(research=job.research, trace_id=job.trace_id)
                job = job.replace(**seen, problem=own)
                _write(at, job, [job.ended()], self.shared.clock())

        self.shared.records.run(ended)
        self.shared.leave(server)

    def forget(self, owner: str, trace_id: str) -> None:
        """Let the jobs of an answer go, since it was deleted."""
        which = "owner = ? AND trace_id = ? AND finished IS NOT NULL"
        self._remove(which, owner, trace_id)

    def tidy(self) -> None:
        """Let jobs go that ended a day ago, and the events of those that ended an hour ago."""
        now = self.shared.clock()
        old = "DELETE FROM events WHERE job IN (SELECT id FROM jobs WHERE finished < ?)"
        self.shared.records.change((old, (now - LISTED,)), ("DELETE FROM requests WHERE at <= ?", (now - LISTED,)))
        self._remove("finished < ?", now - REMEMBERED)

    def _remove(self, which: str, *values: object) -> None:
        self.shared.records.change(
            (f"DELETE FROM events WHERE job IN (SELECT id FROM jobs WHERE {which})", values),  # noqa: S608 (ours)
            (f"DELETE FROM jobs WHERE {which}", values),  # noqa: S608 (ours)
        )


def _write(at: Transaction, job: JobState, events: Sequence[Event], now: float) -> None:
    finished = now if job.state in FINISHED else None
    statement = "UPDATE jobs SET state = ?, trace_id = ?, told = ?, finished = ? WHERE id = ? AND finished IS NULL"
    if at.change(statement, job.state, job.trace_id, job.model_dump_json(), finished, job.id):
        for event in events:
            content = (job.id, event.id, event.model_dump_json())
            at.change("INSERT INTO events VALUES (?, ?, ?) ON CONFLICT DO NOTHING", *content)
