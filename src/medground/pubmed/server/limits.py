"""What one request may cost the server, and how many may wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from medground.pubmed.server.parameters import InvalidRequest


@dataclass(frozen=True)
class Limits:
    """Limits of a server. Those that belong to one utility stand beside it.

    Attributes:
        body: most bytes of a body; 50,000 IDs fit in.
        body_seconds: in which a body must come.
        work: CPU seconds of one request, checked by the work itself between two steps.
        workers: threads for cheap requests, and as many for others.
        cheap_line: most cheap requests that wait for a thread.
        costly_line: most others that wait for a thread.
        patience: most seconds that one waits.
    """

    body: int = 1_000_000
    body_seconds: float = 20.0
    work: float = 10.0
    workers: int = 2
    cheap_line: int = 200
    costly_line: int = 50
    patience: float = 30.0


class Work:
    """The work of one request. A thread cannot be stopped, so the work asks from time to time whether it may go on.

    Args:
        seconds: that it may take, by `clock`.
        ending: set when the server is to end.
        clock: by default the CPU time of the thread, so that a busy machine makes no request fail.
    """

    def __init__(self, seconds: float, ending: threading.Event, clock: Callable[[], float] = time.thread_time) -> None:
        self._seconds = seconds
        self._ending = ending
        self._clock = clock
        self._until = clock() + seconds

    def check(self) -> None:
        """Call this between two steps, in the thread that made the object.

        Raises:
            InvalidRequest: the work takes too long, or the server is to end.
        """
        if self._ending.is_set():
            raise InvalidRequest("The server is stopping", status=503)
        if self._clock() > self._until:
            raise InvalidRequest(
                f"The request takes more than {self._seconds:g} s; make it shorter, or send it in parts", status=413
            )
