"""DuckDuckGo by its page of results without scripts, which needs no key.

The library `ddgs` is not used: its own HTTP layer poses as a random browser, and its requests can be neither recorded,
replayed nor paced here. Medground says who it is; DuckDuckGo may answer with a check for robots, which is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

import lxml.html
from lxml import etree
from pydantic import Field

from medground.errors import SourceUnavailable
from medground.home.settings import Settings
from medground.home.settings_groups import SettingsSection
from medground.sources.base import SourceDeclaration
from medground.sources.http.contents import is_block
from medground.sources.http.pages import PageReader
from medground.sources.http.service import Client, Reply, Service
from medground.sources.http.wire import open_wire
from medground.sources.web.source import Engine, ResultPage, WebResult, WebSource, changed, result

_NAME = "duckduckgo"
_RESULT = "//div[contains(concat(' ', normalize-space(@class), ' '), ' result ')]"
_ADVERTISED = ("result--ad", "result--no-result")
_EMPTY = "//*[contains(@class, 'no-results') or contains(@class, 'result--no-result')]"
_NEXT = "//form[.//input[@type='submit' and @value='Next']]//input[@type='hidden']"
_LONGEST_VALUE = 600


class DuckDuckGoSettings(SettingsSection):
    """The source `duckduckgo`."""

    section: ClassVar[str] = "duckduckgo"

    address: str = Field(default="https://html.duckduckgo.com", description="address of the page without scripts")
    results: int = Field(default=100, ge=1, le=100, description="most results of a search")


def _read(reply: Reply, asked: Mapping[str, str]) -> ResultPage:
    if is_block(reply.status, {}, reply.body):
        raise SourceUnavailable(
            "it asks for a proof that a person is searching (captcha); wait some hours, or use another engine",
            source=_NAME,
        )
    try:
        tree = lxml.html.document_fromstring(reply.body, parser=lxml.html.HTMLParser(encoding="utf-8"))
    except (etree.LxmlError, ValueError):
        raise changed(_NAME) from None
    shown = [one for one in tree.xpath(_RESULT) if not any(name in one.get("class") for name in _ADVERTISED)]
    results = tuple(filter(None, map(_result, shown)))
    if not results and (shown or not tree.xpath(_EMPTY)):
        raise changed(_NAME)
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


def _open(settings: Settings) -> WebSource:
    own = settings.section(DuckDuckGoSettings)
    client = Client(Service(_NAME, own.address.rstrip("/"), per_second=1.0), open_wire(settings))
    engine = Engine(_NAME, "html/", lambda query: {"q": query}, _read, absent=frozenset([202]))
    return WebSource(engine, client, PageReader.of(settings), results=own.results)


DUCKDUCKGO = SourceDeclaration(name=_NAME, open=_open, settings=DuckDuckGoSettings)
