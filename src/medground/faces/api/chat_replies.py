"""Replies as clients of OpenAI read them: an answer as a message with citations, whole or in chunks, and errors."""

import json
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from time import time
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import quote
from uuid import uuid4

from fastapi import Request
from fastapi.sse import format_sse_event
from pydantic import BaseModel
from starlette.responses import JSONResponse, Response, StreamingResponse

from medground.answering import captions
from medground.corpus.retraction import why_aside
from medground.errors import NotFound
from medground.faces.api.chat_messages import (
    Annotation,
    ChatRequest,
    Choice,
    CitedQuote,
    Completion,
    ErrorBody,
    ErrorReply,
    Kept,
    ReplyMessage,
    UrlCitation,
    Usage,
)
from medground.faces.api.chat_messages import Request as ModelRequest
from medground.faces.api.middleware import while_there
from medground.faces.api.questions import HEADERS, HEARTBEAT, paced
from medground.faces.service.job import Job
from medground.faces.service.service import Service
from medground.faces.service.values import Problem
from medground.language.clean import clean, ended, joined
from medground.values import steps
from medground.values.answer import Answer
from medground.wording.markup import Mark, chat_pieces, escaped
from medground.wording.view_types import taken

_CHARACTERS = 4
"""Of a token, about."""
_DONE = format_sse_event(data_str="[DONE]")


class Part(NamedTuple):
    """Some of the message, and its annotations; their offsets are those in the whole message."""

    text: str
    annotations: tuple[Annotation, ...] = ()


Written = Callable[[Answer], list[Part]]
"""Makes the message of an answer."""
W = TypeVar("W", bound=ModelRequest)
_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
_CODES = {401: "invalid_api_key", 429: "rate_limit_exceeded"}


def failed(problem: Problem) -> ErrorReply:
    """A problem as an error of OpenAI."""
    status = status_of(problem)
    notice = f"{problem.notice.sentence} " if problem.notice else ""
    said = f"{notice}{ended(problem.detail)} {problem.next}"
    return error_reply(status, said, code=_CODES.get(status, problem.type.rpartition(":")[2]))


def status_of(problem: Problem) -> int:
    """A request that cannot be used is 400 there."""
    return 400 if problem.status == 422 else problem.status


def error_reply(status: int, said: str, param: str | None = None, code: str | None = None) -> ErrorReply:
    kind = _TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
    return ErrorReply(error=ErrorBody(message=said, type=kind, param=param, code=code))


class Reply(ABC, Generic[W]):
    """The reply to one request of either API; without a job it is no answer."""

    def __init__(self, wanted: W, job: Job | None = None) -> None:
        self._wanted = wanted
        self._name = job.id if job else uuid4().hex
        self._created = int(job.told.created.timestamp() if job else time())

    @abstractmethod
    def spoken(self, text: str, function: str) -> Response:
        """The reply that has this text, or that calls a function with it: nothing was asked, and nothing is kept."""

    async def response(self, job: Job, written: Written, request: Request, service: Service) -> Response:
        """The whole answer, or its events; a header names what was sent without an effect."""
        headers = {"Medground-Ignored": self._wanted.ignored} if self._wanted.ignored else {}
        if self._wanted.stream:
            sent = HEADERS | headers
            return StreamingResponse(self._events(job, written, service), media_type="text/event-stream", headers=sent)
        answer = await while_there(request, job.outcome())
        whole = self.whole(answer, written(answer))
        return Response(whole.model_dump_json(), media_type="application/json", headers=headers)

    async def _events(self, job: Job, written: Written, service: Service) -> AsyncIterator[bytes]:
        """The events of the answer; before its text, progress as comments."""
        for part in self.events(None):
            yield part
        async with aclosing(paced(job.events(), HEARTBEAT)) as events:
            async for event in events:
                if event is not None and event.is_last:
                    stopped = NotFound("the work was stopped before there was an answer")
                    told = event.answer or failed(event.problem or service.problem(stopped))
                    for part in self.events(told, written(event.answer) if event.answer else ()):
                        yield part
                    return
                words = " ".join(event.words.split()) if event else "still running"
                if event is not None and isinstance(event.step, steps.Written):
                    for part in self.events(words):
                        yield part
                elif words:
                    yield format_sse_event(comment=words)

    @abstractmethod
    def whole(self, answer: Answer, parts: Sequence[Part]) -> BaseModel:
        """The answer, whose message has these parts, as one reply."""

    @abstractmethod
    def events(self, told: Answer | ErrorReply | str | None, parts: Sequence[Part] = ()) -> Iterator[bytes]:
        """The events of the beginning (None), of a sentence that is not checked yet, of the answer or the error."""


