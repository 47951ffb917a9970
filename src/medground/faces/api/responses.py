"""The same answers for OpenAI's newer API, `POST /v1/responses`: one message with citations, whole or as events."""

import json
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from fastapi.sse import format_sse_event
from pydantic import Field
from starlette.responses import Response

from medground.errors import NotFound
from medground.faces.api import chat
from medground.faces.api.caller import Caller, Served
from medground.faces.api.chat_messages import (
    MOST_CHARACTERS,
    ChatFailure,
    ErrorReply,
    Kept,
    Lenient,
    Longest,
    Message,
    Text,
)
from medground.faces.api.chat_messages import Request as ModelRequest
from medground.faces.api.chat_replies import Part, Reply, is_cut, kept
from medground.faces.api.questions import HEADERS, as_json
from medground.faces.service.job import Job
from medground.faces.service.service import Service
from medground.faces.service.values import Person
from medground.values.answer import Answer
from medground.values.document import Frozen

_PREFIX = "resp_"


class Item(Lenient):
    """A message of a conversation; items of other types (calls of tools, reasoning) are not read."""

    role: Literal["system", "developer", "user", "assistant"] | None = None
    content: Text | None = None


class ResponsesRequest(ModelRequest):
    """A request for a response."""

    input: Annotated[str, Field(max_length=MOST_CHARACTERS)] | Annotated[tuple[Item, ...], Field(max_length=1_000)]
    instructions: str | None = Field(default=None, max_length=MOST_CHARACTERS)
    max_output_tokens: Longest = None
    metadata: dict[str, str] | None = Field(default=None, max_length=16)
    previous_response_id: str | None = Field(default=None, max_length=100)
    """the response, of the last hour, that the question follows"""

    @property
    def messages(self) -> tuple[Message, ...]:
        """Instructions and input as messages."""
        given = (Item(role="user", content=self.input),) if isinstance(self.input, str) else self.input
        first = (Message(role="system", content=self.instructions),) if self.instructions else ()
        return (*first, *(Message(role=one.role, content=one.content) for one in given if one.role))


class ResponseReply(Frozen):
    """A response: one message of one text, in OpenAI's form."""

    id: str
    object: Literal["response"] = "response"
    created_at: int
    status: Literal["in_progress", "completed", "incomplete", "failed"] = "in_progress"
    model: str
    output: tuple[dict[str, Any], ...] = ()
    error: dict[str, Any] | None = None
    incomplete_details: dict[str, str] | None = None
    instructions: str | None = None
    metadata: dict[str, str] | None = None
    parallel_tool_calls: bool = False
    previous_response_id: str | None = None
    temperature: float | None = None
    tool_choice: Literal["none"] = "none"
    tools: tuple[()] = ()
    top_p: float | None = None
    usage: dict[str, Any] | None = None
    medground: Kept | None = None


router = APIRouter(prefix="/v1", tags=["chat"], route_class=chat.ChatRoute)


@router.post(
    "/responses",
    summary="Ask a question with an OpenAI client (Responses API)",
    response_model=ResponseReply,
    responses={200: {"description": "The answer as a response.", "content": chat.CHUNKS}, **chat.FAILURES},
)
async def respond(wanted: ResponsesRequest, request: Request, person: Caller, service: Served) -> Response:
    """Answer the last message of the input, as `POST /v1/chat/completions` does.

    `instructions` and system messages are not followed; a question with `previous_response_id` follows that
    answer. Parameters that have no effect are named in the header `Medground-Ignored`.
    """
    if wanted.previous_response_id is not None:
        own = wanted.medground.replace(follow=await _trace_id(wanted, service, person))
        wanted = wanted.model_copy(update={"medground": own})
    return await chat.replied(_Reply, wanted, wanted.messages, wanted.max_output_tokens, request, person, service)


async def _trace_id(wanted: ResponsesRequest, service: Service, person: Person) -> str:
    """The answer of an earlier response."""
    name = (wanted.previous_response_id or "").removeprefix(_PREFIX)
    try:
        found = (await service.jobs.find(name, person.id)).trace_id
    except NotFound:
        found = None
    if found is None:
        said = "The response is not known here any more: send its messages again, or its answer as medground.follow."
        raise ChatFailure(said, param="previous_response_id", code="previous_response_not_found", status=404)
    return found


