"""Evaluation runs in the page of `medground web`: listed, and the report of each as a file."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from pydantic import Field
from starlette.responses import Response

from medground.errors import NotFound, UsageError
from medground.faces import Caller, door
from medground.values import Frozen
from medground_evaluate.items import tallied
from medground_evaluate.report.content import read_report
from medground_evaluate.report.pages import as_html
from medground_evaluate.run_file import read_run

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
_SUFFIX = ".jsonl"


class Accuracy(Frozen):
    """Correct answers of all items, 0 to 1, with the 95 % interval (Wilson); a failure counts as wrong."""

    value: float | None
    low: float
    high: float
    right: int
    of: int


class Listed(Frozen):
    """One run of a folder. `problem` says why it cannot be read; the rest is then empty."""

    id: str = Field(description="the name of its file without the suffix")
    problem: str = ""
    dataset: str = ""
    split: str = ""
    recipe: str = ""
    model: str = ""
    started: str = ""
    items: int = 0
    unfinished: int = 0
    accuracy: Accuracy | None = Field(default=None, description="null without gold answers")
    statuses: Mapping[str, int] = Field(default_factory=dict)


def listed_runs(folder: Path) -> list[Listed]:
    """All runs of a folder, the one that was written to last first. A file that is not a run says so."""
    return [_listed(path) for _, path in sorted(_files(folder), key=lambda found: -found[0])]


def find_run(folder: Path, run_id: str) -> Path:
    """The file of a run. Only files in the folder itself are found.

    Raises NotFound: there is no run of this name, or it cannot be read.
    """
    path = next((path for _, path in _files(folder) if path.stem == run_id), None)
    if path is None:
        raise NotFound(f"no run {run_id[:80]!r}; create one with `medground eval run`")
    if problem := _listed(path).problem:
        raise NotFound(problem)
    return path


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
    share, accuracy = tally.final, None
    if tally.scored:
        low, high = share.interval
        accuracy = Accuracy(value=share.value, low=low, high=high, right=share.right, of=share.of)
    return Listed(
        id=path.stem,
        unfinished=tally.unfinished,
        accuracy=accuracy,
        statuses=dict(tally.statuses.most_common()),
        **header.model_dump(include={"dataset", "split", "recipe", "model", "started", "items"}),
    )


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
    return RunsListed(runs=tuple(await asyncio.to_thread(listed_runs, folder)))


@router.get(
    "/{run_id}/report",
    summary="The report of a run",
    response_class=Response,
    responses={
        200: {"description": "One HTML file.", "content": {"text/html": {"schema": {"type": "string"}}}},
    },
)
async def report(run_id: str, person: Caller, folder: Folder) -> Response:
    """The report of `medground eval report` as a file to save; a browser never shows it as a page of this server."""
    content = await asyncio.to_thread(lambda: as_html(read_report([find_run(folder, run_id)])))
    headers = {"Content-Disposition": f'attachment; filename="{run_id}.html"'}
    return Response(content, media_type="text/html", headers=headers)
