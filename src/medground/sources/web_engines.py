"""The search engines: Brave, DuckDuckGo."""

from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

import lxml.html
from lxml import etree
from pydantic import Field, PositiveFloat

from medground.errors import SourceUnavailable
from medground.home.settings import Settings
from medground.home.settings_groups import SettingsSection
from medground.sources.base import SourceDeclaration
from medground.sources.http.contents import is_block
from medground.sources.http.pages import PageReader
from medground.sources.http.service import ADDRESSES, Client, Reply, Service
from medground.sources.http.wire import open_wire
from medground.sources.web_search import Engine, ResultPage, WebResult, WebSource, changed, result, results_in

# Brave by its Web Search API, which needs a key. 20 results a request, ten pages at most.

_BRAVE = "brave"
_BRAVE_PAGE = 20
_LAST_OFFSET = 9


class BraveSettings(SettingsSection):
    """The source `brave`. Its key is `keys.brave`."""

    section: ClassVar[str] = "brave"

    per_second: PositiveFloat = Field(default=1.0, description="requests per second that your plan allows")


def _begin_brave(query: str) -> Mapping[str, str]:
    # Without decorations, titles and descriptions have no markup for the words that were searched for.
    return {"q": query, "count": str(_BRAVE_PAGE), "offset": "0", "text_decorations": "false", "result_filter": "web"}


def _read_brave(reply: Reply, asked: Mapping[str, str]) -> ResultPage:
    told = reply.json()
    if not isinstance(told, dict) or told.get("type") != "search" or not isinstance(told.get("query"), dict):
        raise changed(_BRAVE)
    web = told.get("web", {"results": []})  # left out where nothing was found
    items = web.get("results") if isinstance(web, dict) else None
    results = results_in(_BRAVE, items, "url", "title", "description", "page_age")
    offset = int(asked["offset"]) + 1
    more = bool(told["query"].get("more_results_available")) and offset <= _LAST_OFFSET
    return ResultPage(results, {**asked, "offset": str(offset)} if more else None)


def _open_brave(settings: Settings) -> WebSource:
    own, key = settings.section(BraveSettings), settings.keys.brave
    headers = {"X-Subscription-Token": key.get_secret_value()} if key else {}
    engine = Engine(_BRAVE, "res/v1/web/search", _begin_brave, _read_brave)
    return _opened(settings, engine, headers, per_second=own.per_second, missing="" if key else "keys.brave")


BRAVE = SourceDeclaration(name=_BRAVE, open=_open_brave, settings=BraveSettings)


# DuckDuckGo by its page of results without scripts, which needs no key.

_DUCKDUCKGO = "duckduckgo"
_RESULT = "//div[contains(concat(' ', normalize-space(@class), ' '), ' result ')]"
_ADVERTISED = ("result--ad", "result--no-result")
_EMPTY = "//*[contains(@class, 'no-results') or contains(@class, 'result--no-result')]"
_NEXT = "//form[.//input[@type='submit' and @value='Next']]//input[@type='hidden']"
_LONGEST_VALUE = 600


def _read_duckduckgo(reply: Reply, asked: Mapping[str, str]) -> ResultPage:
    if is_block(reply.status, {}, reply.body):
        raise SourceUnavailable("it asks for a captcha; wait a few hours, or use another engine", source=_DUCKDUCKGO)
    try:
        tree = lxml.html.document_fromstring(reply.body, parser=lxml.html.HTMLParser(encoding="utf-8"))
    except (etree.LxmlError, ValueError):
        raise changed(_DUCKDUCKGO) from None
    shown = [one for one in tree.xpath(_RESULT) if not any(name in one.get("class") for name in _ADVERTISED)]
    results = tuple(filter(None, map(_result, shown)))
    if not results and (shown or not tree.xpath(_EMPTY)):
        raise changed(_DUCKDUCKGO)
    return ResultPage(results, _following(tree, asked))


def _result(shown: Any) -> WebResult | None:
    links = shown.xpath(".//a[contains(@class, 'result__a')]")
    if not links:
        return None
    summary = " ".join(one.text_content() for one in shown.xpath(".//*[contains(@class, 'result__snippet')]")[:1])
    return result(_target(links[0].get("href") or ""), links[0].text_content(), summary)


def _target(href: str) -> str:
    """The address behind a link, which leads through `duckduckgo.com/l/?uddg=ADDRESS`."""
    parts = urlsplit(f"https:{href}" if href.startswith("//") else href)
    if (parts.hostname or "").endswith("duckduckgo.com"):
        return next(iter(parse_qs(parts.query).get("uddg", [])), "")
    return href


def _following(tree: Any, asked: Mapping[str, str]) -> Mapping[str, str] | None:
    """What the form behind the button `Next` sends."""
    values = {one.get("name") or "": one.get("value") or "" for one in tree.xpath(_NEXT)}
    told = {name: value for name, value in values.items() if name.isalpha() and len(value) <= _LONGEST_VALUE}
    return {**told, "q": asked["q"]} if told.get("s", "").isdigit() else None


def _open_duckduckgo(settings: Settings) -> WebSource:
    engine = Engine(_DUCKDUCKGO, "html/", lambda query: {"q": query}, _read_duckduckgo, absent=frozenset([202]))
    return _opened(settings, engine, per_second=1.0)


DUCKDUCKGO = SourceDeclaration(name=_DUCKDUCKGO, open=_open_duckduckgo)


def _opened(
    settings: Settings,
    engine: Engine,
    headers: Mapping[str, str] | None = None,
    *,
    per_second: float = 5.0,
    missing: str = "",
) -> WebSource:
    service = Service(engine.name, ADDRESSES[engine.name], headers or {}, per_second=per_second)
    why = f"not configured; set {missing}, or leave the source out" if missing else None
    client = Client(service, open_wire(settings))
    return WebSource(engine, client, PageReader.from_settings(settings), missing=why)
