"""The events of a job as server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from fastapi.sse import format_sse_event
from starlette.responses import StreamingResponse

from medground.service.event import Event

HEARTBEAT = 15.0
"""Seconds of silence after which a comment is sent, so that proxies and clients see that the stream lives."""
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def event_stream(events: AsyncGenerator[Event], *, heartbeat: float = HEARTBEAT) -> StreamingResponse:
    """A response that sends events as they come: `id`, `event` (its type) and `data` (its JSON).

    The generator is closed when the client leaves.
    """
    return StreamingResponse(_sent(events, heartbeat), media_type="text/event-stream", headers=HEADERS)


def encoded(event: Event) -> bytes:
    """An event as it is sent."""
    return format_sse_event(data_str=event.model_dump_json(), event=event.type, id=str(event.id))


async def paced(events: AsyncGenerator[Event], seconds: float) -> AsyncGenerator[Event | None]:
    """Events as they come, and None after some seconds of silence. Closing it closes the events."""
    coming: asyncio.Task[Event | None] | None = None
    async with aclosing(events):
        try:
            while True:
                coming = coming or asyncio.create_task(_next(events))
                if not (await asyncio.wait([coming], timeout=seconds))[0]:
                    yield None
                    continue
                event, coming = coming.result(), None
                if event is None:
                    return
                yield event
        finally:
            if coming is not None:
                coming.cancel()
                await asyncio.wait([coming])


async def _sent(events: AsyncGenerator[Event], heartbeat: float) -> AsyncIterator[bytes]:
    async with aclosing(paced(events, heartbeat)) as there:
        async for event in there:
            yield format_sse_event(comment="heartbeat") if event is None else encoded(event)


async def _next(events: AsyncGenerator[Event]) -> Event | None:
    return await anext(events, None)
