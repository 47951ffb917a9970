"""An event loop in a thread of its own, for callers that do not await: it works where a loop is running, too."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Self, TypeVar

T = TypeVar("T")

_TURN = 0.2
"""Seconds for which Ctrl-C may stay unseen."""


class OwnLoop:
    """Runs coroutines to their end, one after the other. Use it as a context manager, or call `stop`."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="medground", daemon=True)
        self._thread.start()

    @property
    def is_stopped(self) -> bool:
        """Whether it can run nothing any more."""
        return self._loop.is_closed()

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of some work. Ctrl-C cancels it, and waits until it has ended and kept what it found."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return _result(future)
        except KeyboardInterrupt:
            if future.cancel():
                _result(asyncio.run_coroutine_threadsafe(_cancellations_done(), self._loop))
            raise

    def stop(self) -> None:
        """End the thread. Safe to call twice."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
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
    """Wait for the other tasks of this loop that are being cancelled."""
    own = asyncio.current_task()
    ending = [task for task in asyncio.all_tasks() if task is not own and task.cancelling()]
    await asyncio.gather(*ending, return_exceptions=True)
