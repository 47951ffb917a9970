"""The API as an application for a server or a program of your own: `uvicorn --factory medground.faces:create_app`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Mount

from medground.faces.api.server import make_app, needs_token
from medground.faces.service.service import Service
from medground.home.settings import Settings


def create_app(settings: Settings | Mapping[str, Any] | None = None, *, login: bool = True) -> Starlette:
    """The HTTP API as an ASGI application. It answers to loopback, the address that was called and `serve.hosts`.

    A server opens and closes it with the lifespan events; a program that mounts it, below a prefix too, enters
    `app.router.lifespan_context(app)` in its own.

    Args:
        settings: as for `Engine.open`.
        login: whether every request needs a token; without one, only where nobody else can reach the server.
    """
    chosen = Settings.of(settings)

    @asynccontextmanager
    async def opened(app: Starlette) -> AsyncIterator[None]:
        authenticated = await asyncio.to_thread(needs_token, chosen, "localhost", login)
        async with Service.open(chosen) as service:
            app.router.routes = [Mount("", make_app(service, authenticated=authenticated))]
            yield

    return Starlette(lifespan=opened)
