"""What every request goes through: limits of body and time, headers, and errors as problems (RFC 9457)."""

import asyncio
import logging
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic_core import from_json
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from medground.errors import MedgroundError
from medground.faces.service.values import PROBLEM, TEXTS, Problem, problem_of
from medground.faces.serving import Refusal, check_length, too_large, whole_body
from medground.home.files import tables
from medground.home.layers import wrong_values

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
_WAIT = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 0}}}
PROBLEMS: Mapping[int | str, dict[str, Any]] = {
    statuses: {
        "description": said,
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        "headers": _WAIT,
    }
    for statuses, said in TEXTS["problems"].items()
}
"""How the errors of each address are described."""


def problem_for(status: int, detail: str, *, retry_after: int | None = None) -> Problem:
    """A problem of HTTP itself, by its status."""
    known = TEXTS["http"]
    name, title, step = known.get(str(status), known["400" if status < 500 else "503"])
    return Problem(type=PROBLEM + name, title=title, status=status, detail=detail, next=step, retry_after=retry_after)


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

    @app.exception_handler(MedgroundError)
    async def of_medground(request: Request, error: MedgroundError) -> Response:
        return respond(problem_of(error, hide))

    @app.exception_handler(HTTPException)
    async def of_http(request: Request, error: HTTPException) -> Response:
        headers = {"Allow": _allowed(request)} if error.status_code == 405 else error.headers
        ours = {404: "there is nothing at this address", 405: f"{request.method[:20]} is not a method of this address"}
        return respond(problem_for(error.status_code, ours.get(error.status_code, str(error.detail))), headers)

    @app.exception_handler(RequestValidationError)
    async def of_values(request: Request, error: RequestValidationError) -> Response:
        return respond(problem_for(422, wrong_values(error.errors())))

    @app.exception_handler(ClientLeft)
    async def nobody_there(request: Request, error: ClientLeft) -> Response:
        return Response(status_code=499)  # it is not read


def _allowed(request: Request) -> str:
    """The methods of an address; several routes may share it, and the framework names those of the first."""
    routes = [route for route in request.app.routes if route.matches(request.scope)[0] != Match.NONE]
    return ", ".join(sorted({method for route in routes for method in getattr(route, "methods", None) or ()}))


MOST_VALUES = 50_000
"""Values in a body, counted by commas: more would cost time, and no request needs them."""


@dataclass(frozen=True)
class Sizes:
    """Most bytes of a body and of an upload, and the seconds in which a body, or the next part of an upload, comes."""

    body: int
    upload: int
    seconds: float = 20.0


def path_of(scope: Scope) -> str:
    """The address of a request below the prefix that the app is mounted at."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


@dataclass
class Traced:
    """ASGI middleware that puts a request below the span that its `traceparent` names, unless the host has a span."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope) if scope["type"] == "http" else Headers()
        with suppress(ImportError):  # without OpenTelemetry no client sends one that matters
            if "traceparent" in headers:
                from opentelemetry import context, propagate, trace

                if not trace.get_current_span().get_span_context().is_valid:
                    context.attach(propagate.extract(dict(headers)))
        await self.app(scope, receive, send)


@dataclass
class Bodies:
    """ASGI middleware that hands on only bodies within `Sizes`. The rest of a refused body is not read.

    Of uploads, only addresses in `uploads` take any.
    """

    app: ASGIApp
    sizes: Sizes
    uploads: frozenset[str] = frozenset()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        headers = Headers(scope=scope)
        if "content-length" not in headers and "transfer-encoding" not in headers:
            return await self.app(scope, receive, send)
        path = path_of(scope)
        try:
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind == "multipart/form-data" and path in self.uploads:
                check_length(headers, self.sizes.upload)
                handed_on = _limited(receive, self.sizes)
            else:
                body = await whole_body(receive, headers, most=self.sizes.body, seconds=self.sizes.seconds)
                _check(body, kind)
                read: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

                async def replay() -> Message:
                    return read.pop() if read else await receive()  # what follows a body: the client leaving

                handed_on = replay

        except Refusal as refusal:
            return await refused(refusal)(scope, receive, send)
        return await self.app(scope, handed_on, send)


def _limited(receive: Receive, sizes: Sizes) -> Receive:
    """A body as it comes, with its limits of size and of waiting."""
    total, ended = 0, False

    async def limited() -> Message:
        nonlocal total, ended
        if ended:
            return await receive()
        try:
            async with asyncio.timeout(sizes.seconds):
                message = await receive()
        except TimeoutError:
            raise HTTPException(408, f"no data arrived for {sizes.seconds:g} seconds") from None
        total += len(message.get("body", b""))
        if total > sizes.upload:
            raise HTTPException(413, str(too_large(sizes.upload)))
        ended = not message.get("more_body", False)
        return message

    return limited


def _check(body: bytes, kind: str) -> None:
    """Refuse what is no JSON that can be parsed quickly: nested deeply, of many values, with a long number."""
    if not body:
        return
    if kind != "application/json":
        raise Refusal(415, "the body must be JSON, with Content-Type: application/json")
    if body.count(b",") > MOST_VALUES:
        raise Refusal(413, f"the body has more than {MOST_VALUES:,} values")
    try:
        from_json(body, allow_inf_nan=False)  # has limits of its own: 200 levels, and 4,300 digits
    except ValueError as error:
        raise Refusal(400, f"the body is not JSON that can be read: {error}") from None


T = TypeVar("T")


class ClientLeft(Exception):
    """The response is no longer awaited."""


async def while_there(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """The result of some work, which is cancelled when the client leaves; then `ClientLeft` is raised."""

    async def left() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    working = asyncio.create_task(work)
    leaving = asyncio.create_task(left())
    try:
        await asyncio.wait([working, leaving], return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ClientLeft
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


@dataclass
class ResponseDeadline:
    """ASGI middleware that cancels a request whose response has not begun after some seconds. Streams go on after that.

    `longer`: addresses that take another number of seconds, such as those of uploads.
    """

    app: ASGIApp
    seconds: float
    longer: Mapping[str, float]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        limit = self.longer.get(path_of(scope), self.seconds)
        begun = False
        try:
            async with asyncio.timeout(limit) as deadline:

                async def send_begun(message: Message) -> None:
                    nonlocal begun
                    if not begun:
                        begun = True
                        deadline.reschedule(None)
                    await send(message)

                await self.app(scope, receive, send_begun)
        except TimeoutError:
            if begun or not deadline.expired():
                raise
            problem = problem_for(504, f"no answer after {limit:g} seconds")
            return await respond(problem)(scope, receive, send)


HEADERS: Mapping[str, str] = tables("faces/api", "headers")["headers"]
"""Set where a route sets no such header itself."""


def secured(scope: Scope, message: Message, seconds: float) -> None:
    """Add `HEADERS` to a response."""
    headers = MutableHeaders(scope=message)
    for name, value in HEADERS.items():
        headers.setdefault(name, value)
