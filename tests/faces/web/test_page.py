"""The built page: its files and no others, with their headers; and names that complete what is typed in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp_talk import library

from medground.corpus.library import GRAPH_FILE, Library
from medground.errors import ConfigError
from medground.faces.web.app import BuiltPage
from medground.home.settings import Settings

Visit = Callable[..., Any]
CSP = {"default-src 'self'", "script-src 'self'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"}


async def test_the_page_is_served_with_its_headers_and_nothing_else_is(visit: Visit) -> None:
    hidden = ["/secret.key", "/assets/", "/assets/../secret.key", "/..%2f..%2fetc/passwd", "/assets/%2e%2e/x", "/x"]

    async with visit(login=True) as site:
        index = await site.client.get("/")
        script = await site.client.get("/assets/index-a1.js")
        again = await site.client.get("/", headers={"If-None-Match": index.headers["etag"]})
        plain = await site.client.get("/assets/index-a1.js", headers={"Accept-Encoding": "identity"})
        missing = [await site.client.get(path) for path in hidden]
    for response in (index, script):
        assert response.status_code == 200
        assert set(response.headers["content-security-policy"].split("; ")) > CSP
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert response.headers["x-frame-options"] == "DENY"
    assert index.headers["content-type"] == "text/html; charset=utf-8"
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    assert index.headers["cache-control"] == "no-cache"
    assert script.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert script.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert script.content == plain.content
    assert (again.status_code, again.content) == (304, b"")
    assert {response.status_code for response in missing} == {404}


def test_a_page_that_was_not_built_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not built; build it with: cd page && npm ci && npm run build"):
        BuiltPage.open(tmp_path)


@pytest.fixture
def graph(papers: Settings) -> Settings:
    """A corpus with a graph beside the papers."""
    library(papers.home)
    return papers


async def test_the_last_words_are_completed_for_those_who_are_signed_in(visit: Visit, graph: Settings) -> None:
    typed = ("Has long f", "spid", "zz")
    wrong = ({}, {"q": "x" * 4001}, {"q": "a", "limit": 0}, {"q": "a", "limit": 21})
    async with visit() as site:
        ask = site.client.get
        long, spider, nothing = [(await ask("/v1/suggest", params={"q": q})).json() for q in typed]
        refused = {(await ask("/v1/suggest", params=query)).status_code for query in wrong}
    assert [(one["text"], one["id"], one["start"]) for one in long] == [("Long fingers", "HP:1", 4)]
    assert [(one["text"], one["about"].partition(", ")[2]) for one in spider] == [
        ("Spider fingers", "for Long fingers")
    ]
    assert nothing == []
    assert refused == {422}
    async with visit(login=True) as site:
        assert (await site.client.get("/v1/suggest", params={"q": "long"})).status_code == 401
    (Library(graph.home).current("terms") / GRAPH_FILE).write_bytes(b"broken")
    async with visit() as site:
        response = await site.client.get("/v1/suggest", params={"q": "long"})
    assert (response.status_code, response.json()) == (200, [])
