"""A small home folder, and the app with the page over it, without a socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra serve")
import httpx2
import small_service
from awaited import pytest_pyfunc_call  # noqa: F401
from fastapi import FastAPI
from small_service import Clock, tokens_of

from medground.faces.api.server import make_app
from medground.faces.service.service import Service
from medground.faces.web.app import BuiltPage, add_page
from medground.home.settings import Settings

papers = small_service.papers


@dataclass
class Site:
    """A client of the app, as a browser and as a program use it."""

    client: httpx2.AsyncClient
    app: FastAPI
    service: Service
    clock: Clock

    def headers(self, **more: str) -> dict[str, str]:
        """Those that the page sends with a change."""
        csrf = self.client.cookies.get("medground_csrf") or ""
        return {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin", "X-CSRF-Token": csrf, **more}

    async def sign_in(self, token: str) -> httpx2.Response:
        return await self.client.post("/session", json={"token": token}, headers={"Origin": "http://localhost"})

    async def ended(self, job_id: str) -> dict[str, Any]:
        for _ in range(1_000):
            job = (await self.client.get(f"/v1/jobs/{job_id}")).json()
            if job["state"] in ("done", "failed", "stopped"):
                return dict(job)
            await asyncio.sleep(0.01)
        raise AssertionError("the job does not end")


@pytest.fixture
def built(tmp_path: Path) -> BuiltPage:
    """A page in the form in which Vite builds one."""
    folder = tmp_path / "built"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text('<!doctype html><script type="module" src="./assets/index-a1.js"></script>')
    (folder / "assets" / "index-a1.js").write_text("const page = 1;\n" * 100)
    (folder / "icon.svg").write_text("<svg/>")
    (folder / "secret.key").write_text("no")
    return BuiltPage(folder)


@pytest.fixture
def tokens(home: Path) -> dict[str, str]:
    """The secrets of two people; only the first may change corpora."""
    with tokens_of(home) as made:
        return {"ada": made.create("ada", role="admin"), "bob": made.create("bob")}


@pytest.fixture
def visit(papers: Settings, built: BuiltPage) -> Callable[..., Any]:
    """A site over the papers: `async with visit() as site`."""

    @asynccontextmanager
    async def opened(*, login: bool = False, wire: Any = None, **options: Any) -> AsyncIterator[Site]:
        async with Service.open(papers.with_options(options)) as service:
            clock = Clock(1_000.0)
            app = make_app(service, authenticated=login)
            add_page(app, login=login, page=built, clock=clock)
            if wire is not None:
                app.state.page.provider.wire = wire
            transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
            async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
                yield Site(client, app, service, clock)

    return opened
