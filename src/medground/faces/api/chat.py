"""The chat endpoint, as clients of OpenAI call it: recipes are models, and the answer is a message with citations."""

import json
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from time import time
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import quote
from uuid import uuid4

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from fastapi.sse import format_sse_event
from pydantic import BaseModel
from starlette.responses import JSONResponse, Response, StreamingResponse

from medground.answering import captions
from medground.corpus.retraction import why_aside
from medground.errors import MedgroundError, NotFound
from medground.faces.api import chat_messages
from medground.faces.api.caller import Caller, Served, service_of
from medground.faces.api.middleware import PROBLEMS, respond, while_there
from medground.faces.api.questions import HEADERS, HEARTBEAT, paced
from medground.faces.service.job import Job
from medground.faces.service.offers import RecipeOffer
from medground.faces.service.service import Service
from medground.faces.service.values import Person, Problem
from medground.home.layers import wrong_values
from medground.language.clean import clean, ended, joined
from medground.values import steps
from medground.values.answer import Answer
from medground.wording.markup import Mark, chat_pieces, escaped
from medground.wording.view_types import taken

_CHARACTERS = 4
"""Of a token, about."""


class Part(NamedTuple):
    """Some of the message, and its annotations; their offsets are those in the whole message."""

    text: str
    annotations: tuple[chat_messages.Annotation, ...] = ()


