"""A home with a few papers, and a client that is connected to a server in this process."""

import os
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from awaited import pytest_pyfunc_call  # noqa: F401
from mcp import Client
from mcp_talk import Talk, Talking, library

from medground.faces.mcp.server import make_server
from medground.faces.mcp.tool import TIMES, Times
from medground.faces.service.service import Service
from medground.home.settings import Settings


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the papers and the graph, built once."""
    folder = tmp_path_factory.mktemp("built")
    library(folder)
    return folder


@pytest.fixture
def papers(home: Path, built: Path) -> Settings:
    """Settings of a home of its own whose papers and graph are searched."""
    shutil.copytree(built, home)
    return Settings.load(options={"retrieval.corpora": ("papers", "terms")})


@pytest.fixture
def talking(papers: Settings) -> Talking:
    """A client: by the current handshake, or with `mode="legacy"` by that of older protocols."""

    @asynccontextmanager
    async def opened(
        times: Times = TIMES, options: Mapping[str, Any] | None = None, mode: str = "auto"
    ) -> AsyncIterator[Talk]:
        failed: list[Exception] = []
        async with (
            Service.open(papers.with_options(options or {})) as service,
            Client(make_server(service, times), mode=mode, raise_exceptions=True) as client,
        ):
            try:
                yield Talk(client, service)
            except Exception as error:  # noqa: BLE001 (raised again below)
                failed.append(error)
        if failed:
            raise failed[0]  # outside of the client, which would wrap it in groups

    return opened


@pytest.fixture
def environment(papers: Settings) -> dict[str, str]:
    """The environment of a process that serves the same home."""
    source = Path(__file__).resolve().parents[3] / "src"
    return {**os.environ, "MEDGROUND_HOME": str(papers.home), "PYTHONPATH": str(source)}
