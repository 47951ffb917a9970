"""The format of judgements, by models or people: JSON Lines, one judgement per line.

A person's file needs `item`, `judge` and `shown`, plus `better` for a comparison of two answers, or `marks` for a long
answer:

    {"item": "q1", "judge": "anna", "shown": ["run-a", "run-b"], "better": "first"}
    {"item": "q1", "judge": "anna", "shown": ["run-a"], "marks": [{"relevance": {"score": 4}, ...}]}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from medground.errors import UsageError
from medground.home.line_file import LineFile
from medground.values.document import Frozen
from medground.values.usage import UsageReport
from medground_evaluate.hand_files import values_in
from medground_evaluate.judges.operators import ExplanationMarks, LongAnswerMarks

PAIR_AXES: tuple[str, ...] = tuple(ExplanationMarks.model_fields)
LONG_AXES: tuple[str, ...] = tuple(LongAnswerMarks.model_fields)

Status = Literal["judged", "not judged", "failed"]
"""`not judged`: the judge said that it cannot tell. `failed`: its reply could not be used, or there was none."""


class Score(Frozen):
    """A mark on one axis, from 1 (worst) to 5 (best). Models must justify their marks; people may."""

    score: int = Field(ge=1, le=5)
    justification: str = ""


class Judgement(Frozen):
    """One judgement.

    Attributes:
        item: id of the question.
        judge: a model's name, or a person's.
        shown: names of the answers in the order the judge saw them: two for a comparison, one for a long answer.
        better: which of two is better; None for a long answer, or if nothing was judged.
        marks: axis to score for each answer shown; empty if nothing was judged.
        pin: hash of the judge, its instructions and the runs that it judged; empty for a person.
    """

    item: str = Field(min_length=1)
    judge: str = Field(min_length=1)
    shown: tuple[str, ...] = Field(min_length=1, max_length=2)
    better: Literal["first", "second", "tie"] | None = None
    marks: tuple[dict[str, Score], ...] = ()
    status: Status = "judged"
    reason: str = ""
    error: str = ""
    pin: str = ""
    usage: UsageReport = UsageReport()

    @property
    def place(self) -> tuple[str, str, tuple[str, ...]]:
        """The unique key of a line: a judge's verdict on an item with the answers in one order."""
        return self.judge, self.item, self.shown

    @model_validator(mode="after")
    def _fits(self) -> Self:
        axes = LONG_AXES if len(self.shown) == 1 else PAIR_AXES
        if self.marks and len(self.marks) != len(self.shown):
            raise ValueError(f"marks are given for {len(self.marks)} of {len(self.shown)} answers shown")
        if odd := {axis for marks in self.marks for axis in marks} - set(axes):
            raise ValueError(f"unknown axes {', '.join(sorted(odd))}; the axes are {', '.join(axes)}")
        if len(set(self.shown)) < len(self.shown):
            raise ValueError("the two answers shown have the same name")
        if self.status != "judged" and (self.better is not None or self.marks):
            raise ValueError(f"a line with status {self.status!r} cannot have `better` or `marks`")
        if self.status == "judged" and not (self.better if len(self.shown) == 2 else self.marks):
            raise ValueError("`better` is missing" if len(self.shown) == 2 else "`marks` are missing")
        return self


def each_once(read: list[Judgement], paths: Sequence[Path]) -> list[Judgement]:
    """The same lines, read from these files.

    Raises:
        UsageError: a judge judges the same answers twice, or there are no lines at all.
    """
    if not read:
        raise UsageError(f"no judgements in {', '.join(map(str, paths))}; give files of judgements")
    (place, times), *_ = Counter(line.place for line in read).most_common(1)
    if times > 1:
        judge, item, shown = place
        raise UsageError(f"{judge} judges {' and '.join(shown)} on {item!r} {times} times; keep one of these lines")
    return read


def judgements_in(text: str, path: Path) -> list[Judgement]:
    """The judgements in the text of a file called `path`, without a truncated last line.

    Raises:
        BadDocument: a line is not a judgement.
    """
    return [one for _, one in values_in(text, path, Judgement, may_be_cut=True)]


def scores(marks: ExplanationMarks | LongAnswerMarks) -> dict[str, Score]:
    """A model's marks in the format of a line; an axis that was left out is absent."""
    return {
        axis: Score(score=mark.score, justification=mark.justification)
        for axis in type(marks).model_fields
        if (mark := getattr(marks, axis)) is not None
    }


def by_judge(lines: Iterable[Judgement]) -> Mapping[str, list[Judgement]]:
    """The lines of each judge, in order."""
    found: dict[str, list[Judgement]] = {}
    for line in lines:
        found.setdefault(line.judge, []).append(line)
    return found


class Sheet(LineFile):
    """A file of judgements that is being written, started or resumed. Use it as a context manager.

    Attributes:
        lines: all judgements in the file.

    Raises:
        UsageError: the file has judgements with another pin, or another process is writing it.
        BadDocument: the file contains something else.
        StorageFailed: the file cannot be written.
    """

    what = "a file of judgements by a model"

    def __init__(self, path: Path, pin: str) -> None:
        super().__init__(path)
        with self.closing_on_error():
            content = b"".join(raw for _, raw in self.whole_lines())
            if content and not content.startswith(b'{"item":'):
                raise UsageError(f"{path} is not {self.what}; name another file with --out")
            self.lines = judgements_in(content.decode(errors="replace"), path)
            if other := next((line for line in self.lines if line.pin != pin), None):
                raise UsageError(
                    f"{path} has judgements by {other.judge} with different runs, judge or instructions; "
                    "name another file with --out"
                )

    def append(self, line: Judgement) -> None:
        """Add a judgement; it is in the file on return.

        Raises:
            StorageFailed: the file cannot be written.
        """
        self.write(line)
        self.lines.append(line)
