"""One tree of errors. Each class says what the reader of the message can do next.

Messages are one line: what is wrong, then how to mend it. The CLI prints that line and exits 2 for
`UserMistake` and 1 for every other `MedgroundError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from medground.usage import Usage, UsageReport


class MedgroundError(Exception):
    """Base of every error that Medground raises on purpose.

    Attributes:
        spent: what the whole question has cost, where an engine was asked one.
        trace_id: its trace.
    """

    spent: UsageReport | None = None
    trace_id: str | None = None


class UserMistake(MedgroundError):
    """The call, the settings or the material must be changed by the user."""


class UsageError(UserMistake):
    """Fix the call: a wrong argument, an empty question, an unknown name."""


class ConfigError(UserMistake):
    """Fix the settings: an unknown key, a wrong value, a missing key or extra."""


class BadDocument(UserMistake):
    """A record or a file cannot be read.

    A bad record inside a good file is skipped and counted; a file that is not what it claims stops the build.
    `position` is a record number, a line number or a byte offset, as the reader states in `reason`.
    """

    def __init__(self, reason: str, *, file: str = "", position: int | None = None) -> None:
        self.reason = reason
        self.file = file
        self.position = position
        where = f"{file}:{position}" if position is not None else file
        super().__init__(f"{where}: {reason}" if where else reason)


class SourceUnavailable(MedgroundError):
    """A source could not be asked: retry later. It does not mean that the source has nothing."""

    def __init__(self, reason: str, *, source: str, attempts: int = 1, last_status: str | None = None) -> None:
        self.reason = reason
        self.source = source
        self.attempts = attempts
        self.last_status = last_status
        super().__init__(f"{source}: {reason}")


class RateLimited(SourceUnavailable):
    """The source asks for fewer calls: wait `retry_after` seconds, then repeat."""

    def __init__(self, reason: str, *, source: str, attempts: int = 1, retry_after: float | None = None) -> None:
        super().__init__(reason, source=source, attempts=attempts, last_status="429")
        self.retry_after = retry_after


class ModelFailed(MedgroundError):
    """A model did not give a usable answer. `usage` is what the failed calls have cost.

    `unreadable`: it answered, and its answer was of no use; else it gave none.
    """

    def __init__(self, reason: str, *, model: str, usage: Usage | None = None, unreadable: bool = False) -> None:
        self.reason = reason
        self.unreadable = unreadable
        self.model = model
        self.usage = usage
        super().__init__(f"{model}: {reason}")


class BudgetExhausted(MedgroundError):
    """A limit of the run was reached. `answer` is the best `Answer` so far, when there is one.

    `usage` is what the call that reached the limit has cost, when a call did.
    """

    def __init__(self, limit: str, *, spent: str, allowed: str, answer: Any = None, usage: Usage | None = None) -> None:
        self.limit = limit
        self.answer = answer
        self.usage = usage
        super().__init__(
            f"the budget of {allowed} {limit} is used up (spent: {spent}); raise it with --set budget.{limit}=N"
        )


class SnapshotCorrupt(MedgroundError):
    """A snapshot differs from its manifest: restore it or build it again."""


class Stopped(MedgroundError):
    """The user stopped the work, and what was finished is kept. The CLI exits with 130, as after any Ctrl-C."""


class StorageFailed(MedgroundError):
    """The disk refused a write: free space or permissions are missing. Nothing that was committed is lost."""
