"""Judgements: what a judge is asked, one verdict, and the file of those by a model."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from medground.errors import UsageError
from medground.models import EvidenceView, InvalidOutput, OperatorInput, OperatorOutput, Untrusted, operator
from medground.values import Frozen, NonEmpty, UsageReport
from medground_evaluate.line_file import LineFile, parsed
from medground_evaluate.prompts import PROMPTS

CANNOT = "no model is configured, and judging an explanation needs one"


class Mark(OperatorOutput):
    score: int = Field(ge=1, le=5, description="1 worst, 5 best")
    justification: str = Field(min_length=1, max_length=400, description="why, in at most two sentences")


class ExplanationMarks(OperatorOutput, use_attribute_docstrings=True):
    """The four axes of an explanation."""

    soundness: Mark
    """coherent, without contradictions, each step follows"""
    grounding: Mark
    """claims rest on biomedical evidence; nothing is made up"""
    relevance: Mark
    """answers this very clinical or biomedical question"""
    trustworthiness: Mark
    """safe, in line with what is established, not misleading"""


class CompareInput(OperatorInput):
    question: Untrusted
    first: Untrusted
    second: Untrusted


class CompareOutput(OperatorOutput):
    first: ExplanationMarks | None = None
    second: ExplanationMarks | None = None
    better: Literal["first", "second", "tie"] | None = Field(description="none only if it cannot be told")
    reason: str = Field(default="", max_length=400)


def _whole(value: CompareInput, output: CompareOutput) -> None:
    given = [output.first is not None, output.second is not None, output.better is not None]
    if any(given) and not all(given):
        raise InvalidOutput("give all marks of both answers and say which is better, or leave out all three")


@operator(instructions=PROMPTS["compare_explanations"], check=_whole)
def compare_explanations(value: CompareInput) -> CompareOutput:
    """Neither is better: words cannot judge an explanation."""
    return CompareOutput(better=None, reason=CANNOT)


class RateInput(OperatorInput):
    question: Untrusted
    reference: Untrusted
    answer: Untrusted
    documents: tuple[EvidenceView, ...] = ()


class LongAnswerMarks(OperatorOutput, use_attribute_docstrings=True):
    """The four aspects of a long answer."""

    relevance: Mark
    """how precisely it is on the question"""
    completeness: Mark
    """how much of the reference answer's information it holds"""
    proficiency: Mark
    """how correct and how deep its medical knowledge is"""
    interpretability: Mark | None
    """how far the documents carry it; none when there are none"""


class RateOutput(OperatorOutput):
    marks: LongAnswerMarks | None = Field(description="none only if it cannot be told")
    reason: str = Field(default="", max_length=400)


def _interpretable(value: RateInput, output: RateOutput) -> None:
    if output.marks is None:
        return
    if value.documents and output.marks.interpretability is None:
        raise InvalidOutput("documents are given: mark the interpretability too")
    if not value.documents and output.marks.interpretability is not None:
        raise InvalidOutput("no documents are given: leave the interpretability out")


@operator(instructions=PROMPTS["rate_long_answer"], check=_interpretable)
def rate_long_answer(value: RateInput) -> RateOutput:
    """No mark: words cannot judge an answer."""
    return RateOutput(marks=None, reason=CANNOT)


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
        shown: names of the answers in the order the judge saw them: two for a comparison, one for a long answer.
        better: which of two is better; None for a long answer, or if nothing was judged.
        marks: axis to score for each answer shown; empty if nothing was judged.
        pin: hash of the judge, its instructions and the runs that it judged; empty for a person.
    """

    item: NonEmpty
    judge: NonEmpty
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
    """The same lines, read from these files."""
    if not read:
        raise UsageError(f"no judgements in {', '.join(map(str, paths))}; give files of judgements")
    (place, times), *_ = Counter(line.place for line in read).most_common(1)
    if times > 1:
        judge, item, shown = place
        raise UsageError(f"{judge} judges {' and '.join(shown)} on {item!r} {times} times; keep one of these lines")
    return read


class Sheet(LineFile[Judgement]):
    """A file of judgements that is being written, started or resumed. Use it as a context manager.

    Raises UsageError: the file has judgements with another pin, or another process is writing it; BadDocument: the file
    contains something else; StorageFailed: the file cannot be written.
    """

    what = "a file of judgements by a model"

    def __init__(self, path: Path, pin: str) -> None:
        super().__init__(path)
        with self.closing_on_error():
            self.lines = [*parsed(self.whole_lines(), Judgement, path, "a judgement")]
            if other := next((line for line in self.lines if line.pin != pin), None):
                raise UsageError(
                    f"{path} has judgements by {other.judge} with different runs, judge or instructions; "
                    "name another file with --out"
                )
