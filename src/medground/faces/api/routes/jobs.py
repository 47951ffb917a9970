"""Jobs: their state, their events, and their end."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query
from starlette.responses import StreamingResponse

from medground.document import Frozen
from medground.faces.api.caller import Caller, Served
from medground.faces.api.routes.asking import EVENTS
from medground.faces.api.stream import event_stream
from medground.service.job import JobState

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])
EventId = Annotated[int, Query(ge=0, le=2**53, description="the id of the last event that you have")]


class JobList(Frozen):
    """Jobs, the latest first."""

    jobs: tuple[JobState, ...]


@router.get("", summary="Your jobs")
async def listed(person: Caller, service: Served) -> JobList:
    """Your jobs that are not finished or were finished within the last hour, the latest first."""
    return JobList(jobs=tuple(job.now() for job in service.jobs.of(person.id)))


@router.get("/{job_id}", summary="The state of a job", responses={404: {}, 422: {}})
async def state(job_id: str, person: Caller, service: Served) -> JobState:
    """The state of one of your jobs."""
    return service.jobs.find(job_id, person.id).now()


@router.get(
    "/{job_id}/events",
    summary="The events of a job",
    response_class=StreamingResponse,
    responses={200: {"description": "Its events.", "content": EVENTS}, 404: {}, 422: {}},
)
async def events(
    job_id: str,
    person: Caller,
    service: Served,
    after: EventId = 0,
    last_event_id: Annotated[int | None, Header(ge=0, le=2**53, description="as a browser sends it")] = None,
) -> StreamingResponse:
    """The events of a job after the one that you have, and then those to come. The last event holds the answer.

    A comment is sent after 15 seconds of silence. A reader that misses events gets one of type `resync`.
    """
    job = service.jobs.find(job_id, person.id)
    return event_stream(job.events(after if last_event_id is None else last_event_id))


@router.delete("/{job_id}", summary="Stop a job", responses={404: {}, 422: {}})
async def stop(job_id: str, person: Caller, service: Served) -> JobState:
    """Stop a job, and keep what it has found: `trace_id` names that answer. A finished job stays as it is."""
    return await service.jobs.stop(job_id, person.id)
