"""Threads in which requests are answered, each kind with a line of its own that has an end."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeVar

from medground.faces.eutils.requests import InvalidRequest
from medground.faces.serving import Refusal


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


T = TypeVar("T")
_Task = tuple[asyncio.AbstractEventLoop, "asyncio.Future[Any]", Callable[[], Any]]
_RETRY_CHEAP, _RETRY_COSTLY = 1, 5
"""Seconds after which a refused request may find a place."""


class Lane:
    """A few threads, and a line of those who wait for one.

    The threads are daemons: one that hangs in a query does not keep the process from ending.

    Args:
        workers: threads.
        line: most that wait.
        patience: most seconds that one waits.
        retry_after: seconds that a refused client is told to wait.
    """

    def __init__(self, workers: int, line: int, patience: float, retry_after: int) -> None:
        self._line = line
        self._patience = patience
        self._retry_after = retry_after
        self._waiting = 0
        self._turns = asyncio.Semaphore(workers)
        self._workers = workers
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._started = False

    async def run(self, work: Callable[[], T]) -> T:
        """The result of some work, in a thread.

        Raises:
            Refusal: the line is full, or there was no turn in time (429).
        """
        if self._turns.locked() and self._waiting >= self._line:
            raise self._busy()
        self._waiting += 1
        try:
            async with asyncio.timeout(self._patience):
                await self._turns.acquire()
        except TimeoutError:
            raise self._busy() from None
        finally:
            self._waiting -= 1
        try:
            return await self._in_thread(work)
        finally:
            self._turns.release()

    def _busy(self) -> Refusal:
        return Refusal(429, "Too many requests at once; wait, then send it again", retry_after=self._retry_after)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        if not self._started:
            self._started = True
            for _ in range(self._workers):
                threading.Thread(target=_serve, args=(self._tasks,), name="eutils", daemon=True).start()
            weakref.finalize(self, _end, self._tasks, self._workers)
        loop = asyncio.get_running_loop()
        result: asyncio.Future[T] = loop.create_future()
        self._tasks.put((loop, result, work))
        return await result


class Lanes:
    """A lane for cheap requests and one for others, so that no cheap request waits for a costly one."""

    def __init__(self, limits: Limits) -> None:
        self.cheap = Lane(limits.workers, limits.cheap_line, limits.patience, _RETRY_CHEAP)
        self.costly = Lane(limits.workers, limits.costly_line, limits.patience, _RETRY_COSTLY)
        self.ending = threading.Event()

    async def end(self) -> None:
        """Let the work under way stop at its next check, and refuse what waits."""
        self.ending.set()


def _serve(tasks: SimpleQueue[_Task | None]) -> None:
    while (task := tasks.get()) is not None:
        loop, result, work = task
        outcome: Any = None
        error: BaseException | None = None
        try:
            outcome = work()
        except BaseException as raised:  # noqa: BLE001 - whoever waits gets it
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop has ended, and nobody waits
            loop.call_soon_threadsafe(_settle, result, outcome, error)
        del task, loop, result, work, outcome, error  # or the last reply is kept until the next request


def _settle(result: asyncio.Future[Any], outcome: Any, error: BaseException | None) -> None:
    if result.done():
        return
    if error is None:
        result.set_result(outcome)
    else:
        result.set_exception(error)


def _end(tasks: SimpleQueue[_Task | None], workers: int) -> None:
    for _ in range(workers):
        tasks.put(None)
