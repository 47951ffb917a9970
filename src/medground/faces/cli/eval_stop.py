"""Running a coroutine that Ctrl-C can stop, pressed once or twice, without a traceback."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_stoppable(work: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run`, but silent about tasks that a second Ctrl-C interrupts while the first is being handled.

    Raises:
        KeyboardInterrupt: the user stopped it.
    """

    async def quiet() -> T:
        asyncio.get_running_loop().set_exception_handler(_ignore_interrupts)
        return await work

    return asyncio.run(quiet())


def _ignore_interrupts(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    if not isinstance(context.get("exception"), KeyboardInterrupt):
        loop.default_exception_handler(context)
