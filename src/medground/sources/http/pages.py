"""Reading pages of the web politely and safely.

robots.txt is honoured; a host is asked one thing at a time, with a pause between; size, time and redirects are limited;
only public addresses are asked, also after a redirect. Scripts are never run and cookies never kept.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit, urlunsplit
from weakref import WeakKeyDictionary

import httpx2
from protego import Protego

from medground.home.secrets import shown_address
from medground.home.settings import Settings
from medground.sources.http.addresses import PUBLIC, Allowed, CheckedTransport, Refused, Resolve, resolve
from medground.sources.http.clients import UNLIMITED, USER_AGENT, Bounded, Network, Pace, ReplyLimits
from medground.sources.http.contents import WANTED, Received, is_readable, read_document, send
from medground.sources.http.wire import NotRecorded, is_offline, open_wire
from medground.values.document import Document

_NAME = "medground"
"""Our name in rules for robots."""
_LARGEST_ROBOTS = 500 * 1024
"""Most bytes of a robots.txt that are read."""
_LONGEST_DELAY = 30.0


@dataclass(frozen=True)
class Rules:
    """What a site allows. `parsed` is None where it could not be asked."""

    parsed: Protego | None

    def allows(self, url: str) -> bool:
        """Whether we may read an address."""
        return self.parsed is not None and self.parsed.can_fetch(url, _NAME)

    @property
    def delay(self) -> float:
        """Seconds that the site wants between two requests; 0 if it does not say."""
        wanted = self.parsed.crawl_delay(_NAME) if self.parsed is not None else None
        return min(max(float(wanted or 0.0), 0.0), _LONGEST_DELAY)


def _rules_of(status: int | None, content: bytes = b"") -> Rules:
    if status is not None and 200 <= status < 300:
        return Rules(Protego.parse(content[:_LARGEST_ROBOTS].decode("utf-8", errors="replace")))
    return Rules(Protego.parse("") if status is not None and 400 <= status < 500 else None)


T = TypeVar("T")

_MOST_REDIRECTS = 5
_MOST_HELD = 200
_REMEMBERED = 600.0
"""Seconds for which a page is remembered."""
_AGENT = f"{USER_AGENT} (robots: {_NAME})"


class PageReader:
    """Fetches pages and reads their main text.

    What was read or refused is remembered for a while, because several engines and sub-questions find the same page.

    Args:
        wire: carries requests; by default connections to checked addresses.
        allowed: what may be asked.
        resolve: how names are resolved.
        pause: least seconds between two pages of one host; a site may want more (`Crawl-delay`).
        seconds: most seconds for one request, and for reading what it brings; twice as many for a page with its
            redirects and its turn at the host.
        largest: most bytes of a page.
    """

    def __init__(
        self,
        wire: httpx2.AsyncBaseTransport | None = None,
        *,
        allowed: Allowed = PUBLIC,
        resolve: Resolve = resolve,
        pause: float = 1.0,
        seconds: float = 30.0,
        largest: int = 10 << 20,
    ) -> None:
        self._allowed = allowed
        self._pause = 0.0 if is_offline(wire) else pause
        self._seconds = seconds
        wire = wire or Network(make=lambda: CheckedTransport(allowed, resolve))
        no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
        self._client = httpx2.AsyncClient(
            transport=Bounded(ReplyLimits(largest), wire),
            timeout=seconds,
            cookies=no_cookies,
            headers={"user-agent": _AGENT},
        )
        self.close = wire.aclose
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, asyncio.Lock]] = WeakKeyDictionary()
        self._paces: dict[str, Pace] = {}
        self._rules: OrderedDict[str, tuple[float, Rules]] = OrderedDict()
        self._known: OrderedDict[str, tuple[float, Document | str]] = OrderedDict()

    @classmethod
    def from_settings(cls, settings: Settings) -> PageReader:
        """The reader that all sources of the process share for what these settings replay or record.

        Raises ConfigError: there is no folder to replay.
        """
        return _shared(settings.retrieval.replay, settings.retrieval.record)

    async def read(self, url: str, document_id: str) -> Document:
        """The document of a page, under this id.

        Raises Refused: it may not be fetched, cannot be fetched, or has no text; one line says why.
        """
        async with self._turn(document_id):  # other requests for the same page wait for it
            found = await self._kept(self._known, document_id, _REMEMBERED, lambda: self._found(url, document_id))
        if isinstance(found, str):
            raise Refused(found)
        return found

    def _turn(self, name: str) -> asyncio.Lock:
        """One at a time for each name."""
        turns = self._turns.setdefault(asyncio.get_running_loop(), {})
        return turns.setdefault(name, asyncio.Lock())

    async def _found(self, url: str, document_id: str) -> Document | str:
        """The document, or why there is none."""
        try:
            async with asyncio.timeout(2 * self._seconds):  # with waiting for its turn at the host
                received, last = await self._fetched(url)
            return await asyncio.to_thread(read_document, received, shown_address(last), document_id, self._seconds)
        except Refused as error:
            return str(error)
        except NotRecorded as missing:
            return missing.reason
        except TimeoutError:
            return f"its site did not send it within {self._seconds:g} s"
        except (httpx2.InvalidURL, UnicodeError):
            return "its address is not valid"
        except httpx2.HTTPError as error:
            return f"the connection to its site failed ({type(error).__name__})"

    async def _fetched(self, url: str) -> tuple[Received, str]:
        for _ in range(_MOST_REDIRECTS + 1):
            self._allowed.check_url(url)
            host = urlsplit(url).hostname or ""
            async with self._turn(host):
                rules = await self._rules_for(url)
                if not rules.allows(url):
                    why = "does not allow it" if rules.parsed is not None else "cannot be read, so nothing else is"
                    raise Refused(f"its robots.txt {why}")
                seconds = max(self._pause, rules.delay) if self._pause else 0.0
                await self._paces.setdefault(host, Pace(1 / seconds if seconds else UNLIMITED)).wait()
                async with asyncio.timeout(self._seconds):
                    received = await send(self._client, url, WANTED, wanted=is_readable)
            if received.target is None:
                return received, url
            url = received.target
        raise Refused(f"it redirects more than {_MOST_REDIRECTS} times")

    async def _rules_for(self, url: str) -> Rules:
        """The rules of a page's site, asked for once a day."""
        parts = urlsplit(url)
        place = urlunsplit((parts.scheme, parts.netloc, "/robots.txt", "", ""))
        return await self._kept(self._rules, place, 86_400, lambda: self._asked_rules(place))

    async def _kept(
        self, held: OrderedDict[str, tuple[float, T]], name: str, seconds: float, make: Callable[[], Awaitable[T]]
    ) -> T:
        """What was made not longer ago than this, or is made now."""
        kept = held.get(name)
        if kept is None or time.monotonic() - kept[0] > seconds:
            kept = held[name] = (time.monotonic(), await make())
            while len(held) > _MOST_HELD:
                held.popitem(last=False)
        return kept[1]

    async def _asked_rules(self, place: str) -> Rules:
        first = place
        for _ in range(_MOST_REDIRECTS + 1):
            try:
                self._allowed.check_url(place)
                async with asyncio.timeout(self._seconds):
                    received = await send(self._client, place, "text/plain, */*;q=0.1", most=_LARGEST_ROBOTS)
            except Refused:
                if place == first:  # the host itself may not be asked
                    raise
                return _rules_of(None)
            except NotRecorded:
                raise
            except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError, TimeoutError):
                return _rules_of(None)
            if received.target is None:
                return _rules_of(received.status, received.body)
            place = received.target
        return _rules_of(404)  # too many redirects count as none, as RFC 9309 has it


@cache
def _shared(replay: Path | None, record: Path | None) -> PageReader:
    settings = Settings.model_validate({"retrieval": {"replay": replay, "record": record}})
    return PageReader(open_wire(settings, Network(make=lambda: CheckedTransport(PUBLIC))))
