"""HTTP clients, one for each event loop: connections belong to the loop that opened them."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from functools import cache
from typing import Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary

import certifi

from medground.version import __version__

USER_AGENT = f"medground/{__version__}"
"""How we name ourselves to services and sites."""


class Closable(Protocol):
    """A client with connections."""

    async def aclose(self) -> None:
        """Close them."""
        ...


C = TypeVar("C", bound=Closable)


class LoopClients(Generic[C]):
    """The clients of one user of the network, which may be used from several loops in turn.

    Args:
        make: makes the client of a loop.
    """

    def __init__(self, make: Callable[[], C]) -> None:
        self._make = make
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, C] = WeakKeyDictionary()

    def current(self) -> C:
        """The client of the running loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = self._make()
        return self._clients[loop]

    async def close(self) -> None:
        """Close the connections of this loop. Safe to call twice."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()


@cache
def tls() -> ssl.SSLContext:
    """Load the certificates once per process, because that takes a tenth of a second."""
    return ssl.create_default_context(cafile=certifi.where())
