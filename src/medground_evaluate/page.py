"""Evaluation runs in the page of `medground web`: listed, opened, their questions, and the report as a file."""

from __future__ import annotations

import re
from asyncio import to_thread
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from pydantic import Field
from starlette.responses import Response

from medground.errors import NotFound, UsageError
from medground.faces import Caller, door
from medground.values import Described, Frozen
from medground_evaluate.compare import compare, read_result
from medground_evaluate.items import UNFINISHED, RunLine, tallied
from medground_evaluate.report.content import read_report
from medground_evaluate.report.pages import as_html
from medground_evaluate.run_file import read_run
from medground_evaluate.statistics import ClassScore, Share

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
_SUFFIX = ".jsonl"
_ACCURACY = "correct answers, of all items; a failure counts as wrong"


class Metric(Described):
    """A share with its 95 % interval (Wilson), from 0 to 1, and what it counts. Without items there is no value."""

    name: str
    words: str
    """what is counted, and of what"""
    right: int
    of: int
    value: float | None
    low: float
    high: float

    @classmethod
    def of_share(cls, name: str, words: str, share: Share) -> Metric:
        """A share with its interval."""
        low, high = share.interval
        return cls(name=name, words=words, right=share.right, of=share.of, value=share.value, low=low, high=high)


class Listed(Described):
    """One run of a folder. `problem` says why it cannot be read; the rest is then empty."""

    id: str
    """the name of its file without the suffix"""
    problem: str = ""
    dataset: str = ""
    split: str = ""
    recipe: str = ""
    model: str = ""
    started: str = ""
    limit: int | None = None
    seed: int | None = None
    with_context: bool = False
    items: int = 0
    unfinished: int = 0
    accuracy: Metric | None = None
    majority: str = ""
    """the most common gold answer"""
    majority_share: float | None = None
    """how many items always answering so gets right"""
    statuses: Mapping[str, int] = Field(default_factory=dict)
    input_tokens: int = 0
    output_tokens: int = 0
    model_calls: int = 0
    cached_calls: int = 0
    searches: int = 0
    seconds: float = 0.0
    price: Decimal | None = None
    """in US dollars; None: unknown"""


def listed_runs(folder: Path) -> list[Listed]:
    """All runs of a folder, the one that was written to last first. A file that is not a run says so."""
    return [_listed(path) for _, path in sorted(_files(folder), key=lambda found: -found[0])]


def find_run(folder: Path, run_id: str) -> tuple[Path, Listed]:
    """The file of a run, and what it is. Only files in the folder itself are found.

    Raises NotFound: there is no run of this name, or it cannot be read.
    """
    path = next((path for _, path in _files(folder) if path.stem == run_id), None)
    if path is None:
        raise NotFound(f"no run {run_id[:80]!r}; create one with `medground eval run`")
    listed = _listed(path)
    if listed.problem:
        raise NotFound(listed.problem)
    return path, listed


def _files(folder: Path) -> Iterator[tuple[float, Path]]:
    if folder.is_dir():
        for path in folder.glob(f"*{_SUFFIX}"):
            if path.is_file() and not path.is_symlink() and _ID.fullmatch(path.stem):
                yield path.stat().st_mtime, path


def _listed(path: Path) -> Listed:
    """What is known of a run, which is read again only where its file has changed."""
    state = path.stat()
    return _read(path, (state.st_mtime_ns, state.st_size))


@lru_cache(maxsize=1_000)
def _read(path: Path, state: tuple[int, int]) -> Listed:
    try:
        header, lines = read_run(path)
        tally = tallied(lines, header.items)
    except UsageError as error:
        return Listed(id=path.stem, problem=str(error).replace(str(path), path.name))
    gold, count = tally.majority or ((), 0)
    made = ("dataset", "split", "recipe", "model", "started", "limit", "seed", "with_context", "items")
    counted = ("model_calls", "cached_calls", "searches", "seconds", "price")
    return Listed(
        id=path.stem,
        unfinished=tally.unfinished,
        accuracy=Metric.of_share("accuracy", _ACCURACY, tally.final) if tally.scored else None,
        majority=", ".join(gold),
        majority_share=count / tally.scored if gold else None,
        statuses=dict(tally.statuses.most_common()),
        **{name: getattr(header, name) for name in made},
        input_tokens=tally.usage.needed_input,
        output_tokens=tally.usage.needed_output,
        **{name: getattr(tally.usage, name) for name in counted},
    )


Which = Literal["all", "right", "wrong", "failed"]
_FAILED = frozenset(["failed", "unreadable", "budget"])
MOST_QUESTIONS = 200


class AskedTold(Frozen):
    """One question of a run. `outcome` is its status; `right` says whether the answer is the gold answer."""

    id: str
    question: str
    gold: tuple[str, ...]
    answer: tuple[str, ...]
    outcome: str
    right: bool
    error: str


