"""What evaluation is about: items with a gold answer, and the line that a run writes for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import Field

from medground.document import Document, DocumentId, Frozen
from medground.question import Question, Task
from medground.usage import UsageReport

Split = Literal["train", "validation", "test", "unknown"]


class Item(Frozen):
    """One question of a data set.

    Attributes:
        id: unique in its set.
        question: as recipes take it, with its options.
        gold: the right values: `yes`, an option's letter, several letters; empty for an open question.
        reference: a reference answer in words, for open questions.
        documents: ids of the documents that answer it, where the set names them.
        context: documents that come with the item, given to the recipe when the set is run with its context.
        headings: gold MeSH headings, where the set has them.
        group: items of one group (the same abstract, the same case) are kept together in cross-validation.
        extra: what else the set says of it, such as evidence spans.
    """

    id: str
    question: Question
    gold: tuple[str, ...] = ()
    reference: str = ""
    documents: tuple[DocumentId, ...] = ()
    context: tuple[Document, ...] = ()
    headings: tuple[str, ...] = ()
    split: Split = "test"
    group: str = ""
    extra: dict[str, Any] = Field(default_factory=dict)


class DataSetInfo(Frozen):
    """What a set is, for `medground data list` and for checks.

    Attributes:
        sizes: number of items by split, as published.
        hashes: SHA-256 by file name of the release that the loader was written for; another one is refused unless the
            user accepts it, and is then recorded in the run.
        date_limit: evidence after this day was not there when the set was made.
        obtain: where its owner gives it, and how; nothing is ever downloaded by us.
        seen: what its loader was tried on: the whole published set, a part of it, or only files made to its form.
    """

    name: str
    title: str
    tasks: tuple[Task, ...]
    sizes: dict[str, int]
    licence: str
    obtain: str
    paper: str = ""
    date_limit: date | None = None
    hashes: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    seen: Literal["whole", "part", "form"] = "form"


class DataSet(Protocol):
    """A loader."""

    @property
    def info(self) -> DataSetInfo: ...

    def find(self, path: Path) -> Path:
        """The file of the set that `path` is or, for a folder, holds.

        Raises:
            UsageError: there is no such file.
        """
        ...

    def fits(self, path: Path) -> bool:
        """Whether a file begins like one of this set."""
        ...

    def hash(self, path: Path) -> str:
        """SHA-256 of the file's bytes, unpacked, and of the files beside it that belong to it.

        Raises:
            UsageError: a file is missing or damaged.
        """
        ...

    def ids(self, path: Path, split: str) -> Iterator[str]:
        """Ids of the items of a split (`all`: of every one), in the file's order, without building the items.

        Raises:
            UsageError: as for `read`.
        """
        ...

    def read(self, path: Path, split: str, wanted: Callable[[str], bool] | None = None) -> Iterator[Item]:
        """Items of a split (`all`: of every one), in the file's order; with `wanted`, those whose id it takes.

        Raises:
            UsageError: the file is not of this set, an item lacks its gold answer, an id comes twice; one line with
                file and position.
        """
        ...


RunStatus = Literal["answered", "lean", "not judged", "unanswerable", "failed", "unreadable", "budget"]
"""What became of an item. Only `answered` and `lean` carry an answer; every other one is wrong and stays in the
denominator. `budget`: a limit was reached. None of them is ever an option."""


class RunLine(Frozen):
    """One item of a run, one JSON line."""

    id: str
    question: str
    task: Task
    gold: tuple[str, ...] = ()
    answer: tuple[str, ...] = ()
    status: RunStatus
    error: str = ""
    probability: float | None = None
    statements: int = 0
    support: float | None = None
    faithfulness: float | None = None
    cited: tuple[DocumentId, ...] = Field(default=(), description="documents that the answer cites, in order")
    found: tuple[DocumentId, ...] = Field(default=(), description="documents read or retrieved, in rank order")
    gold_documents: tuple[DocumentId, ...] = ()
    text: str = Field(default="", description="the rationale, for long-answer metrics and judges")
    usage: UsageReport = UsageReport()
    trace: str = ""
    settings_hash: str = ""


class RunHeader(Frozen):
    """First line of a run's file: everything that could change its results.

    A run that was resumed with an accepted difference has another header before the lines that it holds for.
    """

    format: Literal["medground-run-1"] = "medground-run-1"
    dataset: str
    dataset_hash: str
    split: str
    recipe: str
    model: str
    limit: int | None = None
    seed: int | None = Field(default=None, description="of the shuffle that the limit is taken from; None: file order")
    with_context: bool = False
    items: int = Field(description="how many items the run is over; those without a line are unfinished")
    settings: dict[str, Any]
    settings_hash: str
    prompts_hash: str = Field(description="of all operators' instructions and schemas")
    snapshots: dict[str, str] = Field(default_factory=dict)
    versions: dict[str, str] = Field(default_factory=dict)
    started: str = ""
    accepted: tuple[str, ...] = Field(default=(), description="differences that the user accepted, as they were shown")
