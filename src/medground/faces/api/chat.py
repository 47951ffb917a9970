"""The chat endpoint, as clients of OpenAI call it: recipes are models, and the answer is a message with citations."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import aclosing
from typing import Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from fastapi.sse import format_sse_event
from pydantic import BaseModel
from starlette.responses import Response, StreamingResponse

from medground.answering import captions
from medground.corpus.retraction import why_aside
from medground.errors import MedgroundError, NotFound
from medground.faces.api import chat_messages
from medground.faces.api.caller import Caller, Served, service_of
from medground.faces.api.middleware import respond, while_there
from medground.faces.api.questions import HEADERS, HEARTBEAT, paced
from medground.faces.service.job import Job
from medground.faces.service.offers import RecipeOffer
from medground.faces.service.service import Service
from medground.faces.service.values import TEXTS, Event, Person, Problem
from medground.home.layers import wrong_values
from medground.language.clean import clean, ended
from medground.values.answer import Answer, SourceDocument
from medground.values.evidence import Evidence
from medground.values.steps import Written
from medground.wording.markup import Mark, chat_pieces
from medground.wording.view_types import taken

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
                return _response(400, wrong(error.errors()))
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


def wrong(errors: Sequence[Mapping[str, Any]]) -> chat_messages.ErrorReply:
    """The wrong fields of a request; a parameter that has no effect here is named."""
    first = errors[0]
    names = [str(part) for part in first["loc"][1:]]
    param = ".".join(name[:60] for name in names) or None
    top = names[0] if names else ""
    instead = f" {other}" if (other := TEXTS["instead"].get(top)) else ""
    if first["type"] == "extra_forbidden":
        said = f"Unsupported parameter: '{param}' has no effect here. Leave it out.{instead}"
        return _error(400, said, param, "unsupported_parameter")
    if top in chat_messages.ONLY_DEFAULT:
        said = f"Unsupported value: '{top}' accepts only its default. Leave it out.{instead}"
        return _error(400, said, top, "unsupported_value")
    return _error(400, wrong_values(errors), param, None)


def _error(status: int, said: str, param: str | None, code: str | None) -> chat_messages.ErrorReply:
    kind = _TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
    return chat_messages.ErrorReply(error=chat_messages.ErrorBody(message=said, type=kind, param=param, code=code))


def _response(status: int, reply: chat_messages.ErrorReply, headers: Mapping[str, str] | None = None) -> Response:
    sent = {**(headers or {}), "Cache-Control": "no-store"}
    return Response(reply.model_dump_json(), status_code=status, media_type="application/json", headers=sent)


router = APIRouter(prefix="/v1", tags=["chat"], route_class=ChatRoute)

_FAILURES: dict[int | str, dict[str, Any]] = {
    status: {"model": chat_messages.ErrorReply} for status in (400, 401, 404, 409, 422, 429, 500, 502, 503, 504, 507)
}
_CHUNKS: dict[str, Any] = {
    "text/event-stream": {"schema": {"type": "string", "description": "With `stream`: chunks, and last `[DONE]`."}}
}


@router.post(
    "/chat/completions",
    summary="Ask a question with an OpenAI client",
    response_model=chat_messages.Completion,
    responses={200: {"description": "The answer as a message.", "content": _CHUNKS}, **_FAILURES},
)
async def complete(wanted: chat_messages.ChatRequest, request: Request, person: Caller, service: Served) -> Response:
    """Answer the last message of a conversation.

    Each citation mark of the message has an annotation with the source's address and the citation as it is everywhere
    in Medground. A question after an answer of this endpoint follows that answer. Parameters that would have no effect
    are refused with 400.
    """
    chat_messages.check(wanted)
    recipe = await _recipe(wanted.model, service)
    follow = await _follow(wanted, service, person)
    job = await service.start(chat_messages.asked_by(wanted, researches=recipe.researches, follow=follow), person)
    reply = _Reply(
        job, wanted, base=str(request.base_url), not_read=chat_messages.has_earlier(wanted) and follow is None
    )
    if wanted.stream:
        return StreamingResponse(reply.stream(service), media_type="text/event-stream", headers=HEADERS)
    answer = await while_there(request, job.outcome())
    return Response(reply.whole(answer).model_dump_json(), media_type="application/json")


@router.get("/models", summary="The recipes, as models", responses=_FAILURES)
async def models(person: Caller, service: Served) -> chat_messages.Models:
    """The recipes that a chat can name as its model."""
    return chat_messages.Models(
        data=tuple(chat_messages.Model(id=recipe.name, created=0) for recipe in await service.recipes())
    )


@router.get("/models/{model}", summary="A recipe, as a model", responses=_FAILURES)
async def model(model: str, person: Caller, service: Served) -> chat_messages.Model:
    """One recipe."""
    return chat_messages.Model(id=(await _recipe(model, service)).name, created=0)


class _Reply:
    """The reply to one request.

    Args:
        base: the address of this server, ending with a slash: where a source without an address of its own is read.
        not_read: whether there are earlier messages that were not read.
    """

    def __init__(self, job: Job, wanted: chat_messages.ChatRequest, *, base: str, not_read: bool) -> None:
        self._job = job
        self._wanted = wanted
        self._base = base
        self._not_read = not_read
        self._id = f"chatcmpl-{job.id}"

    def whole(self, answer: Answer) -> chat_messages.Completion:
        """The answer as one completion."""
        pieces = list(chat_pieces(answer, not_read=self._not_read))
        message = chat_messages.ReplyMessage(
            content="".join(piece.text for piece in pieces),
            annotations=self._annotations(answer, [mark for piece in pieces for mark in piece.marks]),
        )
        return chat_messages.Completion(
            id=self._id,
            created=int(answer.created.timestamp()),
            model=answer.recipe,
            choices=(chat_messages.Choice(message=message, finish_reason=_finish(answer)),),
            usage=_usage(answer),
            medground=_kept(answer),
        )

    async def stream(self, service: Service) -> AsyncIterator[bytes]:
        """The chunks of the answer; before them progress as comments, and sentences as they are written."""
        yield self._sent(chat_messages.Delta(role="assistant", content=""))
        async with aclosing(paced(self._job.events(), HEARTBEAT)) as events:
            async for event in events:
                if event is not None and event.is_last:
                    for part in self._ending(event, service):
                        yield part
                    return
                words = " ".join(event.words.split()) if event else "still running"
                if event is not None and isinstance(event.step, Written):
                    yield self._sent(chat_messages.Delta(reasoning_content=f"{words}\n"))
                elif words:
                    yield format_sse_event(comment=words)

    def _ending(self, event: Event, service: Service) -> Iterator[bytes]:
        """What the last event of the job becomes: the answer, also one that a limit cut short, or an error."""
        if (answer := event.answer) is None:
            problem = event.problem or service.problem(NotFound("the work was stopped before there was an answer"))
            yield _event(failed(problem))
        else:
            for piece in chat_pieces(answer, not_read=self._not_read):
                yield self._sent(
                    chat_messages.Delta(content=piece.text, annotations=self._annotations(answer, piece.marks) or None)
                )
            last = chat_messages.ChunkChoice(delta=chat_messages.Delta(), finish_reason=_finish(answer))
            yield _event(self._chunk(last, medground=_kept(answer)))
            if self._wanted.with_usage:
                yield _event(self._chunk(usage=_usage(answer)))
        yield format_sse_event(data_str="[DONE]")

    def _sent(self, delta: chat_messages.Delta) -> bytes:
        return _event(self._chunk(chat_messages.ChunkChoice(delta=delta)))

    def _chunk(self, *choices: chat_messages.ChunkChoice, **more: Any) -> chat_messages.Chunk:
        created = int(self._job.created.timestamp())
        return chat_messages.Chunk(id=self._id, created=created, model=self._wanted.model, choices=choices, **more)

    def _annotations(self, answer: Answer, marks: Sequence[Mark]) -> tuple[chat_messages.Annotation, ...]:
        evidence = {one.id: one for one in answer.evidence}
        documents = {one.id: one for one in answer.documents}
        found = ((mark, evidence[mark.evidence_id]) for mark in marks)
        return tuple(_annotation(mark, quoted, documents[quoted.document_id], self._base) for mark, quoted in found)


def _annotation(mark: Mark, quoted: Evidence, document: SourceDocument, base: str) -> chat_messages.Annotation:
    address = captions.address(document)
    own = f"{base}v1/documents/{quote(document.id, safe=':')}"
    title = " ".join(clean(document.title).split()) or document.id
    return chat_messages.Annotation(
        url_citation=chat_messages.UrlCitation(
            url=address if captions.is_web_address(address) else own,
            title=f"RETRACTED: {title}" if why_aside(document) == "retracted" else title,
            start_index=mark.start,
            end_index=mark.end,
            content=clean(quoted.quote),
        ),
        citation=taken(chat_messages.CitedQuote, quoted, evidence_id=quoted.id, state=captions.state(document)),
    )


def _usage(answer: Answer) -> chat_messages.Usage:
    tokens = answer.usage.input_tokens, answer.usage.output_tokens
    return chat_messages.Usage(prompt_tokens=tokens[0], completion_tokens=tokens[1], total_tokens=sum(tokens))


def _kept(answer: Answer) -> chat_messages.Kept:
    return chat_messages.Kept(trace_id=answer.trace_id, status=answer.decision.status, value=answer.decision.shown())


def _finish(answer: Answer) -> Literal["length", "stop"]:
    return "length" if answer.stopped else "stop"


def _event(content: BaseModel) -> bytes:
    return format_sse_event(data_str=content.model_dump_json(exclude_none=True))


async def _recipe(name: str, service: Service) -> RecipeOffer:
    recipes = await service.recipes()
    found = next((recipe for recipe in recipes if recipe.name == name), None)
    if found is None:
        known = ", ".join(recipe.name for recipe in recipes)
        said = f"The model {name[:80]!r} does not exist; the models are the recipes {known}."
        raise chat_messages.ChatFailure(said, param="model", code="model_not_found", status=404)
    return found


async def _follow(wanted: chat_messages.ChatRequest, service: Service, person: Person) -> str | None:
    """The answer that the question follows: the one that is named, or the last one of the conversation, if kept."""
    if wanted.medground.follow is not None:
        return (await service.answer(wanted.medground.follow, person)).trace_id
    if (name := chat_messages.earlier_answer(wanted)) is None:
        return None
    try:
        return (await service.answer(name, person)).trace_id
    except NotFound:
        return None
