"""A search engine as a source. Its results are documents, and so are the pages behind them, fetched when asked for."""

import asyncio
import hashlib
import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qsl, urlencode, urlsplit

from medground.corpus.chunk import chunk
from medground.corpus.readers.compose import unmarked
from medground.corpus.readers.values import iso_date
from medground.errors import NotConfigured, SourceUnavailable, UsageError
from medground.sources.http.addresses import Refused
from medground.sources.http.pages import PageReader
from medground.sources.http.service import Client, Reply
from medground.sources.live import LiveSource
from medground.values.document import Document, SourceKind
from medground.values.lookup import Found, Lookup, PlainWords, Ranker
from medground.values.query import Filters

RESULT = "RESULT"
"""Prefix of the document that is a search result: title and summary as the engine gives them."""
PAGE = "WEB"
"""Prefix of the document that is the page itself."""
_RESULTS = 100
"""Most results of a search."""
_LONGEST_TITLE = 300
_LONGEST_SUMMARY = 1000
_TRACKING = frozenset(["gclid", "fbclid", "msclkid", "dclid", "yclid", "mc_cid", "mc_eid", "igshid", "ref_src"])


@dataclass(frozen=True)
class WebResult:
    """A result: where its page is, and what the engine says of it, as plain text."""

    url: str
    title: str
    summary: str = ""
    date: str | None = None

    @property
    def digest(self) -> str:
        """The name of its page, in the ids of both documents."""
        return page_digest(self.url)

    def document(self) -> Document:
        """Title and summary as a document. It says what an engine wrote, so the page itself is what may be quoted."""
        text = "\n\n".join(filter(None, [self.title, self.summary])) or self.url
        found = iso_date(self.date) if self.date else None
        return Document(
            id=f"{RESULT}:{self.digest}",
            title=self.title,
            text=text,
            kind="web",
            url=self.url,
            dates={"published": found} if found else {},
            year=int(found[:4]) if found else None,
        )


@dataclass(frozen=True)
class ResultPage:
    """One page of results, and the parameters that ask for the next; None if it is the last."""

    results: tuple[WebResult, ...]
    following: Mapping[str, str] | None = None


def result(url: object, title: object, summary: object = "", date: object = None) -> WebResult | None:
    """A result from what an engine sent; None if it has no address on the web."""
    if not isinstance(url, str) or not url.startswith(("http://", "https://")):
        return None
    try:
        if not urlsplit(url).hostname:
            return None
    except ValueError:
        return None
    said = date if isinstance(date, str) else None
    return WebResult(url.strip(), _plain(title, _LONGEST_TITLE), _plain(summary, _LONGEST_SUMMARY), said)


def results_in(engine: str, items: object, *names: str) -> tuple[WebResult, ...]:
    """The results in a list of an engine's JSON; `names` are those of address, title, summary and, where given, date.

    Raises SourceUnavailable: it is not a list, or none of its items is a result: the engine changed its form.
    """
    if not isinstance(items, list):
        raise changed(engine)
    read = (result(*(one.get(name) for name in names)) for one in items if isinstance(one, dict))
    results = tuple(filter(None, read))
    if items and not results:
        raise changed(engine)
    return results


def page_digest(url: str) -> str:
    """SHA-256 (16 hex digits) of an address in its normal form.

    Scheme, `www.`, port, fragment, a final slash and parameters that only count visitors make no other page.
    """
    return hashlib.sha256(normal(url).encode()).hexdigest()[:16]


def normal(url: str) -> str:
    """The normal form of an address, for comparing; it is not asked."""
    parts = urlsplit(url)
    host = (parts.hostname or "").removeprefix("www.")
    kept = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if name.lower() not in _TRACKING and not name.lower().startswith("utm_")
    ]
    query = f"?{urlencode(kept)}" if kept else ""
    return f"{host}{parts.path.rstrip('/')}{query}"


def changed(engine: str) -> SourceUnavailable:
    """The failure of an engine whose replies can no longer be read. It is not an empty result."""
    return SourceUnavailable("its results cannot be read: their format changed; update Medground", source=engine)


def _plain(text: object, longest: int) -> str:
    line = " ".join(html.unescape(unmarked(str(text or ""))).split())
    return line if len(line) <= longest else f"{line[: longest - 1].rpartition(' ')[0]}…"


_MOST_KEPT = 5000
_MOST_WORDS = 50
_MOST_CHARACTERS = 400


@dataclass(frozen=True)
class Engine:
    """How an engine is asked and read.

    Attributes:
        path: below the address of the service.
        begin: parameters of the first page of results, for a query.
        read: one page of results from a reply to these parameters. Raises SourceUnavailable if the form has changed.
        absent: statuses besides 200 that `read` understands.
    """

    name: str
    path: str
    begin: Callable[[str], Mapping[str, str]]
    read: Callable[[Reply, Mapping[str, str]], ResultPage]
    absent: frozenset[int] = frozenset()


