"""Calls that run at the same time, and an event loop in a thread of its own."""

import asyncio
import concurrent.futures
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, Self, TypeVar

from medground.errors import UsageError


def check_not_forked(opened_in: int) -> None:
    """Check that this is the process, by its id, in which something was opened: a fork has none of its threads.

    Raises UsageError: it is a fork of that process; what waits there for a thread would wait for ever.
    """
    if os.getpid() != opened_in:
        raise UsageError("this engine was opened before the process forked; open another one in the new process")


TURNS: list[Callable[[str, float], float]] = []
"""How calls to services outside take turns with those of other processes; the last counts. Each gives the seconds to
wait, by the address of a service and the seconds between two calls, or raises StorageFailed. It blocks.
"""

# An event loop in a thread of its own, for callers that do not await: it works where a loop is running, too.

T = TypeVar("T")

_TURN = 0.2
"""Seconds for which Ctrl-C may stay unseen."""


class OwnLoop:
    """Runs coroutines to their end. Use it as a context manager, or call `stop`.

    `wait` is for callers without a loop, one after the other; `run` for those in another loop, many at once.
    """

    def __init__(self) -> None:
        self.process = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="medground", daemon=True)
        self._thread.start()

    @property
    def is_stopped(self) -> bool:
        """Whether it can run nothing any more, as in a fork, which lacks its thread."""
        return self._loop.is_closed() or os.getpid() != self.process

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of some work. Ctrl-C cancels it, and waits until it has ended and kept what it found."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return _result(future)
        except KeyboardInterrupt:
            if future.cancel():
                _result(asyncio.run_coroutine_threadsafe(_cancellations_done(), self._loop))
            raise

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of some work, for a caller in another loop.

        Cancelling the caller cancels the work, and waits until it has ended and kept what it found.

        Raises RuntimeError: the loop is stopped; UsageError: the process has forked.
        """
        if self.is_stopped:
            work.close()
            check_not_forked(self.process)
            raise RuntimeError("the loop is stopped")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            ending = asyncio.run_coroutine_threadsafe(_cancellations_done(), self._loop)
            await asyncio.shield(asyncio.wrap_future(ending))
            raise

    def stop(self) -> None:
        """End the thread. Safe to call twice."""
        if not self.is_stopped:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.stop()


def _result(future: concurrent.futures.Future[T]) -> T:
    """The result of a future, waited for in short turns.

    A signal that another thread receives does not wake this one, and on Windows none does; Python handles it when this
    thread runs again.
    """
    while not future.done():
        concurrent.futures.wait([future], timeout=_TURN)
    return future.result()


async def _cancellations_done() -> None:
    own = asyncio.current_task()
    ending = [task for task in asyncio.all_tasks() if task is not own and task.cancelling()]
    await asyncio.gather(*ending, return_exceptions=True)


async def concurrently(calls: Iterable[Awaitable[T]]) -> list[T]:
    """The results of concurrent calls, in order. If one raises, the others are cancelled first."""
    tasks = [asyncio.ensure_future(call) for call in calls]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
