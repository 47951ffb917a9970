"""A small home folder, and the app over it, without a socket."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra serve")
import httpx2
import pytest_socket
import small_service
from awaited import pytest_pyfunc_call  # noqa: F401
from heart import library
from live_server import live_server
from openai import OpenAI

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


@pytest.fixture(scope="module")
def heart_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with nine papers on aspirin, one of them retracted."""
    home = tmp_path_factory.mktemp("home")
    library(home)
    return home


@pytest.fixture(scope="module")
def heart_server(heart_home: Path) -> Iterator[str]:
    """A server over these papers."""
    pytest_socket.enable_socket()
    with live_server(heart_home, "heart") as found:
        yield found


@pytest.fixture
def address(heart_server: str, loopback: None) -> str:
    """Its address."""
    return heart_server


@pytest.fixture
def client(address: str) -> Iterator[OpenAI]:
    """OpenAI's client of that server."""
    with OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0) as made:
        yield made