class WebSource(LiveSource):
    """Searches the web by one engine. One ranking, in the engine's own order.

    A hit is a search result, with the id `RESULT:DIGEST`; `WEB:DIGEST` is its page, which `fetch` reads politely.
    `missing` says what is not configured, and how to configure it.
    """

    kinds = frozenset[SourceKind](["web"])
    finds_pages: Literal[True] = True

    def __init__(self, engine: Engine, client: Client, pages: PageReader, *, missing: str | None = None) -> None:
        super().__init__(engine.name, client, kept=_MOST_KEPT)
        self._engine = engine
        self._client = client
        self._pages = pages
        self._missing = missing

    def accepts(self, lookup: Lookup) -> bool:
        """Plain words, for rankers by words."""
        return isinstance(lookup.asked, PlainWords) and lookup.wants(Ranker.LEXICAL)

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        """Ask the engine for as many results as wanted, page by page.

        Raises what `Source.search` raises, NotConfigured without a key, and ConfigError where the key is refused.
        """
        self._check_open()
        if not isinstance(lookup.asked, PlainWords) or not self.accepts(lookup):
            raise UsageError(f"{self.name} accepts plain words only, and returns results in the order of the engine")
        if self._missing is not None:
            raise NotConfigured(self._missing, source=self.name)
        if note := _impossible(filters):
            return Found(lookup, self.name, rankings=((),), notes=(note,))
        query = _shortened(lookup.asked.text)
        if not any(letter.isalnum() for letter in query):
            return Found(lookup, self.name, rankings=((),))
        found, notes = await self._all(query, min(lookup.limit or _RESULTS, _RESULTS))
        if len(query) < len(" ".join(lookup.asked.text.split())):
            notes = (*notes, f"only the first {_MOST_WORDS} words were searched for")
        wanted = [one for one in found if not filters.ids or f"{RESULT}:{one.digest}" in filters.ids]
        documents = [one.document() for one in wanted]
        self._keep(documents)
        hits = self._ranking(next(chunk(document, limit=2000)) for document in documents)
        return Found(lookup, self.name, rankings=(hits,), notes=notes)

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Results and pages by id. Unknown ids are left out, and so are pages that fail while others do not.

        Raises SourceUnavailable: no page that was asked for could be read; one line says why.
        """
        self._check_open()
        found = self.held(ids)
        places = {f"{PAGE}:{i.partition(':')[2]}": one.url or "" for i, one in self._kept.items()}
        pages = [(i, places[i]) for i in dict.fromkeys(ids) if i in places]
        read = await asyncio.gather(*(self._page(i, url) for i, url in pages))
        failures = [one for one in read if isinstance(one, SourceUnavailable)]
        if failures and len(failures) == len(read):
            raise failures[0]
        found |= {one.id: one for one in read if isinstance(one, Document)}
        return {i: found[i] for i in ids if i in found}

    def recall(self, documents: Iterable[Document]) -> None:
        """Take up results of searches that were made before, so that their pages can be fetched."""
        self._keep(document for document in documents if document.id.startswith(f"{RESULT}:") and document.url)

    async def close(self) -> None:
        """Close the connections. Safe to call twice."""
        await super().close()
        await self._pages.close()

    async def _page(self, document_id: str, url: str) -> Document | SourceUnavailable:
        try:
            return await self._pages.read(url, document_id)
        except Refused as error:
            return SourceUnavailable(str(error), source=urlsplit(url).hostname or self.name)

    async def _all(self, query: str, limit: int) -> tuple[list[WebResult], tuple[str, ...]]:
        """Up to `limit` results, each page once. If a later page of results fails, the earlier ones are kept."""
        found: dict[str, WebResult] = {}
        asked: Mapping[str, str] | None = self._engine.begin(query)
        while asked is not None and len(found) < limit:
            try:
                reply = await self._client.get(self._engine.path, asked, absent=self._engine.absent)
                page = self._engine.read(reply, asked)
            except SourceUnavailable as error:
                if not found:
                    raise
                return list(found.values()), (f"only the first {len(found)} results: {error.reason}",)
            before = len(found)
            for one in page.results:
                found.setdefault(one.digest, one)
            asked = page.following if len(found) > before else None
        return list(found.values())[:limit], ()


def _impossible(filters: Filters) -> str | None:
    """Why no result of an engine can be shown to lie within these limits; None if it can."""
    if filters.kinds and "web" not in filters.kinds:
        return "web pages are not among the requested kinds"
    if filters.replace(kinds=(), ids=()).as_query() is not None:
        return "web results have no verified date or journal, so the web was not searched with these limits"
    return None


def _shortened(text: str) -> str:
    words = text.split()[:_MOST_WORDS]
    while len(" ".join(words)) > _MOST_CHARACTERS and len(words) > 1:
        words.pop()
    return " ".join(words)[:_MOST_CHARACTERS]
