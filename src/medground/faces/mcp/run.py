"""Running the server: over standard input and output, which then belong to the protocol alone, or over HTTP."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from mcp.server.stdio import stdio_server

from medground.corpus.library import STARTER, Library
from medground.engine.open_sources import corpora_of
from medground.errors import MedgroundError
from medground.faces.mcp.server import make_server
from medground.faces.service.service import Service
from medground.home.settings import Settings

log = logging.getLogger(__name__)


async def over_stdio(settings: Settings) -> None:
    """Serve one client until it closes standard input. What the client asks is of whoever sits at this computer.

    Raises:
        UsageError: a corpus or a knowledge base is not there.
        ConfigError: the settings are wrong.
    """
    async with opened(settings) as service:
        server = make_server(service)
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())


async def over_http(
    settings: Settings, *, host: str, port: int, announce: Callable[[str], None], login: bool | None = None
) -> None:
    """Serve many clients until the process is told to stop.

    Args:
        host: the address to listen on; where other computers can reach it, every request needs a token.
        login: whether a token is needed on loopback, too; by default, once there has ever been one.

    Raises:
        UsageError: the server cannot listen there, or would let everybody in; a corpus or a knowledge base is not
            there.
        ConfigError: the settings are wrong.
    """
    # imported late: a client that starts the server by itself waits for it, and needs no HTTP
    from medground.faces.api.server import needs_token
    from medground.faces.mcp.http import PATH, serve
    from medground.faces.serving import listener

    authenticated = await asyncio.to_thread(needs_token, settings, host, login)
    with listener(host, port) as on:
        async with opened(settings) as service:
            shown = f"[{host}]" if ":" in host else host
            address = f"http://{shown}:{on.getsockname()[1]}{PATH}"
            await serve(service, on, authenticated=authenticated, listening=lambda: announce(address))


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Service]:
    """A service whose engine opens while the client is greeted, which gives up after a few seconds.

    Raises:
        UsageError: a corpus or a knowledge base is not there.
        ConfigError: the settings are wrong.
    """
    await asyncio.to_thread(_check, settings)
    async with Service.open(settings) as service:
        warming = asyncio.create_task(_warm(service))
        try:
            yield service
        finally:
            warming.cancel()
            with suppress(asyncio.CancelledError):
                await warming


def _check(settings: Settings) -> None:
    """Whether what is to be searched is there. The starter corpus is built if it is missing."""
    library = Library(settings.home)
    for name in corpora_of(settings):
        if name != STARTER:
            library.current(name)


async def _warm(service: Service) -> None:
    try:
        await service.warm()
    except MedgroundError as error:  # each call tells it, too
        log.error("%s", error)
