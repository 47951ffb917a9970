"""A file of finished questions that can be stopped at any time, and the workers that fill it.

The first line says everything that determines the others; then one line for each finished question. A stopped run is
resumed by the same call; a run with another first line is refused.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from pydantic import Field

from medground.answer import SnapshotReference
from medground.described import SourceDescription
from medground.document import Frozen
from medground.errors import BadDocument, ModelFailed, UsageError
from medground.line_file import LineFile, Numbered, check_same, parsed, whole_lines, work_off
from medground.progress import Progress, no_progress
from medground.train.planning.values import Explored, Judged

R = TypeVar("R", Explored, Judged)
T = TypeVar("T")

Step = Literal["exploration", "judgements"]


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


class WorkFile(LineFile, Generic[R]):
    """A file that is being filled, started or resumed. Use it as a context manager.

    Attributes:
        done: the finished questions, in the order in which they were finished.

    Raises:
        UsageError: the file was made with another data set, model, seed or options, or another process is writing it.
        BadDocument: the file holds something else.
        StorageFailed: the file cannot be written.
    """

    what = "a file of planner training"

    def __init__(self, path: Path, head: Head, line: type[R]) -> None:
        super().__init__(path)
        self.head = head
        self.done: list[R] = []
        with self.closing_on_error():
            if lines := [*self.whole_lines()]:
                there, self.done = _parsed(lines, path, line)
                check_same(there, head, path)
            else:
                self.write(head)

    def add(self, line: R) -> None:
        """Add a finished question; it is in the file on return.

        Raises:
            StorageFailed: the file cannot be written.
        """
        self.write(line)
        self.done.append(line)


def read_work(path: Path, line: type[R]) -> tuple[Head, list[R]]:
    """A file's first line, and its finished questions by the ids of their data set, in order.

    Raises:
        UsageError: there is no such file.
        BadDocument: the file holds something else.
    """
    head, done = _parsed([*whole_lines(path, f"name {WorkFile.what}")], path, line)
    return head, sorted(done, key=lambda one: one.question.id)


def _parsed(lines: Sequence[Numbered], path: Path, line: type[R]) -> tuple[Head, list[R]]:
    head = next(parsed(lines[:1], Head, path, WorkFile.what), None)
    if head is None:
        raise BadDocument(f"not {WorkFile.what}", file=str(path), position=1)
    if _STEP_OF[line] != head.step:
        raise UsageError(f"{path} holds {head.step}, not {_STEP_OF[line]}; name the other file")
    found = {one.question.id: one for one in parsed(lines[1:], line, path, f"a line of {head.step}")}
    return head, list(found.values())


_STEP_OF: dict[type[Any], Step] = {Explored: "exploration", Judged: "judgements"}


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
    failures: list[Unfinished] = []
    progress(work.head.step, before, total)

    async def finish(one: T) -> None:
        try:
            work.add(await do(one))
        except ModelFailed as error:
            failures.append(Unfinished(name(one), str(error)))
        progress(work.head.step, len(work.done), total)

    await work_off(waiting, finish, workers)
    return failures
