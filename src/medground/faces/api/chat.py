"""The chat endpoint, as clients of OpenAI call it: recipes are models, and the answer is a message with citations."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, Literal

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from fastapi.sse import format_sse_event
from starlette.responses import Response, StreamingResponse

from medground.errors import MedgroundError, NotFound
from medground.faces.api import chat_messages
from medground.faces.api.caller import Caller, Served, service_of
from medground.faces.api.chat_text import Part, is_cut, parts_of
from medground.faces.api.middleware import respond, while_there
from medground.faces.api.questions import HEADERS, HEARTBEAT, paced
from medground.faces.service.job import Job
from medground.faces.service.offers import RecipeOffer
from medground.faces.service.service import Service
from medground.faces.service.values import Event, Person, Problem
from medground.home.layers import wrong_values
from medground.language.clean import ended
from medground.values import steps
from medground.values.answer import Answer

Written = Callable[[Answer], list[Part]]
"""Makes the message of an answer."""
_TYPES: Mapping[int, str] = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
_SENT = ("retry-after", "www-authenticate")
_CODES: Mapping[int, str] = {401: "invalid_api_key", 429: "rate_limit_exceeded"}


class ChatRoute(APIRoute):
    """A route whose errors are OpenAI's."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            try:
                return await handle(request)
            except chat_messages.ChatFailure as error:
                return _response(error.status, _error(error.status, str(error), error.param, error.code))
            except RequestValidationError as error:
                return _response(400, _error(400, wrong_values(error.errors()), None, None))
            except MedgroundError as error:
                problem = service_of(request).problem(error)
                sent = {name: value for name, value in respond(problem).headers.items() if name in _SENT}
                return _response(_status(problem), failed(problem), sent)

        return handled


def failed(problem: Problem) -> chat_messages.ErrorReply:
    """A problem as an error of OpenAI."""
    status = _status(problem)
    notice = f"{problem.notice.sentence} " if problem.notice else ""
    said = f"{notice}{ended(problem.detail)} {problem.next}"
    return _error(status, said, None, _CODES.get(status, problem.type.rpartition(":")[2]))


def _status(problem: Problem) -> int:
    """A request that cannot be used is 400 there."""
    return 400 if problem.status == 422 else problem.status


def _error(status: int, said: str, param: str | None, code: str | None) -> chat_messages.ErrorReply:
    kind = _TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
    return chat_messages.ErrorReply(error=chat_messages.ErrorBody(message=said, type=kind, param=param, code=code))


def _response(status: int, reply: chat_messages.ErrorReply, headers: Mapping[str, str] | None = None) -> Response:
    sent = {**(headers or {}), "Cache-Control": "no-store"}
    return Response(reply.model_dump_json(), status_code=status, media_type="application/json", headers=sent)


router = APIRouter(prefix="/v1", tags=["chat"], route_class=ChatRoute)

FAILURES: dict[int | str, dict[str, Any]] = {
    status: {"model": chat_messages.ErrorReply} for status in (400, 401, 404, 409, 422, 429, 500, 502, 503, 504, 507)
}
CHUNKS: dict[str, Any] = {
    "text/event-stream": {"schema": {"type": "string", "description": "With `stream`: chunks, and last `[DONE]`."}}
}


@router.post(
    "/chat/completions",
    summary="Ask a question with an OpenAI client",
    response_model=chat_messages.Completion,
    responses={200: {"description": "The answer as a message.", "content": CHUNKS}, **FAILURES},
)
async def complete(wanted: chat_messages.ChatRequest, request: Request, person: Caller, service: Served) -> Response:
    """Answer the last message of a conversation.

    Each citation mark of the message has an annotation with the source's address and the citation as it is everywhere
    in Medground. A question after an answer of this endpoint follows that answer. System messages are its context.
    Parameters that have no effect are named in the header `Medground-Ignored`.
    """
    job, written = await begun(wanted, wanted.messages, wanted.longest, request, person, service)
    reply, headers = _Reply(job, wanted, written), ignored(wanted)
    if wanted.stream:
        return StreamingResponse(reply.stream(service), media_type="text/event-stream", headers={**HEADERS, **headers})
    answer = await while_there(request, job.outcome())
    return Response(reply.whole(answer).model_dump_json(), media_type="application/json", headers=headers)


@router.get("/models", summary="The recipes, as models", responses=FAILURES)
async def models(person: Caller, service: Served) -> chat_messages.Models:
    """The recipes that a chat can name as its model."""
    return chat_messages.Models(
        data=tuple(chat_messages.Model(id=recipe.name, created=0) for recipe in await service.recipes())
    )


@router.get("/models/{model}", summary="A recipe, as a model", responses=FAILURES)
async def model(model: str, person: Caller, service: Served) -> chat_messages.Model:
    """One recipe."""
    return chat_messages.Model(id=(await _recipe(model, service)).name, created=0)


