"""Each error as `application/problem+json` (RFC 9457), also those of the framework.

What an error of Medground means to a client is said in `service/values.py`. Here are the errors that only HTTP has.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import Scope

from medground.errors import MedgroundError
from medground.faces.service.values import INTERNAL, Problem, problem_of
from medground.faces.serving import Refusal
from medground.home.layers import wrong_values

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
_PREFIX = "urn:medground:problem:"

_OF_STATUS: Mapping[int, tuple[str, str, str]] = {
    400: ("bad-request", "The request cannot be read", "Change the request."),
    403: ("refused", "The request is refused", "Change the request."),
    404: ("not-found", "Not found", "Check the address; /openapi.json lists all of them."),
    405: ("method", "This address does not take this method", "Use a method of the header Allow."),
    408: ("slow-request", "The request came too slowly", "Send it again at once."),
    413: ("too-large", "The request is too large", "Send less."),
    415: ("media-type", "The body has a type that is not taken here", "Send JSON with Content-Type: application/json."),
    421: ("host", "The server has another name", "Use its own name, or add this one to the setting serve.hosts."),
    422: ("usage", "Invalid request", "Correct the request."),
    503: ("busy", "The server is busy", "Wait, then send the request again."),
    504: ("slow-answer", "The answer took too long", "Start a job with POST /v1/jobs, and follow its events."),
}


def problem_for(status: int, detail: str, *, retry_after: int | None = None) -> Problem:
    """A problem of HTTP itself, by its status."""
    name, title, step = _OF_STATUS.get(status, _OF_STATUS[400] if status < 500 else _OF_STATUS[503])
    return Problem(type=_PREFIX + name, title=title, status=status, detail=detail, next=step, retry_after=retry_after)


def respond(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """A problem as a response, with `Retry-After` and `WWW-Authenticate` where they belong."""
    sent = dict(headers or {})
    if problem.retry_after is not None:
        sent["Retry-After"] = str(problem.retry_after)
    if problem.status == 401:
        sent["WWW-Authenticate"] = "Bearer"
    sent["Cache-Control"] = "no-store"
    return Response(
        problem.model_dump_json(exclude_none=True), status_code=problem.status, media_type=MEDIA_TYPE, headers=sent
    )


def refused(refusal: Refusal, scope: Scope | None = None) -> Response:
    """What the server refuses by itself, as a response."""
    return respond(problem_for(refusal.status, refusal.detail, retry_after=refusal.retry_after))


def add_handlers(app: FastAPI, hide: Sequence[str]) -> None:
    """Let an app answer each error with a problem. `hide`: texts that stay on the server."""

    async def of_medground(request: Request, error: Exception) -> Response:
        assert isinstance(error, MedgroundError)
        return respond(problem_of(error, hide))

    async def of_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        headers = {"Allow": _allowed(request)} if error.status_code == 405 else error.headers
        return respond(problem_for(error.status_code, _said(error, request)), headers)

    async def of_values(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return respond(problem_for(422, wrong_values(error.errors())))

    async def of_anything(request: Request, error: Exception) -> Response:
        return respond(INTERNAL)  # the server logs the traceback

    app.add_exception_handler(MedgroundError, of_medground)
    app.add_exception_handler(HTTPException, of_http)
    app.add_exception_handler(RequestValidationError, of_values)
    app.add_exception_handler(Exception, of_anything)


def _allowed(request: Request) -> str:
    """The methods of an address; several routes may share it, and the framework names those of the first."""
    routes = [route for route in request.app.routes if route.matches(request.scope)[0] != Match.NONE]
    return ", ".join(sorted({method for route in routes for method in getattr(route, "methods", None) or ()}))


def _said(error: HTTPException, request: Request) -> str:
    match error.status_code:
        case 404:
            return "there is nothing at this address"
        case 405:
            return f"{request.method[:20]} is not a method of this address"
        case _:
            return str(error.detail)
