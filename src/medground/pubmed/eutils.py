"""Client for NCBI's E-utilities, or any service with the same API.

All tasks in the process share NCBI's rate limit. Transient failures are retried, and responses are cached on disk.
Every method raises SourceUnavailable or RateLimited if it gets no usable response, UsageError if the service rejects
the request, and ConfigError if it rejects the API key.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from medground.corpus.readers.base import Item
from medground.errors import UsageError
from medground.pubmed.eutils_answers import (
    DatabaseInfo,
    History,
    Links,
    Posted,
    SearchResult,
    Summary,
    read_count,
    read_database,
    read_databases,
    read_links,
    read_post,
    read_search,
    read_spelling,
    read_summaries,
)
from medground.pubmed.eutils_records import read_articles, read_full_texts
from medground.pubmed.eutils_transport import Transport

BATCH = 200
"""Maximum IDs per request, as NCBI recommends."""
MOST_FOUND = 10_000
"""Maximum records that esearch returns for one search; set by NCBI."""
DateType = Literal["pdat", "edat", "mdat", "crdt"]
Sort = Literal["relevance", "pub_date", "Author", "JournalName"]


@dataclass(frozen=True)
class Dates:
    """Date limits for a search.

    Attributes:
        kind: publication, entry, modification or creation date.
        first: earliest date as `YYYY`, `YYYY/MM` or `YYYY/MM/DD`.
        last: latest date in the same format.
        days: limit to this many days before today.
    """

    kind: DateType = "pdat"
    first: str | None = None
    last: str | None = None
    days: int | None = None

    def parameters(self) -> dict[str, str]:
        """Return the esearch parameters."""
        if self.days is not None:
            return {"datetype": self.kind, "reldate": str(self.days)}
        if self.first is None and self.last is None:
            return {}
        # esearch ignores one date without the other.
        return {"datetype": self.kind, "mindate": self.first or "1000", "maxdate": self.last or "3000"}


NO_DATES = Dates()


class Eutils:
    """One method per utility. IDs are bare numbers such as `21645374`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    @property
    def name(self) -> str:
        """Name of the service in answers and errors."""
        return self._transport.service.name

    async def esearch(
        self,
        term: str,
        *,
        db: str = "pubmed",
        start: int = 0,
        limit: int = 20,
        sort: Sort | None = None,
        dates: Dates = NO_DATES,
        keep: bool = False,
    ) -> SearchResult:
        """Search. With `keep`, the service stores the whole result for `efetch_kept`.

        Raises:
            UsageError: the query is empty, or the range exceeds what the service returns.
        """
        if not term.strip():
            raise UsageError("the PubMed query is empty; enter at least one word")
        if start < 0 or limit < 0 or start + limit > MOST_FOUND:
            raise UsageError(
                f"PubMed returns only the first {MOST_FOUND:,} records of a search; narrow it, for example by date"
            )
        parameters = {"db": db, "term": term, "retmode": "xml", "retstart": str(start), "retmax": str(limit)}
        parameters |= dates.parameters()
        parameters |= {"sort": sort} if sort else {}
        parameters |= {"usehistory": "y"} if keep else {}
        return await self._transport.ask("esearch", parameters, read_search)

    async def count(self, term: str, *, db: str = "pubmed") -> int:
        """Number of records that match. No id is sent back.

        Raises:
            UsageError: the query is empty.
        """
        if not term.strip():
            raise UsageError("the PubMed query is empty; enter at least one word")
        parameters = {"db": db, "term": term, "retmode": "xml", "rettype": "count"}
        return await self._transport.ask("esearch", parameters, read_count)

    async def search_ids(self, term: str, *, limit: int, dates: Dates = NO_DATES, page: int = 1000) -> tuple[str, ...]:
        """Return up to `limit` unique IDs of a search, fetched page by page."""
        found: dict[str, None] = {}
        for start in range(0, limit, page):
            result = await self.esearch(term, start=start, limit=min(page, limit - start), dates=dates)
            found.update(dict.fromkeys(result.ids))
            if start + page >= result.count or not result.ids:
                break
        return tuple(found)

    async def esummary(self, ids: Sequence[str], *, db: str = "pubmed") -> dict[str, Summary]:
        """Return metadata by ID, in the order requested. Unknown IDs are omitted."""
        found: dict[str, Summary] = {}
        for batch in _batches(ids):
            parameters = {"db": db, "id": ",".join(batch), "retmode": "xml"}
            found |= await self._transport.ask("esummary", parameters, read_summaries)
        return {i: found[i] for i in ids if i in found}

    async def efetch(self, ids: Sequence[str]) -> AsyncIterator[Item]:
        """Yield PubMed records. A batch arrives complete or raises an error; unknown IDs are omitted."""
        for batch in _batches(ids):
            parameters = {"db": "pubmed", "id": ",".join(batch), "retmode": "xml"}
            for item in await self._transport.ask("efetch", parameters, read_articles):
                yield item

    async def efetch_kept(self, history: History, count: int) -> AsyncIterator[Item]:
        """Yield the first `count` PubMed records of a search or post stored by the service, in batches."""
        for start in range(0, count, BATCH):
            parameters = {"db": "pubmed", "retmode": "xml"} | _kept(history)
            parameters |= {"retstart": str(start), "retmax": str(min(BATCH, count - start))}
            for item in await self._transport.ask("efetch", parameters, read_articles):
                yield item

    async def efetch_full_texts(self, ids: Sequence[str]) -> AsyncIterator[Item]:
        """Yield PMC full texts, for IDs with or without `PMC`. Restricted articles are omitted or a BadDocument."""
        for batch in _batches([i.upper().removeprefix("PMC") for i in ids]):
            parameters = {"db": "pmc", "id": ",".join(batch), "retmode": "xml"}
            for item in await self._transport.ask("efetch", parameters, read_full_texts):
                yield item

    async def elink(
        self, ids: Sequence[str], *, db: str = "pubmed", source: str = "pubmed", name: str | None = None
    ) -> tuple[Links, ...]:
        """Return records linked to the IDs, by link name; `pubmed_pubmed` is similar articles, most similar first."""
        links: list[Links] = []
        for batch in _batches(ids):
            parameters = {"dbfrom": source, "db": db, "id": ",".join(batch), "cmd": "neighbor", "retmode": "xml"}
            links += await self._transport.ask("elink", parameters | ({"linkname": name} if name else {}), read_links)
        return tuple(links)

    async def epost(self, ids: Sequence[str], *, db: str = "pubmed", add_to: History | None = None) -> Posted:
        """Store IDs on the service; `add_to` adds them to the session of an earlier result."""
        wanted = ",".join(_checked(ids))
        if not wanted:
            raise UsageError("there are no IDs to post; give at least one")
        parameters = {"db": db, "id": wanted} | ({"WebEnv": add_to.web_env} if add_to else {})
        return await self._transport.ask("epost", parameters | {"usehistory": "y"}, read_post)

    async def einfo(self, db: str = "pubmed") -> DatabaseInfo:
        """Return a database's description, record count and search fields."""
        return await self._transport.ask("einfo", {"db": db, "retmode": "xml"}, read_database)

    async def databases(self) -> tuple[str, ...]:
        """Return the names of all databases."""
        return await self._transport.ask("einfo", {"retmode": "xml"}, read_databases)

    async def espell(self, term: str, *, db: str = "pubmed") -> str | None:
        """Return the query with corrected spelling, or None if the service has no suggestion."""
        return await self._transport.ask("espell", {"db": db, "term": term}, read_spelling)

    async def close(self) -> None:
        """Close the connections. Safe to call twice."""
        await self._transport.close()


def _batches(ids: Sequence[str]) -> Iterator[tuple[str, ...]]:
    wanted = _checked(ids)
    return (tuple(wanted[first : first + BATCH]) for first in range(0, len(wanted), BATCH))


def _checked(ids: Sequence[str]) -> list[str]:
    """Return the IDs without duplicates.

    Raises:
        UsageError: an ID is not a number.
    """
    for each in ids:
        if not (each.isascii() and each.isdigit() and len(each) <= 12):
            raise UsageError(f"{each[:40]!r} is not a PubMed ID; use a number such as 21645374")
    return list(dict.fromkeys(ids))


def _kept(history: History) -> dict[str, str]:
    return {"WebEnv": history.web_env, "query_key": str(history.query_key)}
