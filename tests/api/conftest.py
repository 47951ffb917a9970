"""A small home folder, and the app over it, without a socket."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra serve")
import httpx
import small_service

from medground.faces.api.app import make_app
from medground.faces.service.service import Service
from medground.home.settings import Settings

papers = small_service.papers
Work = Callable[[httpx.AsyncClient], Awaitable[Any]]


@pytest.fixture
def calling(papers: Settings) -> Callable[..., Any]:
    """Runs an async function with a client of an app over the papers."""

    def run(work: Work, *, options: dict[str, Any] | None = None, seconds: float = 20.0, **of_app: Any) -> Any:
        async def within() -> Any:
            async with Service.open(papers.with_options(options or {})) as service:
                app = make_app(service, **{"authenticated": False, "seconds": seconds, **of_app})
                transport = httpx.ASGITransport(app, raise_app_exceptions=False)
                async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
                    return await work(client)

        return asyncio.run(within())

    return run
