"""The engines of a service: one for each choice of what is searched, all in an event loop of their own thread.

A long computation without a model never holds up the loop of the caller, such as that of an HTTP server.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from medground.corpus.library import STARTER, Library
from medground.engine.engine import Engine
from medground.engine.open_engine import corpora_of
from medground.errors import UsageError
from medground.faces.service.request import Searched
from medground.home.concurrency import OwnLoop, check_not_forked
from medground.home.settings import Settings
from medground.values.steps import Progress, no_progress

T = TypeVar("T")
MOST_OPEN = 4
"""Engines that stay open while they are not in use. Each has its own copy of an embedding model, about 100 MB."""

_Key = tuple[Searched, tuple[str, ...]]


@dataclass
class _Open:
    """An engine, or one that is being opened, and how many calls use it."""

    opening: asyncio.Task[Engine]
    users: int = 0


@dataclass
class Engines:
    """Opens engines when they are first used and closes those that were not used for longest.

    Its methods are for callers in any event loop.

    `progress`: called with the progress of what must be built first, such as the starter corpus.
    """

    settings: Settings
    progress: Progress = no_progress
    _loop: OwnLoop = field(default_factory=OwnLoop, init=False, repr=False)
    _open: dict[_Key, _Open] = field(default_factory=dict, init=False, repr=False)
    """In the order of their last use."""

    async def use(self, searched: Searched, work: Callable[[Engine], Awaitable[T]]) -> T:
        """The result of some work with the engine that has these sources open; it runs in the loop of the engines.

        Cancelling this cancels the work, and waits until it has ended.

        Raises what `Engine.open` and the work raise, and UsageError where the service is closed.
        """

        async def used() -> T:
            async with self._engine(searched) as engine:
                return await work(engine)

        return await self.run(used())

    async def run(self, work: Coroutine[object, object, T]) -> T:
        """The result of some work in the loop of the engines. Raises UsageError: the service is closed."""
        if self._loop.is_stopped:
            work.close()
            check_not_forked(self._loop.process)
            raise UsageError("the service is closed")
        return await self._loop.run(work)

    async def close(self) -> None:
        """Close all engines once their calls have ended, and end the thread. Safe to call twice."""
        if not self._loop.is_stopped:
            try:
                await self._loop.run(self._close_all())
            finally:
                await asyncio.to_thread(self._loop.stop)

    @asynccontextmanager
    async def _engine(self, searched: Searched) -> AsyncIterator[Engine]:
        key = (searched, await asyncio.to_thread(self._states, searched))
        one = self._open.pop(key, None) or _Open(asyncio.create_task(self._opened(searched)))
        self._open[key] = one  # the last in order: just used
        one.users += 1
        try:
            yield await asyncio.shield(one.opening)
        except BaseException:
            if one.opening.done() and (one.opening.cancelled() or one.opening.exception() is not None):
                self._open.pop(key, None)  # the next call tries again
            raise
        finally:
            one.users -= 1
            await self._close_unused()

    def _states(self, searched: Searched) -> tuple[str, ...]:
        """The current snapshots of the corpora: one that is built again is opened anew."""
        library = Library(self.settings.home)
        names = corpora_of(self.settings.with_options(searched.options()))
        return tuple(library.state(name) for name in names if name != STARTER or library.has(name))

    async def _opened(self, searched: Searched) -> Engine:
        return await Engine.open(self.settings.with_options(searched.options()), progress=self.progress)

    async def _close_unused(self) -> None:
        """Close engines that are not in use, the longest unused first, until few are left."""
        unused = [key for key, one in self._open.items() if not one.users and one.opening.done()]
        # All are taken out before the first is closed: meanwhile another question may end, or ask one of them.
        closing = [self._open.pop(key) for key in unused[: max(0, len(self._open) - MOST_OPEN)]]
        for one in closing:
            await self._close(one)

    async def _close_all(self) -> None:
        while self._open:
            await self._close(self._open.popitem()[1])

    async def _close(self, one: _Open) -> None:
        await asyncio.wait([one.opening])
        if not one.opening.cancelled() and one.opening.exception() is None:
            await one.opening.result().close()
