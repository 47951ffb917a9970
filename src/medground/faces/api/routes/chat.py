"""The chat endpoint, as clients of OpenAI call it: recipes are models, and the answer is a message with citations.

No sentence leaves before it has been checked. So the text of a stream comes at its end, a block at a time; until then
comments tell what happens, which keep clients and proxies from giving up.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, Request
from fastapi.sse import format_sse_event
from pydantic import BaseModel
from starlette.responses import Response, StreamingResponse

from medground.answer import Answer
from medground.errors import BudgetExhausted, NotFound
from medground.faces.api.caller import Caller, Served
from medground.faces.api.chat_failure import ChatRoute, failed
from medground.faces.api.chat_reply import (
    Chunk,
    ChunkChoice,
    Completion,
    Delta,
    ErrorReply,
    Model,
    Models,
    completion,
    deltas,
    finish_reason,
    kept,
    models_of,
    usage_of,
)
from medground.faces.api.chat_request import ChatFailure, ChatRequest, asked_by, check, earlier_answer, has_earlier
from medground.faces.api.leaving import while_there
from medground.faces.api.stream import HEADERS, HEARTBEAT, paced
from medground.service.event import Event
from medground.service.job import Job
from medground.service.offers import RecipeOffer
from medground.service.person import Person
from medground.service.service import Service

router = APIRouter(prefix="/v1", tags=["chat"], route_class=ChatRoute)

_FAILURES: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorReply} for status in (400, 401, 404, 409, 422, 429, 500, 502, 503, 504, 507)
}
_CHUNKS: dict[str, Any] = {
    "text/event-stream": {"schema": {"type": "string", "description": "With `stream`: chunks, and last `[DONE]`."}}
}


@router.post(
    "/chat/completions",
    summary="Ask a question as a client of OpenAI",
    response_model=Completion,
    responses={200: {"description": "The answer as a message.", "content": _CHUNKS}, **_FAILURES},
)
async def complete(wanted: ChatRequest, request: Request, person: Caller, service: Served) -> Response:
    """Answer the last message of a conversation.

    Each citation mark of the message has an annotation with the source's address and the citation as it is everywhere
    in Medground. A question after an answer of this endpoint follows that answer. Parameters that would have no effect
    are refused with 400.
    """
    check(wanted)
    recipe = await _recipe(wanted.model, service)
    follow = await _follow(wanted, service, person)
    job = await service.start(asked_by(wanted, researches=recipe.researches, follow=follow), person)
    reply = _Reply(job, wanted, base=str(request.base_url), not_read=has_earlier(wanted) and follow is None)
    if wanted.stream:
        return StreamingResponse(reply.stream(service), media_type="text/event-stream", headers=HEADERS)
    answer = await while_there(request, _result(job))
    return _json(reply.whole(answer))


@router.get("/models", summary="The recipes, as models", responses=_FAILURES)
async def models(person: Caller, service: Served) -> Models:
    """The recipes that a chat can name as its model."""
    return models_of([recipe.name for recipe in await service.recipes()])


@router.get("/models/{model}", summary="A recipe, as a model", responses=_FAILURES)
async def model(model: str, person: Caller, service: Served) -> Model:
    """One recipe."""
    return models_of([(await _recipe(model, service)).name]).data[0]


class _Reply:
    """The reply to one request.

    Args:
        job: the question at work.
        wanted: the request.
        base: the address of this server, ending with a slash.
        not_read: whether there are earlier messages that were not read.
    """

    def __init__(self, job: Job, wanted: ChatRequest, *, base: str, not_read: bool) -> None:
        self._job = job
        self._wanted = wanted
        self._base = base
        self._not_read = not_read
        self._id = f"chatcmpl-{job.id}"

    def whole(self, answer: Answer) -> Completion:
        """The answer as one completion."""
        return completion(answer, id=self._id, base=self._base, not_read=self._not_read)

    async def stream(self, service: Service) -> AsyncIterator[bytes]:
        """The chunks of the answer; progress as comments before them."""
        yield self._sent(Delta(role="assistant", content=""))
        async with aclosing(paced(self._job.events(), HEARTBEAT)) as events:
            async for event in events:
                if event is not None and event.is_last:
                    for part in self._ending(event, service):
                        yield part
                    return
                words = " ".join(event.words.split()) if event else "still at work"
                if words:
                    yield format_sse_event(comment=words)

    def _ending(self, event: Event, service: Service) -> list[bytes]:
        """What the last event of the job becomes: the answer, also one that a limit cut short, or an error."""
        answer = event.answer
        if answer is None:
            problem = event.problem or service.problem(NotFound("the work was stopped before there was an answer"))
            return [_event(failed(problem)), _DONE]
        sent = [self._sent(delta) for delta in deltas(answer, base=self._base, not_read=self._not_read)]
        sent.append(
            _event(self._chunk(ChunkChoice(delta=Delta(), finish_reason=finish_reason(answer)), medground=kept(answer)))
        )
        if self._wanted.with_usage:
            sent.append(_event(self._chunk(usage=usage_of(answer))))
        return [*sent, _DONE]

    def _sent(self, delta: Delta) -> bytes:
        return _event(self._chunk(ChunkChoice(delta=delta)))

    def _chunk(self, *choices: ChunkChoice, **more: Any) -> Chunk:
        created = int(self._job.created.timestamp())
        return Chunk(id=self._id, created=created, model=self._wanted.model, choices=choices, **more)


_DONE = format_sse_event(data_str="[DONE]")


def _event(content: BaseModel) -> bytes:
    return format_sse_event(data_str=content.model_dump_json(exclude_none=True))


def _json(content: BaseModel) -> Response:
    return Response(content.model_dump_json(), media_type="application/json")


async def _recipe(name: str, service: Service) -> RecipeOffer:
    recipes = await service.recipes()
    found = next((recipe for recipe in recipes if recipe.name == name), None)
    if found is None:
        known = ", ".join(recipe.name for recipe in recipes)
        said = f"The model {name[:80]!r} does not exist; the models are the recipes {known}."
        raise ChatFailure(said, param="model", code="model_not_found", status=404)
    return found


async def _follow(wanted: ChatRequest, service: Service, person: Person) -> str | None:
    """The answer that the question follows: the one that is named, or the last one of the conversation, if it is kept.

    Raises:
        NotFound: the one that is named is not there.
    """
    if wanted.medground.follow is not None:
        return (await service.answer(wanted.medground.follow, person)).trace_id
    if (name := earlier_answer(wanted)) is None:
        return None
    try:
        return (await service.answer(name, person)).trace_id
    except NotFound:
        return None


async def _result(job: Job) -> Answer:
    """The answer of a job, also one that a limit cut short.

    Raises:
        MedgroundError: there is none.
    """
    try:
        answer = await job.result()
    except BudgetExhausted as spent:
        if spent.answer is None:
            raise
        answer = spent.answer
    if answer is None:
        raise NotFound("the answer was deleted before it could be sent")
    return answer