Written = Callable[[Answer], list[Part]]
"""Makes the message of an answer."""
W = TypeVar("W", bound=chat_messages.Request)
R = TypeVar("R")
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
    statuses: {**problem, "content": dict(problem["content"]), "model": chat_messages.ErrorReply}
    for statuses, problem in PROBLEMS.items()
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
    in Medground. A question after an answer of this endpoint follows that answer. System messages are not followed.
    What clients order of a conversation, such as a title, is replied to without asking. Parameters that have no effect
    are named in the header `Medground-Ignored`.
    """
    if (done := chat_messages.Talk(wanted.messages).reply) is not None:
        return _spoken(wanted, done)
    reply = await begun(_Reply, wanted, wanted.messages, wanted.longest, request, person, service)
    return await reply.response(request, service)


def _spoken(wanted: chat_messages.ChatRequest, text: str) -> Response:
    """A reply that is no answer: nothing was asked for it, and nothing is kept of it."""
    kind, part = ("chat.completion.chunk", "delta") if wanted.stream else ("chat.completion", "message")
    reply = {
        "id": f"chatcmpl-{uuid4().hex}",
        "object": kind,
        "created": int(time()),
        "model": wanted.model,
        "choices": [{"index": 0, part: {"role": "assistant", "content": text}, "finish_reason": "stop"}],
    }
    if not wanted.stream:
        return JSONResponse(reply)
    events = format_sse_event(data_str=json.dumps(reply)) + format_sse_event(data_str="[DONE]")
    return Response(events, media_type="text/event-stream", headers=HEADERS)


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


class Reply(ABC, Generic[W]):
    """The reply to one request of either API, whose message `written` makes of the answer."""

    def __init__(self, job: Job, wanted: W, written: Written) -> None:
        self._job, self._wanted, self._written = job, wanted, written
        self._created = int(job.told.created.timestamp())

    async def response(self, request: Request, service: Service) -> Response:
        """The whole answer, or its events; a header names what was sent without an effect."""
        headers = {"Medground-Ignored": self._wanted.ignored} if self._wanted.ignored else {}
        if self._wanted.stream:
            sent = {**HEADERS, **headers}
            return StreamingResponse(self._events(service), media_type="text/event-stream", headers=sent)
        answer = await while_there(request, self._job.outcome())
        whole = self.whole(answer, self._written(answer))
        return Response(whole.model_dump_json(), media_type="application/json", headers=headers)

    async def _events(self, service: Service) -> AsyncIterator[bytes]:
        """The events of the answer; before its text, progress as comments."""
        for part in self.events(None):
            yield part
        async with aclosing(paced(self._job.events(), HEARTBEAT)) as events:
            async for event in events:
                if event is not None and event.is_last:
                    stopped = NotFound("the work was stopped before there was an answer")
                    for part in self.events(event.answer or failed(event.problem or service.problem(stopped))):
                        yield part
                    return
                words = " ".join(event.words.split()) if event else "still running"
                if event is not None and isinstance(event.step, steps.Written):
                    for part in self.events(words):
                        yield part
                elif words:
                    yield format_sse_event(comment=words)

    @abstractmethod
    def whole(self, answer: Answer, parts: list[Part]) -> BaseModel:
        """The answer, whose message has these parts, as one reply."""

    @abstractmethod
    def events(self, told: Answer | chat_messages.ErrorReply | str | None) -> Iterator[bytes]:
        """The events of the beginning (None), of a sentence that is not checked yet, of the answer or the error."""


class _Reply(Reply[chat_messages.ChatRequest]):
    """A completion, or its chunks."""

    def whole(self, answer: Answer, parts: list[Part]) -> chat_messages.Completion:
        """The answer as one completion."""
        message = chat_messages.ReplyMessage(
            content="".join(part.text for part in parts),
            annotations=tuple(annotation for part in parts for annotation in part.annotations),
        )
        return chat_messages.Completion(
            id=f"chatcmpl-{self._job.id}",
            created=self._created,
            model=answer.recipe,
            choices=(
                chat_messages.Choice(message=message, finish_reason="length" if is_cut(answer, parts) else "stop"),
            ),
            usage=_usage(answer),
            medground=kept(answer),
        )

    def events(self, told: Answer | chat_messages.ErrorReply | str | None) -> Iterator[bytes]:
        """Chunks; a sentence that is not checked yet stands apart from the message."""
        if told is None:
            yield self._sent({"role": "assistant", "content": ""})
        elif isinstance(told, str):
            yield self._sent({"reasoning_content": f"{told}\n"})
        elif isinstance(told, Answer):
            parts = self._written(told)
            for part in parts:
                cited = (
                    {"annotations": [annotation.model_dump() for annotation in part.annotations]}
                    if part.annotations
                    else {}
                )
                yield self._sent({"content": part.text, **cited})
            yield self._sent({}, "length" if is_cut(told, parts) else "stop", medground=kept(told).model_dump())
            if self._wanted.with_usage:
                yield self._chunk(choices=[], usage=_usage(told).model_dump())
            yield format_sse_event(data_str="[DONE]")
        else:
            yield format_sse_event(data_str=told.model_dump_json(exclude_none=True))
            yield format_sse_event(data_str="[DONE]")

    def _sent(self, delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
        return self._chunk(choices=[{"index": 0, "delta": delta, "finish_reason": finish}], **more)

    def _chunk(self, **more: Any) -> bytes:
        named = {"id": f"chatcmpl-{self._job.id}", "object": "chat.completion.chunk", "model": self._wanted.model}
        return format_sse_event(data_str=json.dumps({**named, "created": self._created, **more}))


def _usage(answer: Answer) -> chat_messages.Usage:
    tokens = answer.usage.input_tokens, answer.usage.output_tokens
    return chat_messages.Usage(prompt_tokens=tokens[0], completion_tokens=tokens[1], total_tokens=sum(tokens))


def kept(answer: Answer) -> chat_messages.Kept:
    """Where all of an answer is."""
    return chat_messages.Kept(trace_id=answer.trace_id, status=answer.decision.status, value=answer.decision.shown())


async def begun(
    reply: Callable[[Job, W, Written], R],
    wanted: W,
    messages: Sequence[chat_messages.Message],
    longest: int | None,
    request: Request,
    person: Person,
    service: Service,
) -> R:
    """The reply to a request of either API, whose job is begun."""
    talk = chat_messages.Talk(messages)
    recipe = await _recipe(wanted.model, service)
    follow = await _follow(wanted, talk, service, person)
    job = await service.start(talk.asked(wanted, researches=recipe.researches, follow=follow), person)
    not_read, links = talk.has_earlier and follow is None, wanted.medground.links
    written = partial(parts_of, base=str(request.base_url), not_read=not_read, longest=longest, links=links)
    return reply(job, wanted, written)


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


def parts_of(
    answer: Answer, *, base: str, not_read: bool = False, longest: int | None = None, links: bool = False
) -> list[Part]:
    """The message of an answer.

    Args:
        base: the address of this server, ending with a slash: where a source without an address of its own is read.
        not_read: whether there are earlier messages that were not read.
        longest: most tokens of the message, about; its first line is never cut.
        links: whether its citations come last, as a list of links.
    """
    evidence = {one.id: one for one in answer.evidence}
    documents = {one.id: one for one in answer.documents}

    def annotation(mark: Mark) -> chat_messages.Annotation:
        quoted = evidence[mark.evidence_id]
        document = documents[quoted.document_id]
        address, title = captions.address(document), joined(document.title) or document.id
        return chat_messages.Annotation(
            url_citation=chat_messages.UrlCitation(
                url=address
                if captions.is_web_address(address)
                else f"{base}v1/documents/{quote(document.id, safe=':')}",
                title=f"RETRACTED: {title}" if why_aside(document) == "retracted" else title,
                start_index=mark.start,
                end_index=mark.end,
                content=clean(quoted.quote),
            ),
            citation=taken(chat_messages.CitedQuote, quoted, evidence_id=quoted.id, state=captions.state(document)),
        )

    pieces = chat_pieces(answer, not_read=not_read)
    *parts, last = (Part(piece.text, tuple(map(annotation, piece.marks))) for piece in pieces)
    cited = {one.citation.evidence_id: one for part in parts for one in part.annotations}
    parts = parts if longest is None else list(_within(parts, longest * _CHARACTERS))
    return [*parts, *([Part(_links(cited.values()))] if links and cited else []), last]


_CUT = Part("\n\n- The rest was left out: the message has the length that was asked for.")


def is_cut(answer: Answer, parts: Sequence[Part]) -> bool:
    """Whether the answer stopped before its end, or some of its message was left out for its length."""
    return bool(answer.stopped) or _CUT in parts


def _within(parts: Iterable[Part], most: int) -> Iterator[Part]:
    """The parts up to a number of characters, and all of those up to the decision, which is bold."""
    length, decided = 0, False
    for part in parts:
        length += len(part.text)
        if decided and length > most:
            yield _CUT
            return
        yield part
        decided = decided or part.text.lstrip().startswith("**")


def _links(annotations: Iterable[chat_messages.Annotation]) -> str:
    named = ((annotation.citation.evidence_id, annotation.url_citation) for annotation in annotations)
    return "\n\n**Citations**\n" + "".join(
        f"\n- [{name}: {escaped(cited.title)}](<{cited.url}>)" for name, cited in named
    )
