"""Run the app: on a socket until the process is told to stop, beside other work, or as `medground serve` does."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from ipaddress import ip_address

from fastapi import FastAPI
from starlette.responses import Response

from medground.errors import UsageError
from medground.faces.api.app import BODY_SECONDS, make_app
from medground.faces.api.problems import refused
from medground.faces.service.accounts import Tokens
from medground.faces.service.records import Records
from medground.faces.service.service import Service
from medground.faces.serving import Connection as ServingConnection
from medground.faces.serving import GracefulServer, Refusal, config, listener
from medground.home.settings import Settings
from medground.values.steps import Progress, no_progress


class Connection(ServingConnection):
    """Refuses with problems."""

    def response_to(self, refusal: Refusal) -> Response:
        return refused(refusal)


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
        authenticated: whether every request needs a token.
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


async def run(
    settings: Settings,
    *,
    host: str,
    port: int,
    announce: Callable[[str], None],
    progress: Progress = no_progress,
    login: bool | None = None,
    extend: Extend = lambda app, authenticated: None,
) -> None:
    """Serve until the process is told to stop.

    Args:
        host: the address to listen on; any but loopback needs a token.
        login: whether a token is needed on loopback, too; by default, once there has ever been one.
        extend: adds more to the app.

    Raises:
        UsageError: the server cannot listen there, or would let everybody in.
        MedgroundError: what `Engine.open` raises.
    """
    authenticated = await asyncio.to_thread(needs_token, settings, host, login)
    with listener(host, port) as on:
        async with Service.open(settings, progress=progress) as service:
            await service.warm()
            shown = f"[{host}]" if ":" in host else host
            address = f"http://{shown}:{on.getsockname()[1]}"
            told = partial(announce, address)
            await serve(service, on, authenticated=authenticated, listening=told, extend=extend)


def needs_token(settings: Settings, host: str, login: bool | None = None) -> bool:
    """Whether every request needs a token: always where other computers can reach the server, at its address or by a
    name in `serve.hosts`; on loopback as `login` says, or once there has ever been a token. Blocks.

    Raises:
        UsageError: a token is needed, and none is valid; or none is to be needed where other computers are let in.
        StorageFailed: it cannot be read who has a token.
    """
    records = Records(settings.home)
    try:
        shared = records.had_tokens()
        there = any(token.revoked is None for token in Tokens(records).list())
    finally:
        records.close()
    others = host if not is_loopback(host) else next(iter(settings.serve.hosts), None)
    if others is not None and login is False:
        raise UsageError(f"other computers can reach {others}; leave --open out, and give each person a token")
    needed = others is not None or (shared if login is None else login)
    if needed and not there:
        if others is None and login is None:
            raise UsageError(
                "this home has been used with access tokens, and none is valid now; create one with medground token "
                "create NAME, or add --open to serve this computer without tokens"
            )
        why = f"other computers can reach {others}" if others is not None else "--login asks for a token"
        raise UsageError(f"{why}; first create one: medground token create NAME")
    return needed


def is_loopback(host: str) -> bool:
    """Whether only this computer can reach an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
