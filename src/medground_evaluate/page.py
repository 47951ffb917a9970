"""Evaluation runs in the page of `medground web`: listed, opened, their questions, and the report as a file."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from medground.errors import NotFound, UsageError
from medground.faces.api.caller import Caller, door
from medground.values.document import Frozen
from medground_evaluate.listing import (
    MOST_QUESTIONS,
    Listed,
    OpenedRun,
    QuestionPage,
    Runs,
    Which,
    open_run,
    questions_of,
)
from medground_evaluate.report.content import read_report
from medground_evaluate.report.page import as_html

router = APIRouter(prefix="/v1/runs", tags=["page"])


def _runs(request: Request) -> Runs:
    """The runs of this server; what was read of them stays with the app."""
    state = request.app.state
    if not hasattr(state, "runs"):
        settings = door(request).service.settings
        state.runs = Runs(settings.serve.runs or settings.home / "runs")
    found: Runs = state.runs
    return found


Folder = Annotated[Runs, Depends(_runs)]


class RunsListed(Frozen):
    """The runs of the server, the one that was written to last first."""

    runs: tuple[Listed, ...]


@router.get("", summary="Evaluation runs")
async def runs(person: Caller, folder: Folder) -> RunsListed:
    """Runs of `medground eval run`, each with its accuracy: every item counts, a failure as wrong."""
    return RunsListed(runs=tuple(await asyncio.to_thread(folder.list)))


@router.get("/{run_id}", summary="An evaluation run", responses={404: {}, 422: {}})
async def run(run_id: str, person: Caller, folder: Folder) -> OpenedRun:
    """Its metrics with 95 % intervals, how its items ended, its classes, its cost and its settings."""

    def read() -> OpenedRun:
        path, listed = _found(folder, run_id)
        return open_run(path, listed)

    return await asyncio.to_thread(read)


@router.get("/{run_id}/questions", summary="Questions of a run", responses={404: {}, 422: {}})
async def questions(
    run_id: str,
    person: Caller,
    folder: Folder,
    which: Which = "all",
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_QUESTIONS)] = 50,
) -> QuestionPage:
    """Its questions with gold answer, answer and outcome, in their order."""

    def read() -> QuestionPage:
        return questions_of(_found(folder, run_id)[0], which=which, offset=offset, limit=limit)

    return await asyncio.to_thread(read)


@router.get(
    "/{run_id}/report",
    summary="The report of a run",
    response_class=Response,
    responses={
        200: {"description": "One HTML file.", "content": {"text/html": {"schema": {"type": "string"}}}},
        404: {},
        422: {},
    },
)
async def report(run_id: str, person: Caller, folder: Folder) -> Response:
    """The report of `medground eval report` as a file to save; a browser never shows it as a page of this server."""

    def written() -> str:
        return as_html(read_report([_found(folder, run_id)[0]]))

    content = await asyncio.to_thread(written)
    headers = {"Content-Disposition": f'attachment; filename="{run_id}.html"'}
    return Response(content, media_type="text/html", headers=headers)


def _found(folder: Runs, run_id: str) -> tuple[Path, Listed]:
    try:
        return folder.find(run_id)
    except UsageError as error:
        raise NotFound(str(error)) from None
