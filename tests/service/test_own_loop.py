"""Work in the loop of another thread, for callers that await: results, errors and cancellation cross over."""

from __future__ import annotations

import asyncio
import contextvars
import threading

import pytest

from medground.errors import UsageError
from medground.home.concurrency import OwnLoop

NAME = contextvars.ContextVar("NAME", default="")


async def test_results_and_errors_come_back_and_the_context_goes_along() -> None:
    async def where() -> tuple[int, str]:
        await asyncio.sleep(0)
        return threading.get_ident(), NAME.get()

    async def fails() -> None:
        raise UsageError("no")

    with OwnLoop() as loop:
        NAME.set("ada")
        ((thread, name),) = set(await asyncio.gather(*(loop.run(where()) for _ in range(50))))
        assert (thread != threading.get_ident(), name) == (True, "ada")
        with pytest.raises(UsageError, match="no"):
            await loop.run(fails())
    with pytest.raises(RuntimeError, match="the loop is stopped"):
        await loop.run(where())


async def test_a_cancelled_caller_waits_until_the_work_has_ended() -> None:
    told: list[str] = []
    begun = threading.Event()

    async def keeps() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.05)
            told.append("kept")

    with OwnLoop() as loop:
        calling = asyncio.create_task(loop.run(keeps()))
        await asyncio.to_thread(begun.wait)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        told.append("cancelled")
        at_once = asyncio.create_task(loop.run(keeps()))
        await asyncio.sleep(0)
        at_once.cancel()
        await asyncio.gather(at_once, return_exceptions=True)
        assert at_once.cancelled()
    assert told[:2] == ["kept", "cancelled"]
