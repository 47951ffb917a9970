"""All errors. Each class says what to do next: retry, give up, or fix the call.

Messages are one line: what is wrong, then how to fix it. The CLI prints that line and exits with 2 for `UserMistake`
and 1 for any other `MedgroundError`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from medground.values.decision import Notice
    from medground.values.usage import Usage, UsageReport


Face = Literal["terminal", "python", "server"]
_OF_FACES = re.compile(r"\[\[(.*?)\|(.*?)\|(.*?)\]\]")


class MedgroundError(Exception):
    """Base of every error that Medground raises on purpose.

    Where a message says how to do something, it has the words of each face: `[[--option A|options=["A"]|options]]`
    for a terminal, for Python and for clients of a server. `str` gives those of Python.

    Attributes:
        spent: cost of the whole question, if the error came from asking one.
        trace_id: id of its trace.
        notice: what a face shows first, if the question shows a person at risk.
        research: id of the research that can be resumed, if one was begun.
    """

    spent: UsageReport | None = None
    trace_id: str | None = None
    research: str | None = None
    notice: Notice | None = None

    def __str__(self) -> str:
        return self.told("python")

    def told(self, face: Face) -> str:
        """The message in the words of a face."""
        place = {"terminal": r"\1", "python": r"\2", "server": r"\3"}[face]
        return _OF_FACES.sub(place, super().__str__())


class UserMistake(MedgroundError):
    """The user must change the call, the settings or the input."""


class UsageError(UserMistake):
    """Fix the call: a wrong argument, an empty question, an unknown name."""


class NotFound(UsageError):
    """What the call names is not there, or belongs to somebody else: these two look the same."""


class NotAllowed(UserMistake):
    """The token is missing, wrong or revoked: create one with `medground token create NAME`."""


class ConfigError(UserMistake):
    """Fix the settings: an unknown key, a wrong value, a missing key or extra."""


@contextmanager
def needing(extra: str, what: str) -> Iterator[None]:
    """For the imports of an extra, which `what` needs. Raises ConfigError: it is not installed."""
    try:
        yield
    except ImportError as error:
        missing = f'{what} needs the extra "{extra}" ({error.name} is missing)'
        raise ConfigError(f'{missing}; run: pip install "medground[{extra}]"') from None


def first_line(error: BaseException) -> str:
    """The first line of the error message of a library."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)[:200]


class BadDocument(UserMistake):
    """A record or a file cannot be read.

    A bad record in a good file, and a bad file among good ones, is skipped and counted. `position` is a record
    number, a line number or a byte offset; `reason` says which. `file` is its path or its name. `passing`: it may be
    readable the next time.
    """

    def __init__(self, reason: str, *, file: object = "", position: int | None = None, passing: bool = False) -> None:
        self.reason = reason
        self.file = str(file)
        self.position = position
        self.passing = passing
        where = f"{file}:{position}" if position is not None else self.file
        super().__init__(f"{where}: {reason}" if where else reason)


class SourceUnavailable(MedgroundError):
    """A source could not be searched: retry later. This is different from an empty result."""

    def __init__(self, reason: str, *, source: str, attempts: int = 1, last_status: str | None = None) -> None:
        self.reason = reason
        self.source = source
        self.attempts = attempts
        self.last_status = last_status
        super().__init__(f"{source}: {reason}")


class RateLimited(SourceUnavailable):
    """The source limits the rate of calls: wait `retry_after` seconds, then retry."""

    def __init__(self, reason: str, *, source: str, attempts: int = 1, retry_after: float | None = None) -> None:
        super().__init__(reason, source=source, attempts=attempts, last_status="429")
        self.retry_after = retry_after


class NotConfigured(SourceUnavailable):
    """A source lacks a key or an address: set it, or leave the source out. Others are searched meanwhile."""


class ModelFailed(MedgroundError):
    """A model returned no usable answer. `usage` is the cost of the failed calls.

    `unreadable` is true if the model answered in an unusable form, and false if it did not answer. `busy` is true if
    its server had too much to do, so that a later call may succeed.
    """

    def __init__(
        self, reason: str, *, model: str, usage: Usage | None = None, unreadable: bool = False, busy: bool = False
    ) -> None:
        self.reason = reason
        self.unreadable = unreadable
        self.busy = busy
        self.model = model
        self.usage = usage
        super().__init__(f"{model}: {reason}")


class BudgetExhausted(MedgroundError):
    """The run reached one of its limits. `answer` is the best `Answer` so far, if any.

    `usage` is the cost of the call that reached the limit, if a call did.
    """

    def __init__(self, limit: str, *, spent: str, allowed: str, answer: Any = None, usage: Usage | None = None) -> None:
        self.limit = limit
        self.answer = answer
        self.usage = usage
        super().__init__(
            f"the budget of {allowed} {limit} is used up (spent: {spent}); "
            f"[[raise it with --set budget.{limit}=N|raise the setting budget.{limit}|ask for less]]"
        )


class SnapshotCorrupt(MedgroundError):
    """A snapshot differs from its manifest: restore it or rebuild it."""


class Stopped(MedgroundError):
    """The user stopped the work, and what was finished is kept. The CLI exits with 130, as after any Ctrl-C."""


class StorageFailed(MedgroundError):
    """Writing to disk failed: free some space or check permissions. Committed data is not lost."""


OUT_OF_MEMORY = "there is not enough memory; close other programs, allow more, or do less at once"
_OF_MEMORY = ("os error 11", "os error 12", "cannot allocate memory", "out of memory", "failed to map", "new thread")


def is_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory, or a thread, could not be had, whatever library raises it."""
    return isinstance(error, MemoryError) or any(said in str(error).lower() for said in _OF_MEMORY)
