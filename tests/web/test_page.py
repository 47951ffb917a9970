"""The built page: its files and no others, its headers, and what is said where it was not built."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medground.errors import ConfigError
from medground.faces.web.built_page import BuiltPage

Visit = Callable[..., Any]
CSP = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


def test_the_page_allows_nothing_inline_and_nothing_from_elsewhere(visit: Visit) -> None:
    async def work(site: Any) -> Any:
        return await site.client.get("/"), await site.client.get("/assets/index-a1.js")

    index, script = visit(work, login=True)
    for response in (index, script):
        assert response.status_code == 200
        assert response.headers["content-security-policy"] == CSP
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert response.headers["x-frame-options"] == "DENY"
    assert index.headers["content-type"] == "text/html; charset=utf-8"
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"


def test_hashed_files_are_kept_by_the_browser_and_the_page_is_not(visit: Visit) -> None:
    async def work(site: Any) -> Any:
        index, script = await site.client.get("/"), await site.client.get("/assets/index-a1.js")
        again = await site.client.get("/", headers={"If-None-Match": index.headers["etag"]})
        plain = await site.client.get("/assets/index-a1.js", headers={"Accept-Encoding": "identity"})
        return index, script, again, plain

    index, script, again, plain = visit(work)
    assert index.headers["cache-control"] == "no-cache"
    assert script.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert script.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert script.content == plain.content
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "path",
    ["/secret.key", "/assets/", "/assets/../secret.key", "/..%2f..%2fetc/passwd", "/assets/%2e%2e/secret.key", "/x"],
)
def test_nothing_else_is_served(visit: Visit, path: str) -> None:
    async def work(site: Any) -> Any:
        return await site.client.get(path)

    assert visit(work).status_code == 404


def test_a_page_that_was_not_built_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not built; build it with: cd page && npm ci && npm run build"):
        BuiltPage.open(tmp_path)
