"""The body of a request: read once, in time, and no larger than allowed."""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers
from starlette.types import Receive

from medground.serving.refusal import Refusal


async def whole_body(receive: Receive, headers: Headers, *, most: int, seconds: float) -> bytes:
    """The body of a request. What is left of a refused one is not read.

    Args:
        receive: of ASGI.
        headers: of the request.
        most: bytes that the body may have.
        seconds: in which all of it must come.

    Raises:
        Refusal: it is too large (413) or too slow (408), or the client left (400).
    """
    check_length(headers, most)
    parts: list[bytes] = []
    total = 0
    try:
        async with asyncio.timeout(seconds):
            more = True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Refusal(400, "the client left before the whole body came")
                total += len(message.get("body", b""))
                if total > most:
                    raise too_large(most)
                parts.append(message.get("body", b""))
                more = message.get("more_body", False)
    except TimeoutError:
        raise Refusal(408, f"the body did not come in {seconds:g} seconds") from None
    return b"".join(parts)


def check_length(headers: Headers, most: int) -> None:
    """Check the length that a client announces.

    Raises:
        Refusal: it is larger than `most` bytes.
    """
    length = headers.get("content-length", "")
    if length.isascii() and length.isdigit() and int(length) > most:
        raise too_large(most)


def too_large(most: int) -> Refusal:
    """The refusal of a body with more than `most` bytes."""
    return Refusal(413, f"a body may have at most {most:,} bytes here")
