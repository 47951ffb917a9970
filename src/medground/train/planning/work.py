"""A file of finished questions that can be stopped at any time, and the workers that fill it.

The first line says everything that determines the others; then one line for each finished question. A stopped run is
resumed by the same call; a run with another first line is refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from filelock import FileLock
from pydantic import Field, ValidationError

from medground.answer import SnapshotReference
from medground.described import SourceDescription
from medground.document import Frozen
from medground.durable import write_whole
from medground.errors import BadDocument, ModelFailed, UsageError
from medground.evaluate.lock import LockedLines, locked
from medground.progress import Progress, no_progress
from medground.train.planning.values import Explored, Judged

R = TypeVar("R", Explored, Judged)
T = TypeVar("T")

Step = Literal["exploration", "judgements"]
_FORM = "medground-planner-1"


class Head(Frozen):
    """Everything that determines the lines of a file.

    Attributes:
        digest: SHA-256 of the data set's file, or of the file of explored questions.
        model: who answers the step's operator.
        sources: what was searched, as the planner reads it; their licences go with every export.
        options: the step's own options.
    """

    form: Literal["medground-planner-1"] = "medground-planner-1"
    step: Step
    dataset: str
    digest: str
    seed: int = 0
    model: str
    settings_hash: str = ""
    snapshots: tuple[SnapshotReference, ...] = ()
    sources: tuple[SourceDescription, ...] = ()
    options: dict[str, Any] = Field(default_factory=dict)


class WorkFile(LockedLines, Generic[R]):
    """A file that is being filled. Open it with `open_work`, use it as a context manager.

    Attributes:
        done: the finished questions, in the order in which they were finished.
    """

    def __init__(self, path: Path, lock: FileLock, head: Head, done: list[R]) -> None:
        super().__init__(path, lock)
        self.head = head
        self.done: list[R] = done

    def add(self, line: R) -> None:
        """Add a finished question; it is in the file on return.

        Raises:
            StorageFailed: the file cannot be written.
        """
        self.write(line)
        self.done.append(line)


def open_work(path: Path, head: Head, line: type[R]) -> WorkFile[R]:
    """Start a file, or resume it; a half last line is removed.

    Raises:
        UsageError: the file was made with another data set, model, seed or options, or another process is writing it.
        BadDocument: the file holds something else.
        StorageFailed: the file cannot be written.
    """
    lock = locked(path)
    try:
        done: list[R] = []
        if path.exists() and path.stat().st_size:
            content = path.read_bytes()
            whole = content[: content.rfind(b"\n") + 1]
            there, done = _parsed(whole.decode(errors="replace"), path, line)
            _same(there, head, path)
            if whole != content:
                write_whole(path, whole)
        work: WorkFile[R] = WorkFile(path, lock, head, done)
        if not path.exists() or not path.stat().st_size:
            work.write(head.model_copy(update={"form": _FORM}))
        return work
    except BaseException:
        lock.release()
        raise


def read_work(path: Path, line: type[R]) -> tuple[Head, list[R]]:
    """A file's first line, and its finished questions by the ids of their data set, in order.

    Raises:
        UsageError: there is no such file.
        BadDocument: the file holds something else.
    """
    try:
        content = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read ({error.strerror or error}); name a file of planner training"
        ) from None
    head, done = _parsed(content[: content.rfind("\n") + 1], path, line)
    return head, sorted(done, key=lambda one: one.question.id)


def _parsed(content: str, path: Path, line: type[R]) -> tuple[Head, list[R]]:
    first, *rest = content.rstrip("\n").split("\n")  # not `splitlines`: a text may hold U+2028
    try:
        head = _head(first)
    except ValidationError:
        raise BadDocument("not a file of planner training", file=str(path), position=1) from None
    if _STEP_OF[line] != head.step:
        raise UsageError(f"{path} holds {head.step}, not {_STEP_OF[line]}; name the other file")
    found: dict[str, R] = {}
    for number, text in enumerate(rest, start=2):
        try:
            one = line.model_validate_json(text)
        except ValidationError as error:
            reason = f"not a line of {head.step} ({error.error_count()} fields)"
            raise BadDocument(reason, file=str(path), position=number) from None
        found[one.question.id] = one
    return head, list(found.values())


def _head(text: str) -> Head:
    return Head.model_validate_json(text)


_STEP_OF: dict[type[Any], Step] = {Explored: "exploration", Judged: "judgements"}


def _same(there: Head, now: Head, path: Path) -> None:
    before, after = there.model_dump(mode="json"), now.model_dump(mode="json")
    if other := [name for name in before if before[name] != after[name]]:
        raise UsageError(
            f"{path} was made with another {', '.join(other)}; give the same options to resume it, or name another file"
        )


@dataclass(frozen=True)
class Unfinished:
    """A question that could not be finished now. The same call tries it again."""

    id: str
    reason: str


async def work_through(
    waiting: Sequence[T],
    do: Callable[[T], Awaitable[R]],
    work: WorkFile[R],
    *,
    name: Callable[[T], str],
    workers: int = 1,
    progress: Progress = no_progress,
) -> list[Unfinished]:
    """Do all that waits, `workers` at a time. Each result is in the file before its worker takes the next.

    A question for which the model failed is not saved and is returned; whatever else goes wrong stops all workers.

    Raises:
        UsageError: `workers` is below 1.
        StorageFailed: the file cannot be written.
        MedgroundError: whatever `do` raises apart from ModelFailed.
    """
    if workers < 1:
        raise UsageError(f"{workers} workers cannot work; use --workers 1 or more")
    before, total = len(work.done), len(work.done) + len(waiting)
    left = iter(waiting)
    failures: list[Unfinished] = []
    progress(work.head.step, before, total)

    async def worker() -> None:
        for one in left:
            try:
                work.add(await do(one))
            except ModelFailed as error:
                failures.append(Unfinished(name(one), str(error)))
            progress(work.head.step, len(work.done), total)

    async with asyncio.TaskGroup() as group:
        for _ in range(min(workers, len(waiting))):
            group.create_task(worker())
    return failures
