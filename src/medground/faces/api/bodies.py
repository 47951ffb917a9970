"""The body of a request: read once, in time, no larger than allowed, and only as JSON that is cheap to parse.

An upload (`multipart/form-data`) is passed on as it comes, counted against its own limit.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from pydantic_core import from_json
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from medground.faces.api.problems import refused
from medground.serving.bodies import check_length, too_large, whole_body
from medground.serving.refusal import Refusal

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