class OpenedRun(Described):
    """A run as a face shows it."""

    run: Listed
    metrics: tuple[Metric, ...]
    outcomes: tuple[Metric, ...]
    """how many items ended how, of all items"""
    classes: tuple[ClassScore, ...]
    macro_f1: float | None
    support: float | None
    """mean support score of the answers that have one"""
    supported_answers: int
    """how many answers have a support score"""
    seconds_each: float | None
    """None: unknown, as of all that was imported"""
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
    """Read a run whole."""
    result = read_result(path)
    row = compare([result]).rows[0]
    given = row.statuses.get("answered", 0)
    shares = {
        "accuracy": (_ACCURACY, row.accuracy),
        "answered": ("items with an answer, of all items", Share(given, row.items)),
        "correct when it answered": ("correct answers, of the answers given", Share(row.accuracy.right, given)),
        "cites evidence": ("items whose answer cites a quote, of all items", row.grounded),
    }
    if not row.accuracy.of:
        del shares["accuracy"], shares["correct when it answered"]
    counts = Counter({**row.statuses, UNFINISHED: row.unfinished})
    return OpenedRun(
        run=listed,
        metrics=tuple(Metric.of_share(name, *of) for name, of in shares.items()),
        outcomes=tuple(
            Metric.of_share(name, "of all items", Share(n, row.items)) for name, n in counts.most_common() if n
        ),
        classes=row.classes,
        macro_f1=row.macro_f1,
        support=row.support.support.value,
        supported_answers=row.support.support.of,
        seconds_each=row.cost and listed.seconds / max(len(result.lines), 1),
        warnings=row.warnings,
        **{name: getattr(result.header, name) for name in ("settings", "snapshots", "versions")},
    )


def questions_of(path: Path, *, which: Which, offset: int, limit: int) -> QuestionPage:
    """Some questions of a run: all of them, or those that were answered right, wrong, or failed.

    `wrong` has every question whose answer is not the gold answer, also those that have no answer.
    """
    _, lines = read_run(path)
    fitting = (line for line in lines if _fits(line, which))
    passed = sum(1 for _ in islice(fitting, offset))
    names = ("id", "question", "gold", "answer", "error")
    shown = tuple(
        AskedTold(**{name: getattr(line, name) for name in names}, outcome=line.status, right=line.right)
        for line in islice(fitting, limit)
    )
    return QuestionPage(questions=shown, offset=offset, total=passed + len(shown) + sum(1 for _ in fitting))


def _fits(line: RunLine, which: Which) -> bool:
    if which == "all":
        return True
    if which == "failed":
        return line.status in _FAILED
    return bool(line.gold) and line.right is (which == "right")


router = APIRouter(prefix="/v1/runs", tags=["page"])


def _folder(request: Request) -> Path:
    """The folder of this server's runs."""
    return door(request).service.settings.home / "runs"


Folder = Annotated[Path, Depends(_folder)]


class RunsListed(Frozen):
    """The runs of the server, the one that was written to last first."""

    runs: tuple[Listed, ...]


@router.get("", summary="Evaluation runs")
async def runs(person: Caller, folder: Folder) -> RunsListed:
    """Runs of `medground eval run`, each with its accuracy: every item counts, a failure as wrong."""
    return RunsListed(runs=tuple(await to_thread(listed_runs, folder)))


@router.get("/{run_id}", summary="An evaluation run")
async def run(run_id: str, person: Caller, folder: Folder) -> OpenedRun:
    """Its metrics with 95 % intervals, how its items ended, its classes, its cost and its settings."""
    return await to_thread(lambda: open_run(*find_run(folder, run_id)))


@router.get("/{run_id}/questions", summary="Questions of a run")
async def questions(
    run_id: str,
    person: Caller,
    folder: Folder,
    which: Which = "all",
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_QUESTIONS)] = 50,
) -> QuestionPage:
    """Its questions with gold answer, answer and outcome, in their order."""
    return await to_thread(lambda: questions_of(find_run(folder, run_id)[0], which=which, offset=offset, limit=limit))


@router.get(
    "/{run_id}/report",
    summary="The report of a run",
    response_class=Response,
    responses={200: {"description": "One HTML file.", "content": {"text/html": {"schema": {"type": "string"}}}}},
)
async def report(run_id: str, person: Caller, folder: Folder) -> Response:
    """The report of `medground eval report` as a file to save; a browser never shows it as a page of this server."""
    content = await to_thread(lambda: as_html(read_report([find_run(folder, run_id)[0]])))
    headers = {"Content-Disposition": f'attachment; filename="{run_id}.html"'}
    return Response(content, media_type="text/html", headers=headers)
