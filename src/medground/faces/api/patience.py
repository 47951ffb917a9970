"""A limit on the time until an answer begins."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from medground.faces.api.problems import problem_for, respond


class ResponseDeadline:
    """ASGI middleware that cancels a request whose response has not begun after some seconds. Streams go on after that.

    Args:
        app: what answers.
        seconds: of any request.
        longer: addresses that take another number of seconds, such as those of uploads.
    """

    def __init__(self, app: ASGIApp, seconds: float, longer: dict[str, float] | None = None) -> None:
        self._app = app
        self._seconds = seconds
        self._longer = longer or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        limit = self._longer.get(scope["path"], self._seconds)
        begun = False
        try:
            async with asyncio.timeout(limit) as deadline:

                async def send_begun(message: Message) -> None:
                    nonlocal begun
                    if not begun:
                        begun = True
                        deadline.reschedule(None)
                    await send(message)

                await self._app(scope, receive, send_begun)
        except TimeoutError:
            if begun or not deadline.expired():
                raise
            problem = problem_for(504, f"there was no answer after {limit:g} seconds")
            return await respond(problem)(scope, receive, send)
