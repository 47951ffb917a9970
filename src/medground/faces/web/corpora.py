"""Corpora: built from uploaded files as a job, told about, verified, removed."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from medground.errors import NotFound, UsageError
from medground.faces.api.caller import Caller, Served
from medground.faces.service.building import Building, Mode, build_uploaded, check, forget_received, kept_aside
from medground.faces.service.job import Job, JobState, Tell
from medground.faces.service.offers import Checked, CorpusTold, FilesTold, checked, corpus_told, files_told
from medground.faces.service.service import Service
from medground.faces.service.values import Person
from medground.faces.web.state import Keeper, Page
from medground.faces.web.state import PageState as Held
from medground.faces.web.upload import PassedOver, received
from medground.values.document import Frozen

router = APIRouter(prefix="/v1/corpora", tags=["page"])

_FORM = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {"files": {"type": "array", "items": {"type": "string", "format": "binary"}}},
                    "required": ["files"],
                }
            }
        },
    }
}


class FilePassedOver(Frozen):
    """A file of an upload that was not taken, and why."""

    name: str
    reason: str


class BuildStarted(Frozen):
    """The job that builds a corpus. Files that no reader can read are named once it has ended."""

    job: JobState
    files: int
    passed_over: tuple[FilePassedOver, ...]


@router.post(
    "",
    summary="Build a corpus from uploaded files",
    status_code=202,
    responses={400: {}, 403: {}, 408: {}, 413: {}, 415: {}, 422: {}},
    openapi_extra=_FORM,
)
async def build(
    request: Request,
    response: Response,
    person: Keeper,
    page: Page,
    service: Served,
    name: Annotated[str, Query(max_length=64, description="the corpus")],
    mode: Annotated[Mode, Query(description="whether it is new, is added to, or is replaced")] = "new",
    embed: Annotated[Literal["minilm"] | None, Query(description="the model of its vectors; none without it")] = None,
) -> BuildStarted:
    """Upload files and build a corpus from them as a job; until it has ended, and if it is stopped, nothing changes.

    The job reports its progress as events. A file that is too large, empty, or has an unsafe name is passed over.
    """
    await asyncio.to_thread(check, page.library, name, mode)
    length = request.headers.get("content-length", "")
    async with received(
        aiter(request.stream()),
        request.headers.get("content-type", ""),
        page.uploads,
        page.limits,
        length=int(length) if length.isascii() and length.isdigit() else None,
    ) as upload:
        if not upload.files:
            raise UsageError(_nothing(upload.passed_over))
        place = await asyncio.to_thread(kept_aside, upload.folder)
    job = _started(page, service, person, Building(name, place, mode, embed))
    response.headers["Location"] = f"/v1/jobs/{job.id}"
    told = tuple(FilePassedOver(name=one.name, reason=one.reason) for one in upload.passed_over)
    return BuildStarted(job=job.now(), files=len(upload.files), passed_over=told)


@router.get("/{name}", summary="What was read into a corpus", responses={404: {}, 422: {}})
async def told(name: str, person: Caller, page: Page) -> CorpusTold:
    """How many files were read and passed over, what their readers noted, and records that could not be read."""
    _known(page, name)
    return await asyncio.to_thread(corpus_told, page.library, name)


@router.get("/{name}/files", summary="The files of a corpus", responses={404: {}, 422: {}})
async def files(
    name: str,
    person: Caller,
    page: Page,
    passed_over: Annotated[bool, Query(description="only those that were passed over")] = False,
    offset: Annotated[int, Query(ge=0, le=100_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> FilesTold:
    """Files with their reader, or the reason why they were passed over."""
    _known(page, name)
    return await asyncio.to_thread(files_told, page.library, name, passed_over=passed_over, offset=offset, limit=limit)


@router.post("/{name}/verify", summary="Check a corpus", responses={404: {}, 422: {}})
async def verify(name: str, person: Caller, page: Page) -> Checked:
    """Compare every file of a corpus with the hash that was taken when it was built."""
    _known(page, name)
    return await asyncio.to_thread(checked, page.library, name)


@router.delete("/{name}", summary="Remove a corpus", status_code=204, responses={403: {}, 404: {}, 422: {}})
async def remove(name: str, person: Keeper, page: Page) -> None:
    """Delete a corpus with what was uploaded for it. This cannot be undone."""
    _known(page, name)
    await asyncio.to_thread(page.library.remove, name)


def _started(page: Held, service: Service, person: Person, building: Building) -> Job:
    async def work(tell: Tell) -> None:
        await build_uploaded(page.library, building, tell.progress)

    try:
        return service.begin(work, person, kind="build", title=building.name)
    except BaseException:
        forget_received(building.received)
        raise


def _known(page: Held, name: str) -> None:
    if not page.library.has(name):
        raise NotFound(f"no corpus {name!r}; GET /v1/corpora lists them")


def _nothing(passed_over: list[PassedOver]) -> str:
    if not passed_over:
        return "the upload has no file; choose at least one"
    named = "; ".join(f"{one.name}: {one.reason}" for one in passed_over[:5])
    return f"none of the files can be used: {named}"
