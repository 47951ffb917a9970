"""HTTP clients, one for each event loop, and the rate limits that they share."""

from __future__ import annotations

import asyncio
import ssl
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
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


_MARGIN = 1.05
"""Safety margin: NCBI sometimes rejects requests that arrive exactly at the allowed interval."""


@dataclass
class Pace:
    """A rate limiter that spaces calls at least 1 / `per_second` seconds apart.

    aiolimiter does not fit: it belongs to one event loop, while a process may run several. It also allows bursts, and
    two bursts of three around the turn of a second are six requests within one second, which NCBI rejects.

    Attributes:
        per_second: calls per second.
        clock: monotonic clock, in seconds.
        sleep: how to wait.
    """

    per_second: float
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _next: float = field(default=float("-inf"), init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    async def wait(self) -> None:
        """Wait for this call's turn."""
        with self._lock:
            now = self.clock()
            turn = max(now, self._next)
            self._next = turn + _MARGIN / self.per_second
        if turn > now:
            await self.sleep(turn - now)

    def hold(self, seconds: float) -> None:
        """Pause all calls for this long, because the service asked for it."""
        with self._lock:
            self._next = max(self._next, self.clock() + seconds)


UNLIMITED = float("inf")
"""The rate of a service on this machine, and of recorded replies."""
_paces: dict[tuple[str, float], Pace] = {}
_paces_lock = threading.Lock()


def shared_pace(address: str, per_second: float) -> Pace:
    """The pace that the process shares for an address and a rate."""
    with _paces_lock:
        return _paces.setdefault((address, per_second), Pace(per_second))