class ChatReply(Reply[ChatRequest]):
    """A completion, or its chunks."""

    def spoken(self, text: str, function: str) -> Response:
        """The message, or the call, as one completion or one chunk."""
        said: dict[str, Any] = {"role": "assistant", "content": None if function else text}
        if function:
            called = {"name": function, "arguments": text}
            said["tool_calls"] = [{"index": 0, "id": f"call_{self._name}", "type": "function", "function": called}]
        finish = "tool_calls" if function else "stop"
        if self._wanted.stream:
            return Response(self._sent(said, finish) + _DONE, media_type="text/event-stream", headers=HEADERS)
        choice = {"index": 0, "message": said, "finish_reason": finish}
        return JSONResponse({**self._named("chat.completion"), "choices": [choice]})

    def whole(self, answer: Answer, parts: Sequence[Part]) -> Completion:
        """The answer as one completion."""
        message = ReplyMessage(
            content="".join(part.text for part in parts),
            annotations=tuple(annotation for part in parts for annotation in part.annotations),
        )
        return Completion(
            id=f"chatcmpl-{self._name}",
            created=self._created,
            model=answer.recipe,
            choices=(Choice(message=message, finish_reason="length" if is_cut(answer, parts) else "stop"),),
            usage=_usage(answer),
            medground=kept(answer),
        )

    def events(self, told: Answer | ErrorReply | str | None, parts: Sequence[Part] = ()) -> Iterator[bytes]:
        """Chunks; a sentence that is not checked yet stands apart from the message."""
        if told is None:
            yield self._sent({"role": "assistant", "content": ""})
        elif isinstance(told, str):
            yield self._sent({"reasoning_content": f"{told}\n"})
        elif isinstance(told, Answer):
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
            yield _DONE
        else:
            yield format_sse_event(data_str=told.model_dump_json(exclude_none=True))
            yield _DONE

    def _sent(self, delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
        return self._chunk(choices=[{"index": 0, "delta": delta, "finish_reason": finish}], **more)

    def _chunk(self, **more: Any) -> bytes:
        return format_sse_event(data_str=json.dumps(self._named("chat.completion.chunk") | more))

    def _named(self, kind: str) -> dict[str, Any]:
        return {"id": f"chatcmpl-{self._name}", "object": kind, "created": self._created, "model": self._wanted.model}


def _usage(answer: Answer) -> Usage:
    tokens = answer.usage.input_tokens, answer.usage.output_tokens
    return Usage(prompt_tokens=tokens[0], completion_tokens=tokens[1], total_tokens=sum(tokens))


def kept(answer: Answer) -> Kept:
    """Where all of an answer is."""
    return Kept(trace_id=answer.trace_id, status=answer.decision.status, value=answer.decision.shown())


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

    def annotation(mark: Mark) -> Annotation:
        quoted = evidence[mark.evidence_id]
        document = documents[quoted.document_id]
        address, title = captions.address(document), joined(document.title) or document.id
        return Annotation(
            url_citation=UrlCitation(
                url=address
                if captions.is_web_address(address)
                else f"{base}v1/documents/{quote(document.id, safe=':')}",
                title=f"RETRACTED: {title}" if why_aside(document) == "retracted" else title,
                start_index=mark.start,
                end_index=mark.end,
                content=clean(quoted.quote),
            ),
            citation=taken(CitedQuote, quoted, evidence_id=quoted.id, state=captions.state(document)),
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


def _links(annotations: Iterable[Annotation]) -> str:
    named = ((annotation.citation.evidence_id, annotation.url_citation) for annotation in annotations)
    return "\n\n**Citations**\n" + "".join(
        f"\n- [{name}: {escaped(cited.title)}](<{cited.url}>)" for name, cited in named
    )
