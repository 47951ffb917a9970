"""A small home folder, and the app over it, without a socket."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra serve")
import httpx2
import small_service
from awaited import pytest_pyfunc_call  # noqa: F401

from medground.faces.api.server import make_app
from medground.faces.service.service import Service
from medground.home.settings import Settings

papers = small_service.papers


@pytest.fixture
def calling(papers: Settings) -> Callable[..., Any]:
    """A client of an app over the papers: `async with calling() as client`."""

    @asynccontextmanager
    async def opened(*, authenticated: bool = False) -> AsyncIterator[httpx2.AsyncClient]:
        async with Service.open(papers) as service:
            app = make_app(service, authenticated=authenticated)
            transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
            async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
                yield client

    return opened
