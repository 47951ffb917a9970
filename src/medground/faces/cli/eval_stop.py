"""Running what Ctrl-C may stop, once or twice, without a traceback."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_stoppable(work: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run`, quiet about tasks that a second Ctrl-C cut off while the first was still being obeyed.

    Raises:
        KeyboardInterrupt: it was stopped.
    """

    async def quiet() -> T:
        asyncio.get_running_loop().set_exception_handler(_but_interrupts)
        return await work

    return asyncio.run(quiet())


def _but_interrupts(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    if not isinstance(context.get("exception"), KeyboardInterrupt):
        loop.default_exception_handler(context)
