"""Errors of the chat endpoint in OpenAI's form, so that its clients show what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.responses import Response

from medground.errors import MedgroundError
from medground.faces.api.caller import service_of
from medground.faces.api.chat_reply import ErrorBody, ErrorReply
from medground.faces.api.chat_request import ONLY_DEFAULT, ChatFailure
from medground.faces.api.problems import respond
from medground.service.problem import Problem
from medground.text.english import ended
from medground.wrong_values import wrong_values

_TYPES: Mapping[int, str] = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
_SENT = ("retry-after", "www-authenticate")
_CODES: Mapping[int, str] = {401: "invalid_api_key", 429: "rate_limit_exceeded"}
_NEVER_CUT = 'An answer is never cut; `medground.settings` takes limits such as {"budget.tokens": 10000}.'
_INSTEAD: Mapping[str, str] = {
    "max_tokens": _NEVER_CUT,
    "max_completion_tokens": _NEVER_CUT,
    "temperature": "The server chooses how its models answer.",
    "top_p": "The server chooses how its models answer.",
    "seed": "The same question, corpora and settings give the same answer without it.",
    "n": "There is one answer.",
    "tools": "An answer rests on what the server searches; name corpora and sources in `medground`.",
    "functions": "An answer rests on what the server searches; name corpora and sources in `medground`.",
    "web_search_options": "Name what is searched in `medground`, as corpora and sources.",
    "response_format": "GET /v1/answers/{trace_id} gives the answer as JSON.",
    "logprobs": "Each sentence has a verdict in words instead.",
}
"""What a client can do instead of sending a parameter."""


class ChatRoute(APIRoute):
    """A route whose errors are OpenAI's."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            try:
                return await handle(request)
            except ChatFailure as error:
                return _response(error.status, _error(error.status, str(error), error.param, error.code))
            except RequestValidationError as error:
                return _response(400, wrong(error.errors()))
            except MedgroundError as error:
                problem = service_of(request).problem(error)
                sent = {name: value for name, value in respond(problem).headers.items() if name in _SENT}
                return _response(_status(problem), failed(problem), sent)

        return handled


def failed(problem: Problem) -> ErrorReply:
    """A problem as an error of OpenAI."""
    status = _status(problem)
    notice = f"{problem.notice.sentence} " if problem.notice else ""
    said = f"{notice}{ended(problem.detail)} {problem.next}"
    return _error(status, said, None, _CODES.get(status, problem.type.rpartition(":")[2]))


def _status(problem: Problem) -> int:
    """A request that cannot be used is 400 there."""
    return 400 if problem.status == 422 else problem.status


def wrong(errors: Sequence[Mapping[str, Any]]) -> ErrorReply:
    """The wrong fields of a request; a parameter that has no effect here is told by name."""
    first = errors[0]
    names = [str(part) for part in first["loc"][1:]]
    param = ".".join(name[:60] for name in names) or None
    top = names[0] if names else ""
    instead = f" {_INSTEAD[top]}" if top in _INSTEAD else ""
    if first["type"] == "extra_forbidden":
        said = f"Unsupported parameter: '{param}' has no effect here. Leave it out.{instead}"
        return _error(400, said, param, "unsupported_parameter")
    if top in ONLY_DEFAULT:
        said = f"Unsupported value: '{top}' takes its default alone. Leave it out.{instead}"
        return _error(400, said, top, "unsupported_value")
    return _error(400, wrong_values(errors), param, None)


def _error(status: int, said: str, param: str | None, code: str | None) -> ErrorReply:
    kind = _TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
    return ErrorReply(error=ErrorBody(message=said, type=kind, param=param, code=code))


def _response(status: int, reply: ErrorReply, headers: Mapping[str, str] | None = None) -> Response:
    sent = {**(headers or {}), "Cache-Control": "no-store"}
    return Response(reply.model_dump_json(), status_code=status, media_type="application/json", headers=sent)
