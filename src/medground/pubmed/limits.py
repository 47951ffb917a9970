"""How often an address may be asked: one pace for all tasks, loops and threads of the process."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

PER_SECOND = 3
PER_SECOND_WITH_KEY = 10
"""What NCBI allows one address without and with an API key."""
_MARGIN = 1.05
"""NCBI counts on its own clock, so requests that arrive at exactly the allowed distance are sometimes refused."""


@dataclass
class Pace:
    """Gives out moments that lie at least 1 / `per_second` seconds apart.

    aiolimiter belongs to one event loop and lets a burst through, which NCBI counts as too many; several loops may be
    at work in one process, and a burst of three at the end of a second is six within one.

    Attributes:
        per_second: moments per second.
        clock: seconds that only grow.
        sleep: how to wait.
    """

    per_second: float
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _next: float = field(default=float("-inf"), init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    async def wait(self) -> None:
        """Return when it is this call's turn."""
        with self._lock:
            now = self.clock()
            turn = max(now, self._next)
            self._next = turn + _MARGIN / self.per_second
        if turn > now:
            await self.sleep(turn - now)

    def hold(self, seconds: float) -> None:
        """Nobody gets a turn for this long, because the address has asked for it."""
        with self._lock:
            self._next = max(self._next, self.clock() + seconds)


_paces: dict[tuple[str, bool], Pace] = {}
_paces_lock = threading.Lock()


def shared_pace(address: str, *, with_key: bool) -> Pace:
    """The pace of the process for an address."""
    with _paces_lock:
        rate = PER_SECOND_WITH_KEY if with_key else PER_SECOND
        return _paces.setdefault((address, with_key), Pace(rate))
