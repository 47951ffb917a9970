"""How many requests a client may send in a second, as NCBI documents it."""

import re
import time
from collections import deque
from collections.abc import Callable

from medground.faces.serving import Refusal

WITHOUT_KEY, WITH_KEY = 3, 10
_MOST_CLIENTS = 10_000
_KEY = re.compile("(?:^|&)api_key=([^&]+)")


class Rates:
    """Counts the requests of the last second by `api_key`, or by address: 10 with a key, whatever it is, or else 3."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._sent: dict[tuple[str, str], deque[float]] = {}

    def count(self, address: str, sent: str) -> None:
        """Count a request with its encoded parameters. Raises Refusal (429): it is one too many."""
        key = found[1] if (found := _KEY.search(sent)) else ""
        now, most = self._clock(), WITH_KEY if key else WITHOUT_KEY
        if len(self._sent) > _MOST_CLIENTS:
            self._sent = {client: kept for client, kept in self._sent.items() if kept[-1] > now - 1}
        times = self._sent.setdefault((key, "" if key else address), deque(maxlen=most))
        if len(times) == most and times[0] > now - 1:
            raise Refusal(429, f"API rate limit exceeded: {most} requests a second", retry_after=1)
        times.append(now)
