"""Real servers on a free port of this computer, in the event loop of their caller: for measurements and for tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from uvicorn import Config

from medground.faces.api.server import BODY_SECONDS, Connection, address_of, make_app
from medground.faces.mcp.calls import TIMES, Times
from medground.faces.mcp.http import PATH, configured, http_app
from medground.faces.service.service import Service
from medground.faces.serving import GracefulServer, config, listener


@asynccontextmanager
async def api_served(
    service: Service,
    *,
    authenticated: bool = False,
    protocol: type[Connection] = Connection,
    seconds: float = BODY_SECONDS,
) -> AsyncIterator[str]:
    """The HTTP API; gives its address, such as `http://127.0.0.1:8123`."""
    app = make_app(service, authenticated=authenticated, seconds=seconds)
    async with _served(config(app, protocol), service) as address:
        yield address


@asynccontextmanager
async def mcp_served(service: Service, *, authenticated: bool = False, times: Times = TIMES) -> AsyncIterator[str]:
    """The MCP server over HTTP; gives the address for clients."""
    app = http_app(service, authenticated=authenticated, times=times)
    async with _served(configured(app), service) as address:
        yield f"{address}{PATH}"


@asynccontextmanager
async def _served(what: Config, service: Service) -> AsyncIterator[str]:
    with listener("127.0.0.1", 0) as on:
        begun = asyncio.Event()
        server = GracefulServer(what, listening=begun.set, end=service.jobs.close)
        task = asyncio.create_task(server._serve([on]))
        try:
            await begun.wait()
            yield address_of("127.0.0.1", on)
        finally:
            server.should_exit = True
            await task
