"""Run the app: on a socket until the process is told to stop, or beside other work."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI

from medground.faces.api.app import BODY_SECONDS, make_app
from medground.faces.api.connection import Connection
from medground.service.service import Service
from medground.serving.server import GracefulServer, config, listener

Extend = Callable[[FastAPI, bool], None]
"""Adds more routes to the app, such as those of the page; told whether every request needs a token."""


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
    await GracefulServer(config(app, Connection), listening=listening, end=service.jobs.close).serve(sockets=[on])


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
        server = GracefulServer(config(app, protocol), listening=begun.set, end=service.jobs.close)
        task = asyncio.create_task(server._serve([on]))
        try:
            await begun.wait()
            yield f"http://127.0.0.1:{on.getsockname()[1]}"
        finally:
            server.should_exit = True
            await task
