"""What happens when a client leaves before its answer is there."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from fastapi import Request
from starlette.responses import Response

T = TypeVar("T")


class ClientLeft(Exception):
    """Nobody waits for the response any more."""


async def while_there(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """The result of some work, which is cancelled when the client leaves.

    Raises:
        ClientLeft: it has left.
    """
    working = asyncio.create_task(work)
    leaving = asyncio.create_task(_left(request))
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


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
