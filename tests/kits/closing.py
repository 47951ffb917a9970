"""Work with something that is closed afterwards."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def then_closed(opened: Any, work: Coroutine[Any, Any, T]) -> T:
    """What the work returns, in a loop of its own; `opened` is closed in the same loop, also after a failure."""

    async def run() -> T:
        try:
            return await work
        finally:
            await opened.close()

    return asyncio.run(run())
