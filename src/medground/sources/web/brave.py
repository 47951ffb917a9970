"""Brave by its Web Search API, which needs a key. 20 results a request, ten pages at most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from medground.home.settings import Settings
from medground.home.settings_groups import SettingsSection
from medground.sources.base import SourceDeclaration
from medground.sources.http.pages import PageReader
from medground.sources.http.service import Client, Reply, Service
from medground.sources.http.wire import open_wire
from medground.sources.web.source import Engine, ResultPage, WebSource, changed, results_in

_NAME = "brave"
_PAGE = 20
_LAST_OFFSET = 9


class BraveSettings(SettingsSection):
    """The source `brave`. Its key is `keys.brave`."""

    section: ClassVar[str] = "brave"

    address: str = Field(default="https://api.search.brave.com", description="address of the API")
    results: int = Field(default=100, ge=1, le=200, description="most results of a search; twenty cost one request")
    per_second: float = Field(default=1.0, gt=0, description="requests per second that your plan allows")


def _begin(query: str) -> Mapping[str, str]:
    # Without decorations, titles and descriptions have no markup for the words that were searched for.
    return {"q": query, "count": str(_PAGE), "offset": "0", "text_decorations": "false", "result_filter": "web"}


def _read(reply: Reply, asked: Mapping[str, str]) -> ResultPage:
    told = reply.json()
    if not isinstance(told, dict) or told.get("type") != "search" or not isinstance(told.get("query"), dict):
        raise changed(_NAME)
    web = told.get("web", {"results": []})  # left out where nothing was found
    items = web.get("results") if isinstance(web, dict) else None
    results = results_in(_NAME, items, "url", "title", "description", "page_age")
    offset = int(asked["offset"]) + 1
    more = bool(told["query"].get("more_results_available")) and offset <= _LAST_OFFSET
    return ResultPage(results, {**asked, "offset": str(offset)} if more else None)


def _open(settings: Settings) -> WebSource:
    own, key = settings.section(BraveSettings), settings.keys.brave
    headers = {"X-Subscription-Token": key.get_secret_value()} if key else {}
    service = Service(_NAME, own.address.rstrip("/"), headers, per_second=own.per_second)
    return WebSource(
        Engine(_NAME, "res/v1/web/search", _begin, _read, most=200),
        Client(service, open_wire(settings)),
        PageReader.of(settings),
        results=own.results,
        missing=None if key else "not configured; set keys.brave, or leave the source out",
    )


BRAVE = SourceDeclaration(name=_NAME, open=_open, settings=BraveSettings)
