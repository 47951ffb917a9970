"""Work in the loop of another thread, for callers that await: results, errors and cancellation cross over."""

from __future__ import annotations

import asyncio
import contextvars
import threading

import pytest

from medground.errors import UsageError
from medground.home.concurrency import OwnLoop

NAME = contextvars.ContextVar("NAME", default="")


async def test_results_errors_the_context_and_a_cancellation_cross_over() -> None:
    told: list[str] = []
    begun = threading.Event()

    async def where() -> tuple[bool, str]:
        await asyncio.sleep(0)
        return threading.current_thread() is threading.main_thread(), NAME.get()

    async def fails() -> None:
        raise UsageError("no")

    async def keeps() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.05)
            told.append("kept")

    with OwnLoop() as loop:
        NAME.set("ada")
        assert set(await asyncio.gather(*(loop.run(where()) for _ in range(50)))) == {(False, "ada")}
        with pytest.raises(UsageError, match="no"):
            await loop.run(fails())
        calling = asyncio.create_task(loop.run(keeps()))
        await asyncio.to_thread(begun.wait)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        assert told == ["kept"], "a cancelled caller waits until the work has ended"
        at_once = asyncio.create_task(loop.run(keeps()))
        await asyncio.sleep(0)
        at_once.cancel()
        await asyncio.gather(at_once, return_exceptions=True)
        assert at_once.cancelled()
    with pytest.raises(RuntimeError, match="the loop is stopped"):
        await loop.run(where())
