"""Google by the JSON API of Programmable Search: a key and an engine id. Ten results a request, 100 in all.

Google has closed this API to new customers and ends it on 1 January 2027.
"""

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

_NAME = "google"
_PAGE = 10
_MOST = 100


class GoogleSettings(SettingsSection):
    """The source `google` (Programmable Search). Its key is `keys.google_search`."""

    section: ClassVar[str] = "google"

    address: str = Field(default="https://customsearch.googleapis.com", description="address of the API")
    engine: str | None = Field(default=None, description="id of your search engine (cx)")
    results: int = Field(default=100, ge=1, le=_MOST, description="most results of a search; ten cost one request")


def _read(reply: Reply, asked: Mapping[str, str]) -> ResultPage:
    told = reply.json()
    items = told.get("items", []) if isinstance(told, dict) else None
    total = told.get("searchInformation", {}) if isinstance(told, dict) else None
    results = results_in(_NAME, items, "link", "title", "snippet")
    if not isinstance(total, dict) or (not items and total.get("totalResults") != "0" and asked["start"] == "1"):
        raise changed(_NAME)
    start = int(asked["start"]) + _PAGE
    more = bool(items) and "nextPage" in told.get("queries", {}) and start + _PAGE <= _MOST + 1
    return ResultPage(results, {**asked, "start": str(start)} if more else None)


def _open(settings: Settings) -> WebSource:
    own, key = settings.section(GoogleSettings), settings.keys.google_search
    absent = {"keys.google_search": key, "google.engine": own.engine}
    missing = " and ".join(name for name, value in absent.items() if not value)
    headers = {"X-Goog-Api-Key": key.get_secret_value()} if key else {}
    service = Service(_NAME, own.address.rstrip("/"), headers)

    def begin(query: str) -> Mapping[str, str]:
        return {"q": query, "cx": own.engine or "", "num": str(_PAGE), "start": "1"}

    return WebSource(
        Engine(_NAME, "customsearch/v1", begin, _read, most=_MOST),
        Client(service, open_wire(settings)),
        PageReader.of(settings),
        results=own.results,
        missing=f"not configured; set {missing}, or leave the source out" if missing else None,
    )


GOOGLE = SourceDeclaration(name=_NAME, open=_open, settings=GoogleSettings)
