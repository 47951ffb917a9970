"""Running the server over standard input and output, which belong to the protocol: nothing else may write there."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from mcp.server.stdio import stdio_server

from medground.corpus.library import STARTER, Library
from medground.errors import MedgroundError
from medground.faces.mcp.server import make_server
from medground.service.service import Service
from medground.settings import Settings
from medground.sources.open import corpora_of

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
