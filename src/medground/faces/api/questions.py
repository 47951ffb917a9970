"""Ask and wait, as JSON or as events, and the jobs behind it."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Body, Header, Query, Request
from fastapi.sse import format_sse_event
from pydantic import BaseModel
from starlette.responses import Response, StreamingResponse

from medground.errors import NotFound, UsageError
from medground.faces.api.caller import Caller, Served
from medground.faces.api.middleware import while_there
from medground.faces.service.job import Job
from medground.faces.service.job_store import JobState
from medground.faces.service.request import AskBody
from medground.faces.service.values import Event
from medground.values.answer import Answer
from medground.values.document import Frozen

HEARTBEAT = 15.0
"""Seconds of silence after which a comment is sent, so that proxies and clients see that the stream lives."""
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def event_stream(events: AsyncGenerator[Event]) -> StreamingResponse:
    """A response that sends events as they come: `id`, `event` (its type) and `data` (its JSON).

    The generator is closed when the client leaves.
    """

    async def sent() -> AsyncIterator[bytes]:
        async with aclosing(paced(events, HEARTBEAT)) as there:
            async for one in there:
                if one is None:
                    yield format_sse_event(comment="heartbeat")
                else:
                    yield format_sse_event(data_str=one.model_dump_json(), event=one.type, id=str(one.id))

    return StreamingResponse(sent(), media_type="text/event-stream", headers=HEADERS)


async def paced(events: AsyncGenerator[Event], seconds: float) -> AsyncGenerator[Event | None]:
    """Events as they come, and None after some seconds of silence. Closing it closes the events."""
    coming: asyncio.Future[Event | None] | None = None
    async with aclosing(events):
        try:
            while True:
                coming = coming or asyncio.ensure_future(anext(events, None))
                if not (await asyncio.wait([coming], timeout=seconds))[0]:
                    yield None
                    continue
                event, coming = coming.result(), None
                if event is None:
                    return
                yield event
        finally:
            if coming is not None:
                coming.cancel()
                await asyncio.wait([coming])


router = APIRouter(prefix="/v1")

EVENTS: dict[str, Any] = {
    "text/event-stream": {
        "example": 'event: queued\ndata: {"version": 1, "id": 1, "type": "queued", "job": "Wd3..."}\nid: 1\n\n'
    }
}
QUESTIONS = {
    "question": {"summary": "A question", "value": {"question": "Does aspirin prevent ischemic stroke?"}},
    "limited": {
        "summary": "With a recipe, corpora and dates",
        "value": {
            "question": "Does aspirin prevent ischemic stroke?",
            "recipe": "ground",
            "corpora": ["starter"],
            "filters": {"year_from": 2015},
        },
    },
}
Question = Annotated[AskBody, Body(openapi_examples=QUESTIONS)]
Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        description="A request sent again with the same key is not repeated: the same body gets the same answer "
        "for 24 hours.",
    ),
]
_JOB = {"description": "The job; follow its events.", "headers": {"Location": {"schema": {"type": "string"}}}}
_BEGINS: dict[str, Any] = {"tags": ["jobs"], "status_code": 202, "response_model": JobState, "responses": {202: _JOB}}
"""Of addresses that begin a job."""


@router.post(
    "/ask",
    tags=["answers"],
    summary="Ask a question and wait for its answer",
    response_model=Answer,
    responses={200: {"description": "The answer, or a stream of its events.", "content": EVENTS}},
)
async def ask(asked: Question, request: Request, person: Caller, service: Served, key: Key = None) -> Response:
    """Answer a question. With `Accept: text/event-stream` the response is the events, and the last holds the answer.

    If the client leaves, the question goes on for 30 seconds: `GET /v1/jobs/{id}/events` takes it up again.
    """
    if asked.kind != "ask":
        raise UsageError("research takes minutes; send it to /v1/research, and follow its events")
    job = await service.start(asked, person, key=key)
    if "text/event-stream" in request.headers.get("accept", ""):
        return event_stream(job.events())
    answer = await while_there(request, job.result())
    if answer is None:
        raise NotFound("the answer was deleted before it could be sent")
    return as_json(answer)


@router.post("/research", summary="Start research: a report with sections", **_BEGINS)
async def research(
    asked: Question, request: Request, response: Response, person: Caller, service: Served, key: Key = None
) -> JobState:
    """Begin research as a job, which continues without listeners. `DELETE /v1/jobs/{id}` ends it."""
    researched = asked.replace(kind="research")
    return accepted(await service.start(researched, person, key=key), request, response)


@router.post("/research/{research_id}", summary="Resume research that ended early", **_BEGINS)
async def go_on(research_id: str, request: Request, response: Response, person: Caller, service: Served) -> JobState:
    """Go on with research that failed, was stopped or reached a limit: `research` of its job. Nothing is done twice."""
    return accepted(await service.resume(research_id, person), request, response)


@router.post("/jobs", summary="Start a question or research as a job", **_BEGINS)
async def begin(
    asked: Question, request: Request, response: Response, person: Caller, service: Served, key: Key = None
) -> JobState:
    """Begin a job. One of kind `ask` is stopped 30 seconds after its last listener has left."""
    return accepted(await service.start(asked, person, key=key), request, response)


def accepted(job: Job, request: Request, response: Response) -> JobState:
    """The state of a new job, and where it is, also below a prefix."""
    response.headers["Location"] = f"{request.scope.get('root_path', '')}/v1/jobs/{job.id}"
    return job.told


def as_json(value: BaseModel) -> Response:
    """A value as it is, without another check of it."""
    return Response(value.model_dump_json(), media_type="application/json")


jobs_router = APIRouter(prefix="/v1/jobs", tags=["jobs"])
EventId = Annotated[int, Query(ge=0, le=2**53, description="the id of the last event that you received")]


class JobList(Frozen):
    """Jobs, the latest first."""

    jobs: tuple[JobState, ...]


@jobs_router.get("", summary="Your jobs")
async def listed(person: Caller, service: Served) -> JobList:
    """Your jobs that are not finished or were finished within the last hour, the latest first."""
    return JobList(jobs=tuple(await service.jobs.jobs_of(person.id)))


@jobs_router.get("/{job_id}", summary="The state of a job")
async def state(job_id: str, person: Caller, service: Served) -> JobState:
    """The state of one of your jobs."""
    return (await service.jobs.find(job_id, person.id)).told


@jobs_router.get(
    "/{job_id}/events",
    summary="The events of a job",
    response_class=StreamingResponse,
    responses={200: {"description": "Its events.", "content": EVENTS}},
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
    job = await service.jobs.find(job_id, person.id)
    return event_stream(job.events(after if last_event_id is None else last_event_id))


@jobs_router.delete("/{job_id}", summary="Stop a job")
async def stop(job_id: str, person: Caller, service: Served) -> JobState:
    """Stop a job, and keep what it has found: `trace_id` names that answer. A finished job stays as it is."""
    return await service.jobs.stop(job_id, person.id)
