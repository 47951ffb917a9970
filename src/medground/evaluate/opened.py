"""One run, opened: its metrics with intervals, its classes, its cost, and its questions page by page."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from medground.document import Frozen
from medground.errors import UsageError
from medground.evaluate.base import RunLine
from medground.evaluate.compare import Row, compare
from medground.evaluate.listing import Listed
from medground.evaluate.metrics.share import Share
from medground.evaluate.results import read_result
from medground.evaluate.runs import read_run
from medground.evaluate.tally import UNFINISHED, is_right

Which = Literal["all", "right", "wrong", "failed"]
_FAILED = frozenset(["failed", "unreadable", "budget"])
MOST_QUESTIONS = 200


class Metric(Frozen):
    """A share with its 95 % interval (Wilson), from 0 to 1, and what it counts. Without items there is no value."""

    name: str
    words: str = Field(description="what is counted, and of what")
    right: int
    of: int
    value: float | None
    low: float
    high: float


class ClassTold(Frozen):
    """Precision, recall and F1 of one answer, such as `yes`; None where nothing was given or asked."""

    label: str
    gold: int
    given: int
    precision: float | None
    recall: float | None
    f1: float


class AskedTold(Frozen):
    """One question of a run. `outcome` is its status; `right` says whether the answer is the gold answer."""

    id: str
    question: str
    gold: tuple[str, ...]
    answer: tuple[str, ...]
    outcome: str
    right: bool
    error: str


class OpenedRun(Frozen):
    """A run as a face shows it."""

    run: Listed
    metrics: tuple[Metric, ...]
    outcomes: tuple[Metric, ...] = Field(description="how many items ended how, of all items")
    classes: tuple[ClassTold, ...]
    macro_f1: float | None
    support: float | None = Field(description="mean support score of the answers that have one")
    supported_answers: int = Field(description="how many answers have a support score")
    seconds_each: float
    warnings: tuple[str, ...]
    settings: dict[str, Any]
    snapshots: dict[str, str]
    versions: dict[str, str]


class QuestionPage(Frozen):
    """Some questions of a run, in its order, and how many there are of the kind that was asked for."""

    questions: tuple[AskedTold, ...]
    offset: int
    total: int


def open_run(path: Path, listed: Listed) -> OpenedRun:
    """Read a run whole.

    Raises:
        UsageError: it is not a run, a line is invalid or repeated, or no question is finished.
    """
    result = read_result(path)
    row = compare([result]).rows[0]
    return OpenedRun(
        run=listed,
        metrics=_metrics(row),
        outcomes=_outcomes(row),
        classes=tuple(
            ClassTold(label=c.label, gold=c.gold, given=c.given, precision=c.precision, recall=c.recall, f1=c.f1)
            for c in row.classes
        ),
        macro_f1=row.macro_f1,
        support=row.support.support.value,
        supported_answers=row.support.support.of,
        seconds_each=row.cost.seconds,
        warnings=row.warnings,
        settings=result.header.settings,
        snapshots=result.header.snapshots,
        versions=result.header.versions,
    )


def questions_of(path: Path, *, which: Which = "all", offset: int = 0, limit: int = 50) -> QuestionPage:
    """Some questions of a run: all of them, or those that were answered right, wrong, or failed.

    `wrong` has every question whose answer is not the gold answer, also those that have no answer.

    Raises:
        UsageError: it is not a run, or `limit` or `offset` is out of range.
    """
    if not 1 <= limit <= MOST_QUESTIONS or offset < 0:
        raise UsageError(f"a page of questions takes a limit from 1 to {MOST_QUESTIONS} and an offset from 0")
    _, lines = read_run(path)
    fitting = (line for line in lines if _fits(line, which))
    passed = sum(1 for _ in islice(fitting, offset))
    shown = tuple(map(_question_told, islice(fitting, limit)))
    return QuestionPage(questions=shown, offset=offset, total=passed + len(shown) + sum(1 for _ in fitting))


def _fits(line: RunLine, which: Which) -> bool:
    if which == "all":
        return True
    if which == "failed":
        return line.status in _FAILED
    return bool(line.gold) and is_right(line) is (which == "right")


def _question_told(line: RunLine) -> AskedTold:
    return AskedTold(
        id=line.id,
        question=line.question,
        gold=line.gold,
        answer=line.answer,
        outcome=line.status,
        right=is_right(line),
        error=line.error,
    )


def _metrics(row: Row) -> tuple[Metric, ...]:
    given = row.statuses.get("answered", 0)
    found = [_metric("answered", "items with an answer, of all items", Share(given, row.items))]
    if row.accuracy.of:
        found.insert(0, _metric("accuracy", "correct answers, of all items; a failure counts as wrong", row.accuracy))
        share = Share(row.accuracy.right, given)
        found.append(_metric("correct when it answered", "correct answers, of the answers given", share))
    found.append(_metric("cites evidence", "items whose answer cites a quote, of all items", row.grounded))
    return tuple(found)


def _outcomes(row: Row) -> tuple[Metric, ...]:
    counts = {**row.statuses, UNFINISHED: row.unfinished}
    ordered = sorted(((status, count) for status, count in counts.items() if count), key=lambda one: -one[1])
    return tuple(_metric(status, "of all items", Share(count, row.items)) for status, count in ordered)


def _metric(name: str, words: str, share: Share) -> Metric:
    low, high = share.interval
    return Metric(name=name, words=words, right=share.right, of=share.of, value=share.value, low=low, high=high)
