"""ScienceDirect, by Elsevier's search API (version 2, GET) and, for abstracts, its article retrieval API.

https://dev.elsevier.com/documentation/ScienceDirectSearchAPI.wadl and ArticleRetrievalAPI.wadl. Both need a key. The
search returns no abstracts, so each article found is asked for; those that the key does not cover keep their titles.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import quote

from pydantic import Field

from medground.corpus.readers.compose import abstract_of
from medground.corpus.readers.services import service_document
from medground.errors import ConfigError, NotConfigured, SourceUnavailable
from medground.home.settings import Settings
from medground.home.settings_groups import SettingsSection
from medground.sources.base import SourceDeclaration
from medground.sources.http.service import Client, Reply, Service
from medground.sources.http.wire import open_wire
from medground.sources.literature.source import LiteratureSource, Read, Syntax, at_most, fields_of, quoted
from medground.sources.live import Json, part, text
from medground.values.document import Document
from medground.values.identifiers import normal_doi
from medground.values.query import Filters, Query

_LABEL = re.compile(r"\s*abstract\b[\s:.]*", re.IGNORECASE)
_PII = re.compile(r"[SB][0-9X]{15,17}")


def doi_of(entry: Json) -> str | None:
    """The DOI of an entry; None if it has none."""
    return normal_doi(text(entry, "prism:doi") or text(entry, "dc:identifier"))


def document_of(entry: Json, core: Json) -> Document | None:
    """The document of an entry of a search and the `coredata` of its article, empty where that could not be read.

    None if there is neither a title nor an abstract, or no DOI and no PII.
    """
    both = {**entry, **{name: value for name, value in core.items() if value}}
    doi, pii = doi_of(both), re.sub(r"[^0-9A-Z]", "", text(both, "pii"))
    is_pii = _PII.fullmatch(pii) is not None
    if not doi and not is_pii:
        return None
    abstract = abstract_of(_LABEL.sub("", text(both, "dc:description"), count=1))
    try:
        found = service_document({**both, "prism:doi": doi}, NAME)
    except ValueError:
        return None
    return found.replace(
        id=f"DOI:{doi}" if doi else f"PII:{pii}",
        text=abstract.text or found.title,
        sections=abstract.sections,
        url=f"https://www.sciencedirect.com/science/article/pii/{pii}" if is_pii else None,
        metadata={},
    )


NAME = "sciencedirect"
MOST = 1000
"""Most records of one search."""
_PAGES = (10, 25, 50, 100)
"""The sizes of a page that the service allows."""
_CONNECTORS = 8
"""Most AND, OR and NOT of a query, as on ScienceDirect's own page."""
_NOT_COVERED = frozenset([403, 404])


class ScienceDirectSettings(SettingsSection):
    """Where ScienceDirect is asked. Its key is `keys.sciencedirect`."""

    section: ClassVar[str] = NAME

    address: str = Field(default="https://api.elsevier.com", description="base address of Elsevier's APIs")


def _id_query(document_id: str) -> str:
    prefix, _, name = document_id.partition(":")
    return quoted(name) if prefix == "DOI" and normal_doi(name) else ""


SYNTAX = Syntax(name="ScienceDirect", fields=fields_of("tabled"), without="AND NOT", id_of=_id_query)


class ScienceDirectSource(LiteratureSource):
    """Searches articles of ScienceDirect, in its own order of relevance. Without a key it has no client."""

    def __init__(self, client: Client | None) -> None:
        super().__init__(NAME, SYNTAX, client, most=MOST)
        self._client = client

    def _compiled(self, query: Query, filters: Filters) -> str:
        return super()._compiled(at_most(_CONNECTORS, query), filters)

    async def _find(self, asked: str, limit: int) -> Read:
        client = self._with_key()
        size = next(page for page in _PAGES if page >= min(limit, _PAGES[-1]))
        entries: list[Mapping[str, Any]] = []
        while len(entries) < limit:
            parameters = {"query": asked, "count": str(size), "start": str(len(entries)), "view": "STANDARD"}
            try:
                page, total = _page(await client.get("content/search/sciencedirect", parameters))
            except ConfigError as refused:  # other sources are searched meanwhile
                raise NotConfigured(str(refused).removeprefix(f"{self.name}: "), source=self.name) from None
            entries += page
            if not page or len(entries) >= total:
                break
        documents = await asyncio.gather(*(self._article(client, entry) for entry in entries[:limit]))
        return Read.from_documents(documents)

    async def _read(self, ids: Sequence[str]) -> tuple[Document, ...]:
        client = self._with_key()
        entries = ({"prism:doi": document_id.removeprefix("DOI:")} for document_id in ids)
        return Read.from_documents(await asyncio.gather(*(self._article(client, entry) for entry in entries))).documents

    async def _article(self, client: Client, entry: Mapping[str, Any]) -> Document | None:
        """The article of an entry with its abstract, as far as the key covers it."""
        doi = doi_of(entry)
        if doi is None:
            return document_of(entry, {})
        path = f"content/article/doi/{quote(doi, safe='/()')}"
        reply = await client.get(path, {"view": "META_ABS", "httpAccept": "application/json"}, absent=_NOT_COVERED)
        content = reply.json() if reply.status == 200 else {}
        return document_of(entry, part(content, "full-text-retrieval-response", "coredata"))

    def _with_key(self) -> Client:
        if self._client is None:
            raise NotConfigured(
                "not configured: it needs a key of dev.elsevier.com; set MEDGROUND_KEYS__SCIENCEDIRECT, "
                "or leave the source out",
                source=self.name,
            )
        return self._client


def _page(reply: Reply) -> tuple[list[Mapping[str, Any]], int]:
    """The entries of a page, and the number of all. An empty result has one entry, with an `error`."""
    content = reply.json()
    results = content.get("search-results") if isinstance(content, dict) else None
    entries = results.get("entry", []) if isinstance(results, dict) else None
    total = str(results.get("opensearch:totalResults") or "0") if isinstance(results, dict) else ""
    if not isinstance(entries, list) or not total.isdecimal():
        raise SourceUnavailable("the reply has no search results; the service may have changed", source=reply.service)
    return [entry for entry in entries if isinstance(entry, dict) and "error" not in entry], int(total)


def _open(settings: Settings) -> ScienceDirectSource:
    key = settings.keys.sciencedirect
    if key is None:
        return ScienceDirectSource(None)
    headers = {"X-ELS-APIKey": key.get_secret_value(), "Accept": "application/json"}
    address = settings.section(ScienceDirectSettings).address
    service = Service(name=NAME, address=address, headers=headers, per_second=9.0)
    return ScienceDirectSource(Client(service, open_wire(settings)))


SCIENCE_DIRECT = SourceDeclaration(name=NAME, open=_open, settings=ScienceDirectSettings)
