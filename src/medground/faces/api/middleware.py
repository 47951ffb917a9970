"""What every request goes through: limits of its body and time, counting, headers."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeVar

from fastapi import Request
from pydantic_core import from_json
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from medground.faces.api.problems import problem_for, refused, respond
from medground.faces.serving import Refusal, check_length, too_large, whole_body

MOST_VALUES = 50_000
"""Values in a body, counted by commas: more would cost time, and no request needs them."""


@dataclass(frozen=True)
class Sizes:
    """Most bytes of a body and of an upload, and the seconds in which a body, or the next part of an upload, comes."""

    body: int
    upload: int
    seconds: float = 20.0


class Bodies:
    """ASGI middleware that hands on only bodies within `Sizes`. The rest of a refused body is not read.

    Of uploads, only addresses in `uploads` take any.
    """

    def __init__(self, app: ASGIApp, sizes: Sizes, uploads: frozenset[str] = frozenset()) -> None:
        self._app = app
        self._sizes = sizes
        self._uploads = uploads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        if "content-length" not in headers and "transfer-encoding" not in headers:
            return await self._app(scope, receive, send)
        try:
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind == "multipart/form-data" and scope["path"] in self._uploads:
                check_length(headers, self._sizes.upload)
                handed_on = _limited(receive, self._sizes)
            else:
                body = await whole_body(receive, headers, most=self._sizes.body, seconds=self._sizes.seconds)
                _check(body, kind)
                handed_on = _replayed(body, receive)
        except Refusal as refusal:
            return await refused(refusal)(scope, receive, send)
        return await self._app(scope, handed_on, send)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """A body that was read already, then what follows it: the client leaving."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return left.pop() if left else await receive()

    return replay


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
            raise HTTPException(408, f"nothing came for {sizes.seconds:g} seconds") from None
        total += len(message.get("body", b""))
        if total > sizes.upload:
            raise HTTPException(413, str(too_large(sizes.upload)))
        ended = not message.get("more_body", False)
        return message

    return limited


def _check(body: bytes, kind: str) -> None:
    """Check that a body is JSON that can be parsed quickly.

    Raises:
        Refusal: it has another type, is not JSON, is nested too deeply, or has too many values or too long a number.
    """
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
    """Nobody waits for the response any more."""


async def while_there(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """The result of some work, which is cancelled when the client leaves.

    Raises:
        ClientLeft: it has left.
    """
    working = asyncio.create_task(work)
    leaving = asyncio.create_task(_has_left(request))
    try:
        await asyncio.wait([working, leaving], return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ClientLeft
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def nobody_there(request: Request, error: Exception) -> Response:
    """A response that nobody reads."""
    return Response(status_code=499)


async def _has_left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


MEDIA_TYPE = "text/plain; version=0.0.4"
_UPPER = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Upper limits of the classes of seconds."""
_METHODS = frozenset(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])


class Requests:
    """Counts requests, and the seconds until their responses began. Each route is one, whatever ids are in its path."""

    def __init__(self) -> None:
        self._count: Counter[tuple[str, str, int]] = Counter()
        self._classes = [0] * (len(_UPPER) + 1)
        self._seconds = 0.0

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        """A response has begun."""
        self._count[method if method in _METHODS else "other", route, status] += 1
        self._classes[next((n for n, upper in enumerate(_UPPER) if seconds <= upper), len(_UPPER))] += 1
        self._seconds += seconds

    def lines(self) -> Iterator[str]:
        """In the text format of Prometheus."""
        yield "# HELP medground_requests_total Responses that began, by route and status."
        yield "# TYPE medground_requests_total counter"
        for (method, route, status), count in sorted(self._count.items()):
            yield f'medground_requests_total{{method="{method}",route="{route}",status="{status}"}} {count}'
        yield "# HELP medground_response_seconds Seconds until a response began."
        yield "# TYPE medground_response_seconds histogram"
        sums = list(accumulate(self._classes))
        for upper, count in zip((*map(str, _UPPER), "+Inf"), sums, strict=True):
            yield f'medground_response_seconds_bucket{{le="{upper}"}} {count}'
        yield f"medground_response_seconds_sum {self._seconds:.6f}"
        yield f"medground_response_seconds_count {sums[-1]}"


class Counted:
    """ASGI middleware that counts each response in `requests`."""

    def __init__(self, app: ASGIApp, requests: Requests, clock: Callable[[], float] = time.perf_counter) -> None:
        self._app = app
        self._requests = requests
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        begun = self._clock()

        async def send_counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                route = getattr(scope.get("route"), "path", "none")
                self._requests.add(scope["method"], route, message["status"], self._clock() - begun)
            await send(message)

        return await self._app(scope, receive, send_counted)


def written(requests: Requests, jobs: Mapping[tuple[str, str], int]) -> str:
    """All figures in the text format of Prometheus. `jobs`: how many there are of each kind in each state."""
    lines = [
        *requests.lines(),
        "# HELP medground_jobs Jobs that are not forgotten, by kind and state.",
        "# TYPE medground_jobs gauge",
        *(f'medground_jobs{{kind="{kind}",state="{state}"}} {count}' for (kind, state), count in sorted(jobs.items())),
    ]
    return "\n".join(lines) + "\n"


class ResponseDeadline:
    """ASGI middleware that cancels a request whose response has not begun after some seconds. Streams go on after that.

    Args:
        seconds: of any request.
        longer: addresses that take another number of seconds, such as those of uploads.
    """

    def __init__(self, app: ASGIApp, seconds: float, longer: dict[str, float] | None = None) -> None:
        self._app = app
        self._seconds = seconds
        self._longer = longer or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        limit = self._longer.get(scope["path"], self._seconds)
        begun = False
        try:
            async with asyncio.timeout(limit) as deadline:

                async def send_begun(message: Message) -> None:
                    nonlocal begun
                    if not begun:
                        begun = True
                        deadline.reschedule(None)
                    await send(message)

                await self._app(scope, receive, send_begun)
        except TimeoutError:
            if begun or not deadline.expired():
                raise
            problem = problem_for(504, f"there was no answer after {limit:g} seconds")
            return await respond(problem)(scope, receive, send)


HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
"""Set where a route sets no such header itself."""


class SecureHeaders:
    """ASGI middleware that adds `HEADERS` to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)

        async def send_secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        return await self._app(scope, receive, send_secured)