class _Reply(Reply[ResponsesRequest]):
    """A response, or its events."""

    def __init__(self, wanted: ResponsesRequest, job: Job | None = None) -> None:
        super().__init__(wanted, job)
        self._item = f"msg_{self._name}"
        self._numbers = count()
        self._begun = ResponseReply(
            id=f"{_PREFIX}{self._name}",
            created_at=self._created,
            model=wanted.model,
            instructions=wanted.instructions,
            metadata=wanted.metadata or {},
            previous_response_id=wanted.previous_response_id,
        )

    def spoken(self, text: str, function: str) -> Response:
        """The message, or the call, as one response or its events."""
        item, said = self._message(_text([Part(text)])), self._said([Part(text)])
        if function:
            item = {"type": "function_call", "id": f"fc_{self._name}", "call_id": f"call_{self._name}"}
            item |= {"name": function, "arguments": text, "status": "completed"}
            said = self._called(item)
        whole = self._begun.replace(status="completed", output=(item,))
        if not self._wanted.stream:
            return as_json(whole)
        events = [*self.events(None), *said, self._event("response.completed", response=whole.model_dump())]
        return Response(b"".join(events), media_type="text/event-stream", headers=HEADERS)

    def whole(self, answer: Answer, parts: Sequence[Part]) -> ResponseReply:
        """The answer as one response."""
        read, made = answer.usage.input_tokens, answer.usage.output_tokens
        why = "max_output_tokens" if is_cut(answer, parts) else None
        return self._begun.replace(
            status="incomplete" if why else "completed",
            incomplete_details={"reason": why} if why else None,
            output=(self._message(_text(parts)),),
            usage={
                "input_tokens": read,
                "input_tokens_details": {"cached_tokens": answer.usage.server_cached_tokens},
                "output_tokens": made,
                "output_tokens_details": {"reasoning_tokens": answer.usage.reasoning_tokens},
                "total_tokens": read + made,
            },
            medground=kept(answer),
        )

    def events(self, told: Answer | ErrorReply | str | None, parts: Sequence[Part] = ()) -> Iterator[bytes]:
        """Events as OpenAI's clients read them."""
        if told is None:
            for kind in ("response.created", "response.in_progress"):
                yield self._event(kind, response=self._begun.model_dump())
        elif isinstance(told, str):
            yield format_sse_event(comment=told)
        elif isinstance(told, Answer):
            yield from self._said(parts)
            whole = self.whole(told, parts)
            yield self._event(f"response.{whole.status}", response=whole.model_dump())
        else:
            error = {"code": told.error.code or "server_error", "message": told.error.message}
            failed = self._begun.replace(status="failed", error=error)
            yield self._event("response.failed", response=failed.model_dump())

    def _said(self, parts: Sequence[Part]) -> Iterator[bytes]:
        """The events of a message."""
        text = _text(parts)
        here = {"item_id": self._item, "output_index": 0, "content_index": 0}
        begun = {**self._message(_text([])), "status": "in_progress", "content": []}
        yield self._event("response.output_item.added", output_index=0, item=begun)
        yield self._event("response.content_part.added", **here, part=_text([]))
        numbers = count()
        for part in parts:
            yield self._event("response.output_text.delta", **here, delta=part.text, logprobs=[])
            for one, number in zip(part.annotations, numbers, strict=False):
                cited = {"annotation_index": number, "annotation": one.flat()}
                yield self._event("response.output_text.annotation.added", **here, **cited)
        yield self._event("response.output_text.done", **here, text=text["text"], logprobs=[])
        yield self._event("response.content_part.done", **here, part=text)
        yield self._event("response.output_item.done", output_index=0, item=self._message(text))

    def _called(self, item: dict[str, Any]) -> Iterator[bytes]:
        """The events of the call of a function."""
        called = {"item_id": item["id"], "output_index": 0, "arguments": item["arguments"]}
        yield self._event("response.output_item.added", output_index=0, item=item)
        yield self._event("response.function_call_arguments.done", **called)
        yield self._event("response.output_item.done", output_index=0, item=item)

    def _message(self, text: dict[str, Any]) -> dict[str, Any]:
        return {"id": self._item, "type": "message", "role": "assistant", "status": "completed", "content": [text]}

    def _event(self, kind: str, **more: Any) -> bytes:
        event = {"type": kind, "sequence_number": next(self._numbers), **more}
        return format_sse_event(data_str=json.dumps(event), event=kind)


def _text(parts: Sequence[Part]) -> dict[str, Any]:
    annotations = [annotation.flat() for part in parts for annotation in part.annotations]
    return {"type": "output_text", "text": "".join(part.text for part in parts), "annotations": annotations}
