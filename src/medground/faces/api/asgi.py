"""The API as an application for a server or a program of your own: `uvicorn --factory medground.faces:create_app`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from medground.errors import MedgroundError
from medground.faces.api.server import make_app, needs_token
from medground.faces.service.service import Service
from medground.home.settings import Settings


class Application:
    """An ASGI application that opens its service with the first event that it gets, in the loop of its server.

    A server ends it with the lifespan events; a program that mounts it, below a prefix too, calls `close` at its end.
    """

    def __init__(self, settings: Settings, *, login: bool) -> None:
        self._settings = settings
        self._login = login
        self._opening = asyncio.Lock()
        self._service: Service | None = None
        self._app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._live(receive, send)
        app = self._app or await self._opened()
        return await app(scope, receive, send)

    async def close(self) -> None:
        """Stop what is under way and close the service. The next request opens another one."""
        service, self._service, self._app = self._service, None, None
        if service is not None:
            await service.close()

    async def _opened(self) -> ASGIApp:
        async with self._opening:
            if self._app is None:
                authenticated = await asyncio.to_thread(needs_token, self._settings, "localhost", self._login)
                self._service = await Service.open(self._settings)
                self._app = make_app(self._service, authenticated=authenticated)
            return self._app

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            await self._opened()
        except MedgroundError as error:
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.close()
        await send({"type": "lifespan.shutdown.complete"})


def create_app(settings: Settings | Mapping[str, Any] | None = None, *, login: bool = True) -> Application:
    """The HTTP API as an ASGI application. It answers to loopback, the address that was called and `serve.hosts`.

    Args:
        settings: as for `Engine.open`.
        login: whether every request needs a token; without one, only where nobody else can reach the server.
    """
    return Application(Settings.of(settings), login=login)
