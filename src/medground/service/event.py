"""What happens in a job, as clients see it: one event after the other, numbered from 1."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from medground.answer import Answer
from medground.document import Frozen
from medground.service.problem import Problem
from medground.steps import AnyStep

EventType = Literal["queued", "step", "progress", "answer", "done", "failed", "stopped", "resync"]
LAST: frozenset[EventType] = frozenset(["answer", "done", "failed", "stopped"])
"""The types after which a job has no more events."""


class Event(Frozen):
    """One event of a job. Its JSON is the `data` of a server-sent event, and `id` is that event's id.

    `queued`: the job was accepted, always first. `step`: a step of the engine. `progress`: `done` of `of` units.
    `answer`: the whole answer. `done`: work without an answer has ended, such as the build of a corpus. `failed`: see
    `problem`. `stopped`: somebody stopped it. These four are last; `answer` holds what was found, where there is any.
    `resync`: the events before this one's id were dropped; read the state of the job and go on from here.
    """

    version: Literal[1] = 1
    id: int = Field(ge=0)
    type: EventType
    words: str = Field(default="", description="what happens, in words; empty if readers need not see it")
    step: AnyStep | None = None
    done: int | None = Field(default=None, ge=0, description="of `progress`: units that are done")
    of: int | None = Field(default=None, ge=0, description="of `progress`: all units; null if that is not known")
    job: str = Field(default="", description="the id of the job")
    trace_id: str | None = Field(default=None, description="the id of the answer")
    answer: Answer | None = None
    problem: Problem | None = None

    @property
    def is_last(self) -> bool:
        """Whether no event of the job follows."""
        return self.type in LAST
