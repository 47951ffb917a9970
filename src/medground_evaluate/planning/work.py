"""What the steps hand on, one line for each training question, and the file and the workers that fill it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import Field

from medground.errors import ModelFailed, UsageError
from medground.values import (
    DocumentId,
    Frozen,
    Option,
    Passage,
    Progress,
    Question,
    SnapshotReference,
    SourceDescription,
    SourceQuery,
    Task,
    Usage,
    no_progress,
)
from medground_evaluate.items import Item
from medground_evaluate.line_file import HeadedFile, headed, whole_lines, work_off

State = Literal["found", "empty", "failed"]
"""What became of a query. `failed`: the source could not be searched, so nothing is known about the query."""

Label = Literal["positive", "negative", "failed"]
"""Eq. 1. `failed`: it was not judged, so it is neither; the reason is given with it."""


class Spent(Frozen):
    """Cost of one question in one step; seconds of the clock. `price` is in US dollars, None if it is unknown."""

    retrieval_seconds: float = 0.0
    inference_seconds: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    model_calls: int = 0
    searches: int = 0
    price: Decimal | None = Decimal(0)

    @classmethod
    def of(cls, usage: Usage, *, retrieval: float, inference: float) -> Spent:
        """The cost of a run, with its seconds divided into those of retrieval and those of inference."""
        names = ("input_tokens", "output_tokens", "model_calls", "searches", "price")
        same = {name: getattr(usage, name) for name in names}
        return cls(retrieval_seconds=round(retrieval, 4), inference_seconds=round(inference, 4), **same)


class TrainItem(Frozen):
    """A training question and its gold answer.

    Attributes:
        gold: the gold values: `yes`, the letter of an option.
        answer: the gold answer in words, as the judge reads it.
        documents: ids of the documents that the question was written from, if the set names them.
    """

    id: str
    text: str
    task: Task
    options: tuple[Option, ...] = ()
    context: str = ""
    gold: tuple[str, ...] = ()
    reference: str = ""
    answer: str
    documents: tuple[DocumentId, ...] = ()

    @classmethod
    def of(cls, item: Item) -> TrainItem:
        """A question of a data set with its gold answer in words."""
        said = "; ".join(item.question.worded(item.gold))
        asked = {name: getattr(item.question, name) for name in ("text", "task", "options", "context")}
        known = {name: getattr(item, name) for name in ("id", "gold", "reference", "documents")}
        return cls(**asked, **known, answer=": ".join(part for part in (said, item.reference) if part))

    @property
    def question(self) -> Question:
        """The question as it was asked."""
        return Question(text=self.text, task=self.task, options=self.options, context=self.context)


class Tried(Frozen):
    """A query of the exploration and the keys of the passages that it found, best first: `d_j^i`."""

    source: str
    query: SourceQuery
    state: State
    found: tuple[str, ...] = ()


class Explored(Frozen):
    """A question with the queries that were tried for it (section 4.2.1)."""

    question: TrainItem
    queries: tuple[Tried, ...] = ()
    passages: dict[str, Passage] = Field(default_factory=dict)
    spent: Spent = Spent()


class JudgedQuery(Frozen):
    """A query with its label (Eq. 1).

    Attributes:
        why: the judge's reason, or why there is no judgement.
        score: of a label that is a measured gain or score; None of a judge who says yes or no.
    """

    source: str
    query: SourceQuery
    label: Label
    why: str = ""
    score: float | None = None


class Judged(Frozen):
    """A question with its labelled queries (section 4.2.2), in the order in which they were explored."""

    question: TrainItem
    queries: tuple[JudgedQuery, ...] = ()
    spent: Spent = Spent()

    def without(self, sources: Collection[str]) -> Judged:
        """The question without the queries of these sources."""
        return self.replace(queries=tuple(query for query in self.queries if query.source not in sources))


R = TypeVar("R", bound="Explored | Judged")
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


class WorkFile(HeadedFile[Head, R]):
    """A file that is being filled with finished questions, started or resumed."""

    what = "a file of planner training"


def read_work(path: Path, line: type[R]) -> tuple[Head, list[R]]:
    """A file's first line, and its finished questions by the ids of their data set, in order."""
    there = [*whole_lines(path, f"name {WorkFile.what}")]
    head, lines = headed(there, Head, line, path, WorkFile.what)
    if _STEP_OF[line] != head.step:
        raise UsageError(f"{path} holds {head.step}, not {_STEP_OF[line]}; name the other file")
    return head, sorted(lines, key=lambda one: one.question.id)


_STEP_OF: dict[type[Any], Step] = {Explored: "exploration", Judged: "judgements"}


@dataclass(frozen=True)
class Finished:
    """A step that has gone through all its questions: how many lines the file has, and what the same call tries again.

    Attributes:
        unfinished: why a question could not be finished now, by its id.
    """

    path: Path
    head: Head
    lines: int
    unfinished: dict[str, str]
    seconds: float


async def work_through(
    questions: Mapping[str, T],
    do: Callable[[T], Awaitable[R]],
    out: Path,
    head: Head,
    line: type[R],
    *,
    started: float,
    workers: int,
    progress: Progress = no_progress,
) -> Finished:
    """Do all questions, by id, that the file does not have, `workers` at a time; each result is in the file at once.

    A question for which the model failed is not saved; whatever else goes wrong stops all workers.

    Raises UsageError: `workers` is below 1, or the file was made with other options; StorageFailed: the file cannot be
    written; MedgroundError: whatever `do` raises apart from ModelFailed.
    """
    if workers < 1:
        raise UsageError(f"{workers} workers cannot work; use --workers 1 or more")
    failures: dict[str, str] = {}
    with WorkFile(out, head, line) as work:
        done = {one.question.id for one in work.lines}
        waiting = [name for name in questions if name not in done]
        total = len(work.lines) + len(waiting)
        progress(head.step, len(work.lines), total)

        async def finish(name: str) -> None:
            try:
                work.add(await do(questions[name]))
            except ModelFailed as error:
                failures[name] = str(error)
            progress(head.step, len(work.lines), total)

        await work_off(waiting, finish, workers)
        return Finished(out, head, len(work.lines), failures, time.monotonic() - started)
