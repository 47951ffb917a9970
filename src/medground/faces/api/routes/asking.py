"""Ask and wait, as JSON or as events."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Header, Request
from starlette.responses import Response

from medground.answer import Answer
from medground.errors import NotFound, UsageError
from medground.faces.api.caller import Caller, Served
from medground.faces.api.leaving import while_there
from medground.faces.api.stream import event_stream
from medground.service.asked import Asked
from medground.service.job import Job, JobState

router = APIRouter(prefix="/v1")

EVENTS: dict[str, Any] = {
    "text/event-stream": {
        "example": 'event: queued\ndata: {"version": 1, "id": 1, "type": "queued", "job": "Wd3..."}\nid: 1\n\n',
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
Question = Annotated[Asked, Body(openapi_examples=QUESTIONS)]
Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        description="A request that is sent again with its key is not asked twice: the same body gets the same answer "
        "for 24 hours.",
    ),
]
_JOB = {"description": "The job; follow its events.", "headers": {"Location": {"schema": {"type": "string"}}}}


@router.post(
    "/ask",
    tags=["answers"],
    summary="Ask a question and wait for its answer",
    response_model=Answer,
    responses={200: {"description": "The answer, or its events.", "content": EVENTS}, 409: {}},
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


@router.post(
    "/research",
    tags=["jobs"],
    summary="Begin research: a report with sections",
    status_code=202,
    response_model=JobState,
    responses={202: _JOB},
)
async def research(asked: Question, response: Response, person: Caller, service: Served, key: Key = None) -> JobState:
    """Begin research as a job, which lives on when nobody listens. `DELETE /v1/jobs/{id}` ends it."""
    researched = asked.model_copy(update={"kind": "research"})
    return accepted(await service.start(researched, person, key=key), response)


@router.post(
    "/research/{research_id}",
    tags=["jobs"],
    summary="Go on with research that ended early",
    status_code=202,
    response_model=JobState,
    responses={202: _JOB, 404: {}, 422: {}},
)
async def go_on(research_id: str, response: Response, person: Caller, service: Served) -> JobState:
    """Go on with research that failed, was stopped or reached a limit: `research` of its job. Nothing is done twice."""
    return accepted(await service.resume(research_id, person), response)


@router.post(
    "/jobs",
    tags=["jobs"],
    summary="Begin a question or research as a job",
    status_code=202,
    response_model=JobState,
    responses={202: _JOB},
)
async def begin(asked: Question, response: Response, person: Caller, service: Served, key: Key = None) -> JobState:
    """Begin a job. One of kind `ask` is stopped 30 seconds after its last listener has left."""
    return accepted(await service.start(asked, person, key=key), response)


def accepted(job: Job, response: Response) -> JobState:
    """The state of a new job, and where it is."""
    response.headers["Location"] = f"/v1/jobs/{job.id}"
    return job.now()


def as_json(answer: Answer) -> Response:
    """An answer as it is, without another check of it."""
    return Response(answer.model_dump_json(), media_type="application/json")
