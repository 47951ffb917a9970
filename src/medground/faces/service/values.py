"""What clients of a service see: people and their limits, problems with a next step, events."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from typing import Any, Literal, get_args

from pydantic import Field, NonNegativeInt

from medground.errors import MedgroundError, RateLimited, StorageFailed, UsageError
from medground.home.files import tables
from medground.values.answer import Answer
from medground.values.decision import Notice
from medground.values.document import AtLeastOne, Described
from medground.values.steps import AnyStep


class Limits(Described):
    """What a person may use; without a value there is no limit. Money and tokens are those of a month (UTC)."""

    rate: AtLeastOne | None = None
    """requests to the engine in any 60 seconds"""
    concurrent: AtLeastOne | None = None
    """jobs and claims that are not finished"""
    money: Decimal | None = Field(default=None, ge=0)
    """US dollars of model calls"""
    tokens: NonNegativeInt | None = None
    """tokens in and out of models"""

    @property
    def has_budget(self) -> bool:
        """Whether money or tokens are limited."""
        return self.money is not None or self.tokens is not None


Role = Literal["reader", "editor", "admin"]
"""What people may do, each more than the one before: ask; change collections; see who used the server, and how."""
ROLES: tuple[Role, ...] = get_args(Role)


class Person(Described):
    """Whoever holds a token, or signed in by the identity provider. What they ask is theirs alone."""

    id: str
    name: str
    limits: Limits = Limits()
    role: Role = "reader"
    """what they may do"""

    def may(self, needed: Role) -> bool:
        """Whether their role is this one or a higher one."""
        return ROLES.index(self.role) >= ROLES.index(needed)


LOCAL = Person(id="local", name="this computer", role="admin")
"""Whoever sits at this computer, where no token is asked for: the answers of the command line are theirs, too."""


class LimitReached(RateLimited):
    """A person reached a limit of their own: wait `retry_after` seconds, then ask again."""

    def __init__(self, reason: str, *, retry_after: float) -> None:
        super().__init__(reason, source="this server", retry_after=retry_after)


def hashed(secret: str) -> str:
    """What is kept of a secret: its SHA-256 (hex)."""
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


class ServerGone(MedgroundError):
    """The server that worked on a job was killed or lost its connection: ask again, or resume the research."""

    def __init__(self) -> None:
        super().__init__("the server that worked on this ended before it was done")


@dataclass(frozen=True)
class Repeat:
    """What tells that a request is sent again: its idempotency key, and a digest of what it asks."""

    key: str
    digest: str

    @classmethod
    def from_content(cls, key: str, content: str) -> Repeat:
        """That of a request. Raises UsageError: the key is not 1 to 200 visible ASCII characters."""
        if not _KEY.fullmatch(key):
            raise UsageError("an idempotency key has 1 to 200 visible ASCII characters, such as a UUID")
        return cls(key, sha256(content.encode()).hexdigest())

    def check_same(self, digest: str) -> None:
        """Raises UsageError where the key came with another request before."""
        if digest != self.digest:
            raise UsageError("this idempotency key was used for another request; use a new key")


_KEY = re.compile(r"[\x21-\x7e]{1,200}")
PROBLEM = "urn:medground:problem:"


class Problem(Described):
    """What went wrong, for a client. `type`, `title`, `status` and `detail` are those of RFC 9457."""

    type: str
    """a name of this kind of problem that never changes"""
    title: str
    status: int = Field(ge=400, le=599)
    """the HTTP status"""
    detail: str
    """what is wrong here, in one line"""
    next: str
    """what to do now"""
    retry_after: NonNegativeInt | None = None
    """seconds after which a retry can succeed"""
    trace_id: str | None = None
    """the trace, and the answer so far where one was kept"""
    research: str | None = None
    """the research that can be resumed"""
    notice: Notice | None = None
    """what is shown before anything else"""


class Told(MedgroundError):
    """What a job failed with, on this server or another."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem, self.trace_id = problem, problem.trace_id


TEXTS: Mapping[str, Any] = tables("faces/service", "texts")

INTERNAL = Problem(
    type=f"{PROBLEM}internal",
    title="Internal error",
    status=500,
    detail="An unexpected error occurred; the server's log has the details.",
    next=TEXTS["errors"]["StorageFailed"][-1],
)


def problem_of(error: MedgroundError, hide: Sequence[str]) -> Problem:
    """An error as a client may see it. `hide`: texts that stay on the server, such as the path of its home folder."""
    if isinstance(error, Told):
        return error.problem
    kinds = TEXTS["errors"]
    name, status, title, step = next(kinds[kind.__name__] for kind in type(error).__mro__ if kind.__name__ in kinds)
    hidden = isinstance(error, StorageFailed) and "://" in str(error)  # where the database is; the log tells it
    detail = "the database of this server cannot be used" if hidden else " ".join(error.told("server").split())
    for text in hide:
        detail = detail.replace(text, "(home)")
    wait = getattr(error, "retry_after", None)
    return Problem(
        type=PROBLEM + name,
        title=title,
        status=status,
        detail=detail,
        next=step,
        retry_after=None if wait is None else math.ceil(wait),
        trace_id=error.trace_id,
        research=error.research,
        notice=error.notice,
    )


EventType = Literal["queued", "step", "progress", "answer", "done", "failed", "stopped", "resync"]
LAST: frozenset[EventType] = frozenset(["answer", "done", "failed", "stopped"])
"""The types after which a job has no more events."""


class Event(Described):
    """One event of a job. Its JSON is the `data` of a server-sent event, and `id` is that event's id.

    `queued`: the job was accepted, always first. `step`: a step of the engine. `progress`: `done` of `of` units.
    `answer`: the whole answer. `done`: work without an answer has ended, such as the build of a corpus. `failed`: see
    `problem`. `stopped`: somebody stopped it. These four are last; `answer` holds what was found, where there is any.
    `resync`: the events before this one's id were dropped; read the state of the job and go on from here.
    """

    version: Literal[1] = 1
    id: NonNegativeInt
    type: EventType
    words: str = ""
    """what is happening, in words; empty if readers need not see it"""
    step: AnyStep | None = None
    done: NonNegativeInt | None = None
    """of `progress`: units that are done"""
    of: NonNegativeInt | None = None
    """of `progress`: all units; null if that is not known"""
    job: str = ""
    """the id of the job"""
    trace_id: str | None = None
    """the id of the answer"""
    answer: Answer | None = None
    problem: Problem | None = None

    @property
    def is_last(self) -> bool:
        """Whether no event of the job follows."""
        return self.type in LAST
