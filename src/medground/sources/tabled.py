"""Services that answer with JSON, each a table of `services.toml`: what a request holds, and where its fields are."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from medground.corpus.readers.services import service_document, texts_at
from medground.errors import SourceUnavailable
from medground.home.files import tables
from medground.home.settings import Settings
from medground.sources.base import SourceDeclaration
from medground.sources.http.service import ADDRESSES, Client, Service
from medground.sources.http.wire import open_wire
from medground.sources.literature.source import LiteratureSource, Read, Syntax, fields_of, quoted
from medground.values.document import Document

_MOST = 1000
"""Most records of one search."""


class Tabled:
    """Asks one service of the table, at its pace, within its limits."""

    def __init__(self, name: str, settings: Settings) -> None:
        self.name = name
        self.table: Mapping[str, Any] = tables("sources", "services")[name]
        self._client = Client(Service(name, ADDRESSES[name], per_second=self.table["per_second"]), open_wire(settings))
        self.close = self._client.close

    async def ask(self, path: str = "", **values: str) -> Any:
        """What it replies, as JSON; None where it has nothing of that name.

        Raises SourceUnavailable: no usable reply; RateLimited: it asks for fewer requests.
        """
        filled = {name: form.format_map(defaultdict(str, values)) for name, form in self.table["parameters"].items()}
        quoted_values = {name: quote(value, safe="/()") for name, value in values.items()}
        where = (path or self.table["path"]).format_map(quoted_values)
        if {".", ".."} & {*where.split("/")}:  # an id that would lead to another address of the service
            return None
        reply = await self._client.get(where, {k: v for k, v in filled.items() if v}, absent=frozenset([404]))
        return reply.json() if reply.status == 200 else None

    def records(self, content: Any) -> list[Any]:
        """The records of a reply. Raises SourceUnavailable: it has no list of them."""
        found = content.get(self.table["records"]) if isinstance(content, Mapping) else None
        if not isinstance(found, list):
            raise SourceUnavailable("the reply has no list of results; the service may have changed", source=self.name)
        return found


class TabledSource(LiteratureSource):
    """Searches a service of the table, in its own order of relevance."""

    def __init__(self, service: Tabled) -> None:
        self._service, self._table = service, service.table
        self._forms: dict[str, str] = self._table["one"]
        syntax = Syntax(name=self._table["title"], fields=fields_of("tabled"), id_of=self._id_query)
        super().__init__(service.name, syntax, service, most=_MOST)

    def _id_query(self, document_id: str) -> str:
        prefix, _, name = document_id.partition(":")
        return quoted(name) if prefix in self._forms else ""

    async def _find(self, asked: str, limit: int) -> Read:
        found: list[Any] = []
        page, number = "", 1
        while len(found) < limit:
            size = min(self._table["page"], limit)
            content = await self._service.ask(query=asked, limit=str(size), page=page)
            records = self._service.records(content)
            found, number = [*found, *records], number + 1
            follows = self._table.get("next")
            page = next(iter(texts_at(content, follows)), "") if follows else str(number)
            if len(records) < size or not page:
                break
        return Read.from_documents([self._document(record) for record in found[:limit]])

    async def _read(self, ids: Sequence[str]) -> tuple[Document, ...]:
        names = [document_id.partition(":") for document_id in ids]
        path = {"query": "", "limit": "", "page": ""}
        asked = (self._service.ask(self._forms[prefix], id=name, **path) for prefix, _, name in names)
        return Read.from_documents(
            [self._document(record) for record in await asyncio.gather(*asked) if record]
        ).documents

    def _document(self, record: Any) -> Document | None:
        """A record as its reader reads it from a file; None if it has neither title nor text, or no id."""
        own = next(iter(texts_at(record, self._table["own"])), "").rpartition("/")[2]
        try:
            found = service_document(record, self.name)
        except ValueError:
            return None
        if found.id.startswith("REF:"):
            if not own:
                return None
            found = found.replace(id=f"{next(reversed(self._forms))}:{own}")
        return found.replace(url=self._table["url"].format(id=own))


def _declared(name: str) -> SourceDeclaration:
    return SourceDeclaration(name=name, open=lambda settings: TabledSource(Tabled(name, settings)))


TRIALS = _declared("clinicaltrials")
OPENALEX = _declared("openalex")
