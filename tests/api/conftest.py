"""A small home folder, and the app over it, without a socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra serve")
import httpx

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.faces.api.app import make_app
from medground.service.service import Service
from medground.settings import Settings

PAPERS = [
    {"id": "PMID:1", "title": "Aspirin", "text": "Aspirin reduced the risk of stroke in adults."},
    {"id": "PMID:2", "title": "Zebrafish", "text": "Fins of zebrafish regenerate after amputation."},
]

Work = Callable[[httpx.AsyncClient], Awaitable[Any]]


@pytest.fixture
def papers(home: Path, tmp_path: Path) -> Settings:
    """Settings of a home with the corpus `papers`, which is searched."""
    file = tmp_path / "papers.jsonl"
    file.write_text("\n".join(map(json.dumps, PAPERS)), encoding="utf-8")
    build(Library(home), "papers", find_inputs([file]))
    return Settings.load(options={"retrieval.corpora": ("papers",)})


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
