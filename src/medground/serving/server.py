"""Run an app: uvicorn with deadlines for each connection, and an end within two seconds."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable
from typing import Literal

import uvicorn
from starlette.types import ASGIApp

from medground.errors import UsageError
from medground.serving.connection import Connection

ENDING = 1
"""Seconds in which work, and then responses, may end once the server is to stop."""
MOST_HEAD = 32_768
"""Bytes of the head of a request."""


class GracefulServer(uvicorn.Server):
    """Ends the work first, so that whoever waits for it is answered by itself. Ctrl-C is a normal end.

    Args:
        config: made by `config`.
        listening: called once connections are accepted.
        end: ends the work that requests wait for.
    """

    def __init__(
        self, config: uvicorn.Config, *, listening: Callable[[], None], end: Callable[[], Awaitable[None]]
    ) -> None:
        super().__init__(config)
        self._listening = listening
        self._end = end

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._listening()

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        with self.capture_signals():
            await self._serve(sockets)
            self._captured_signals.clear()  # or they would be raised again

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._end(), ENDING)
        await super().shutdown(sockets)


def listener(host: str, port: int) -> socket.socket:
    """A socket that listens on an address; port 0 takes a free one.

    Raises:
        UsageError: the server cannot listen there.
    """
    try:
        on = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"cannot listen on {host}:{port} ({reason}); choose another --port or --host") from None
    # asyncio does this only for sockets that name their protocol; without it each response waits 40 ms for an ACK
    on.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return on


def config(
    app: ASGIApp,
    protocol: type[Connection],
    *,
    lifespan: Literal["on", "off"] = "off",
    ending: int = ENDING,
    head: int = MOST_HEAD,
) -> uvicorn.Config:
    """The configuration of a server.

    Args:
        app: what answers.
        protocol: the connections, which refuse in the app's form.
        lifespan: whether the app needs the lifespan events of ASGI.
        ending: seconds in which responses may end once the server is to stop.
        head: most bytes of the head of a request.
    """
    return uvicorn.Config(
        app,
        http=protocol,
        ws="none",
        lifespan=lifespan,
        log_level="critical",
        log_config=None,
        access_log=False,  # it would hold addresses with ids, and nobody would delete them
        server_header=False,
        proxy_headers=False,  # no header of a client says where it comes from
        timeout_keep_alive=5,
        timeout_graceful_shutdown=ending,
        h11_max_incomplete_event_size=head,
    )
