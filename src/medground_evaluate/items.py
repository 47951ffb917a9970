"""Items with a gold answer, the line that a run writes for each, and running totals over lines in constant memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from pydantic import Field, field_validator

from medground.values import Described, Document, DocumentId, Frozen, Question, Task, UsageReport
from medground_evaluate.statistics import Share

Split = Literal["train", "validation", "test", "unknown"]


class Item(Frozen):
    """One question of a data set.

    Attributes:
        question: the question as recipes receive it, with its options.
        gold: the correct values: `yes`, an option's letter, several letters; empty for an open question.
        reference: a reference answer in words, for open questions.
        documents: ids of the documents that answer it, if the set names them.
        context: documents that come with the item, passed to the recipe when the set is run with its context.
        group: items of one group (the same abstract, the same case) are kept together in cross-validation.
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

    def asked_as(self, task: Task) -> Item:
        """The item of a subset that may allow fewer answers, such as yes-no for a set that also has maybe."""
        return self.replace(question=self.question.replace(task=task))


class DataSetInfo(Frozen):
    """The description of a set, for `medground data list` and for checks.

    Attributes:
        sizes: number of items by split, as published.
        hashes: SHA-256, by file name, of the release that the loader was written for; any other file is refused
            unless the user accepts it, which the run then records.
        date_limit: evidence after this day did not exist when the set was made.
        obtain: where and how to get it from its owner; Medground never downloads it.
        seen: what its loader was tested on: the whole published set, a part of it, or only files in its format.
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


RunStatus = Literal["answered", "not judged", "unanswerable", "failed", "unreadable", "budget"]
"""The outcome of an item. Only `answered` carries an answer; every other status counts as wrong and stays in
the denominator. `budget`: a limit was reached. A status never counts as an option."""


class RunLine(Described):
    """One item of a run: one JSON line."""

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
    cited: tuple[DocumentId, ...] = ()
    """documents that the answer cites, in order"""
    found: tuple[DocumentId, ...] = ()
    """documents read or retrieved, in rank order"""
    gold_documents: tuple[DocumentId, ...] = ()
    failed_sources: dict[str, str] = Field(default_factory=dict)
    """sources that could not be searched: why"""
    text: str = ""
    """the rationale, for long-answer metrics and judges"""
    usage: UsageReport = UsageReport()
    trace: str = ""
    settings_hash: str = ""

    @field_validator("status", mode="before")
    @classmethod
    def _counted_as_then(cls, status: object) -> object:
        """Older runs hold estimates from word statistics (`lean`), which counted as answers; their figures stay."""
        return "answered" if status == "lean" else status

    @property
    def right(self) -> bool:
        """Whether the answer equals the gold answer: of several correct values, none is missing and none is extra."""
        return bool(self.gold) and set(self.answer) == set(self.gold)


class RunHeader(Described):
    """First line of a run's file: everything that could change its results.

    A run that was resumed with an accepted difference has another header before the lines it applies to.
    """

    format: Literal["medground-run-1"] = "medground-run-1"
    dataset: str
    dataset_hash: str
    split: str
    recipe: str
    model: str
    limit: int | None = None
    seed: int | None = None
    """of the shuffle before the limit is applied; None: file order"""
    with_context: bool = False
    until: date | None = None
    """the last day of the evidence that was searched"""
    items: int
    """number of items in the run; those without a line are unfinished"""
    settings: dict[str, Any]
    settings_hash: str
    prompts_hash: str
    """of all operators' instructions and schemas"""
    snapshots: dict[str, str] = Field(default_factory=dict)
    versions: dict[str, str] = Field(default_factory=dict)
    started: str = ""
    accepted: tuple[str, ...] = ()
    """differences that the user accepted, as they were shown"""
    imported: str = ""
    """SHA-256 of the file of predictions that the run was imported from"""


UNFINISHED = "unfinished"


def tallied(lines: Iterable[RunLine], items: int) -> Tally:
    """The totals over lines."""
    tally = Tally(items)
    for line in lines:
        tally.add(line)
    return tally


@dataclass
class Tally:
    """Counts over lines. `items` is the size of the run; items without a line are unfinished and count as wrong."""

    items: int
    lines: int = 0
    scored: int = 0
    """Lines with a gold answer."""
    right: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    gold: Counter[tuple[str, ...]] = field(default_factory=Counter)
    usage: UsageReport = field(default_factory=UsageReport)
    error: str = ""
    """The last error."""
    failed_sources: Counter[str] = field(default_factory=Counter)
    """In how many lines a source could not be searched."""
    why: dict[str, str] = field(default_factory=dict)
    """The last reason, by source."""

    def add(self, line: RunLine) -> None:
        """Count one line."""
        self.lines += 1
        self.statuses[line.status] += 1
        if line.gold:
            self.scored += 1
            self.right += line.right
            self.gold[tuple(sorted(line.gold))] += 1
        self.usage += line.usage
        self.error = line.error or self.error
        self.failed_sources.update(line.failed_sources.keys())
        self.why |= line.failed_sources

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Sources that could not always be searched, and questions that failed, in a line each."""
        return (*self.failed(), *(f"{name} is not configured" for name, why in self.why.items() if not why))

    def failed(self, beyond: float = 0.0) -> tuple[str, ...]:
        """Those that failed in more than this share of the lines; a source that is not configured has not failed."""
        lines = [
            f"{name} could not be searched for {number:,} of {self.lines:,} questions: {self.why[name]}"
            for name, number in self.failed_sources.most_common()
            if self.why[name] and number > beyond * self.lines
        ]
        if (failed := self.statuses["failed"]) > beyond * self.lines:
            lines.insert(0, f"{failed:,} of {self.lines:,} questions failed: {self.error}")
        return tuple(lines)

    @property
    def accuracy(self) -> float | None:
        """Share of correct answers among the lines with a gold answer; None if there are none."""
        return self.right / self.scored if self.scored else None

    @property
    def unfinished(self) -> int:
        """Items without a line."""
        return max(0, self.items - self.lines)

    @property
    def final(self) -> Share:
        """Correct answers of all items; those without a line count as wrong. Of 0 if no line has a gold answer."""
        return Share(self.right, self.scored + self.unfinished if self.scored else 0)

    @property
    def majority(self) -> tuple[tuple[str, ...], int] | None:
        """The most common gold answer and its count; None if no line has one."""
        return max(self.gold.items(), key=lambda kv: (kv[1], kv[0])) if self.gold else None
