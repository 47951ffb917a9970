"""Run the app: uvicorn with deadlines for each connection, and an end within two seconds."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from medground.errors import UsageError
from medground.faces.api.app import BODY_SECONDS, make_app
from medground.faces.api.connection import Connection
from medground.service.service import Service

Extend = Callable[[FastAPI, bool], None]
"""Adds more routes to the app, such as those of the page; told whether every request needs a token."""
_ENDING = 1
"""Seconds in which responses may end once the server is to stop."""
_MOST_HEADERS = 32_768
"""Bytes of the head of a request."""


class JobServer(uvicorn.Server):
    """Ends jobs first, so that whoever waits for them is answered by itself. Ctrl-C is a normal end."""

    def __init__(self, config: uvicorn.Config, service: Service, listening: Callable[[], None]) -> None:
        super().__init__(config)
        self._service = service
        self._listening = listening

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
            await asyncio.wait_for(self._service.jobs.close(), _ENDING)
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


async def serve(
    service: Service,
    on: socket.socket,
    *,
    authenticated: bool,
    listening: Callable[[], None] = lambda: None,
    extend: Extend = lambda app, authenticated: None,
) -> None:
    """Serve until the process is told to stop (Ctrl-C or SIGTERM), or the task is cancelled.

    Args:
        service: what answers; the caller closes it.
        on: where to listen.
        authenticated: whether every request needs a token.
        listening: called once connections are accepted.
        extend: adds more to the app.
    """
    host = on.getsockname()[0]
    app = make_app(service, authenticated=authenticated, names=(host,))
    extend(app, authenticated)
    await JobServer(_config(app), service, listening).serve(sockets=[on])


@asynccontextmanager
async def running(
    service: Service,
    *,
    authenticated: bool = False,
    protocol: type[Connection] = Connection,
    seconds: float = BODY_SECONDS,
    extend: Extend = lambda app, authenticated: None,
) -> AsyncIterator[str]:
    """A real server on a free port of this computer, in this event loop; gives its address, `http://127.0.0.1:8123`."""
    with listener("127.0.0.1", 0) as on:
        app = make_app(service, authenticated=authenticated, seconds=seconds)
        extend(app, authenticated)
        begun = asyncio.Event()
        server = JobServer(_config(app, protocol), service, begun.set)
        task = asyncio.create_task(server._serve([on]))
        try:
            await begun.wait()
            yield f"http://127.0.0.1:{on.getsockname()[1]}"
        finally:
            server.should_exit = True
            await task


def _config(app: ASGIApp, protocol: type[Connection] = Connection) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=protocol,
        ws="none",
        lifespan="off",
        log_level="critical",
        log_config=None,
        access_log=False,  # it would hold addresses with ids, and nobody would delete them
        server_header=False,
        proxy_headers=False,  # no header of a client says where it comes from
        timeout_keep_alive=5,
        timeout_graceful_shutdown=_ENDING,
        h11_max_incomplete_event_size=_MOST_HEADERS,
    )
