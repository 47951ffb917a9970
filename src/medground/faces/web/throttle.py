"""Failed attempts to sign in are counted; after a few, an address has to wait."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable

MOST_FAILED = 5
WINDOW = 300.0
"""Seconds for which a failed attempt counts."""
_MOST_ADDRESSES = 10_000


class Throttle:
    """Counts failed attempts by address.

    Args:
        clock: seconds that never go back.
        most: failed attempts of one address within the window.
        window: seconds for which an attempt counts.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, *, most: int = MOST_FAILED, window: float = WINDOW
    ) -> None:
        self._clock = clock
        self._most = most
        self._window = window
        self._failed: dict[str, deque[float]] = {}

    def wait(self, address: str) -> int:
        """Whole seconds that this address has to wait before another attempt; 0 if it may try now."""
        times = self._failed.get(address)
        if times is None or len(times) < self._most:
            return 0
        return max(0, math.ceil(self._window - (self._clock() - times[0])))

    def failed(self, address: str) -> None:
        """Count a failed attempt."""
        times = self._failed.pop(address, None) or deque[float](maxlen=self._most)
        times.append(self._clock())
        self._failed[address] = times
        while len(self._failed) > _MOST_ADDRESSES:
            del self._failed[next(iter(self._failed))]

    def succeeded(self, address: str) -> None:
        """Forget the failed attempts of an address."""
        self._failed.pop(address, None)