class _Reply:
    """The reply to one request, whose message `written` makes of the answer."""

    def __init__(self, job: Job, wanted: chat_messages.ChatRequest, written: Written) -> None:
        self._job = job
        self._wanted = wanted
        self._written = written
        self._id = f"chatcmpl-{job.id}"

    def whole(self, answer: Answer) -> chat_messages.Completion:
        """The answer as one completion."""
        parts = self._written(answer)
        message = chat_messages.ReplyMessage(
            content="".join(part.text for part in parts),
            annotations=tuple(one for part in parts for one in part.annotations),
        )
        return chat_messages.Completion(
            id=self._id,
            created=int(answer.created.timestamp()),
            model=answer.recipe,
            choices=(chat_messages.Choice(message=message, finish_reason=_finish(answer, parts)),),
            usage=_usage(answer),
            medground=kept(answer),
        )

    async def stream(self, service: Service) -> AsyncIterator[bytes]:
        """The chunks of the answer; before them progress as comments, and sentences as they are written."""
        yield self._sent({"role": "assistant", "content": ""})
        async with aclosing(paced(self._job.events(), HEARTBEAT)) as events:
            async for event in events:
                if event is not None and event.is_last:
                    for part in self._ending(event, service):
                        yield part
                    return
                words = " ".join(event.words.split()) if event else "still running"
                if event is not None and isinstance(event.step, steps.Written):
                    yield self._sent({"reasoning_content": f"{words}\n"})
                elif words:
                    yield format_sse_event(comment=words)

    def _ending(self, event: Event, service: Service) -> Iterator[bytes]:
        """What the last event of the job becomes: the answer, also one that a limit cut short, or an error."""
        if (answer := event.answer) is None:
            yield format_sse_event(data_str=failed(problem_in(event, service)).model_dump_json(exclude_none=True))
        else:
            parts = self._written(answer)
            for part in parts:
                cited = {"annotations": [one.model_dump() for one in part.annotations]} if part.annotations else {}
                yield self._sent({"content": part.text, **cited})
            yield self._sent({}, _finish(answer, parts), medground=kept(answer).model_dump())
            if self._wanted.with_usage:
                yield self._chunk(choices=[], usage=_usage(answer).model_dump())
        yield format_sse_event(data_str="[DONE]")

    def _sent(self, delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
        return self._chunk(choices=[{"index": 0, "delta": delta, "finish_reason": finish}], **more)

    def _chunk(self, **more: Any) -> bytes:
        named = {"id": self._id, "object": "chat.completion.chunk", "model": self._wanted.model}
        return format_sse_event(data_str=json.dumps({**named, "created": int(self._job.created.timestamp()), **more}))


def _usage(answer: Answer) -> chat_messages.Usage:
    tokens = answer.usage.input_tokens, answer.usage.output_tokens
    return chat_messages.Usage(prompt_tokens=tokens[0], completion_tokens=tokens[1], total_tokens=sum(tokens))


def _finish(answer: Answer, parts: Sequence[Part]) -> Literal["length", "stop"]:
    return "length" if answer.stopped or is_cut(parts) else "stop"


def ignored(wanted: chat_messages.Request) -> dict[str, str]:
    """The header that names what was sent without an effect."""
    return {"Medground-Ignored": wanted.ignored} if wanted.ignored else {}


def problem_in(event: Event, service: Service) -> Problem:
    """Why the last event of a job has no answer."""
    return event.problem or service.problem(NotFound("the work was stopped before there was an answer"))


def kept(answer: Answer) -> chat_messages.Kept:
    """Where all of an answer is."""
    return chat_messages.Kept(trace_id=answer.trace_id, status=answer.decision.status, value=answer.decision.shown())


async def begun(
    wanted: chat_messages.Request,
    messages: Sequence[chat_messages.Message],
    longest: int | None,
    request: Request,
    person: Person,
    service: Service,
) -> tuple[Job, Written]:
    """The job of a request of either API, and what makes the message of its answer."""
    talk = chat_messages.Talk(messages)
    recipe = await _recipe(wanted.model, service)
    follow = await _follow(wanted, talk, service, person)
    job = await service.start(talk.asked(wanted, researches=recipe.researches, follow=follow), person)
    not_read, links = talk.has_earlier and follow is None, wanted.medground.links
    return job, partial(parts_of, base=str(request.base_url), not_read=not_read, longest=longest, links=links)


async def _recipe(name: str, service: Service) -> RecipeOffer:
    recipes = await service.recipes()
    found = next((recipe for recipe in recipes if recipe.name == name), None)
    if found is None:
        known = ", ".join(recipe.name for recipe in recipes)
        said = f"The model {name[:80]!r} does not exist; the models are the recipes {known}."
        raise chat_messages.ChatFailure(said, param="model", code="model_not_found", status=404)
    return found


async def _follow(
    wanted: chat_messages.Request, talk: chat_messages.Talk, service: Service, person: Person
) -> str | None:
    """The answer that the question follows: the one that is named, or the last one of the conversation, if kept."""
    if wanted.medground.follow is not None:
        return (await service.answer(wanted.medground.follow, person)).trace_id
    if (name := talk.earlier_answer) is None:
        return None
    try:
        return (await service.answer(name, person)).trace_id
    except NotFound:
        return None
