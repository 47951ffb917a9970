"""The client of NCBI's E-utilities, or of any service that speaks their protocol.

Requests of all tasks of the process keep NCBI's pace together; what fails for a moment is asked for again; answers are
kept on disk. Every method raises SourceUnavailable or RateLimited when no usable answer came, UsageError when the
service refuses the request, ConfigError when it refuses the API key.
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
"""Ids in one request, as NCBI asks."""
MOST_FOUND = 10_000
"""Records of one search that esearch gives out; its own limit."""
DateType = Literal["pdat", "edat", "mdat", "crdt"]
Sort = Literal["relevance", "pub_date", "Author", "JournalName"]


@dataclass(frozen=True)
class Dates:
    """Limits of a search by date.

    Attributes:
        kind: publication, entry, modification or creation date.
        first: `YYYY`, `YYYY/MM` or `YYYY/MM/DD`; with `last` only.
        last: the same.
        days: the last so many days.
    """

    kind: DateType = "pdat"
    first: str | None = None
    last: str | None = None
    days: int | None = None

    def parameters(self) -> dict[str, str]:
        """As esearch takes them."""
        if self.days is not None:
            return {"datetype": self.kind, "reldate": str(self.days)}
        if self.first is None and self.last is None:
            return {}
        # esearch ignores one date without the other.
        return {"datetype": self.kind, "mindate": self.first or "1000", "maxdate": self.last or "3000"}


NO_DATES = Dates()


class Eutils:
    """The utilities, one method each. Ids are bare numbers such as `21645374`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    @property
    def name(self) -> str:
        """How answers and errors name the service."""
        return self._transport.place.name

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
        """Search. `keep` has the service hold the whole result, for `efetch_kept`.

        Raises:
            UsageError: an empty query, or more than the service gives out.
        """
        if not term.strip():
            raise UsageError("an empty query finds nothing; give PubMed at least one word")
        if start < 0 or limit < 0 or start + limit > MOST_FOUND:
            raise UsageError(
                f"PubMed gives out the first {MOST_FOUND:,} records of a search; narrow it, such as by date"
            )
        parameters = {"db": db, "term": term, "retmode": "xml", "retstart": str(start), "retmax": str(limit)}
        parameters |= dates.parameters()
        parameters |= {"sort": sort} if sort else {}
        parameters |= {"usehistory": "y"} if keep else {}
        return await self._transport.ask("esearch", parameters, read_search)

    async def search_ids(self, term: str, *, limit: int, dates: Dates = NO_DATES, page: int = 1000) -> tuple[str, ...]:
        """The first `limit` ids of a search, by pages; fewer when it finds fewer, each once."""
        found: dict[str, None] = {}
        for start in range(0, limit, page):
            result = await self.esearch(term, start=start, limit=min(page, limit - start), dates=dates)
            found.update(dict.fromkeys(result.ids))
            if start + page >= result.count or not result.ids:
                break
        return tuple(found)

    async def esummary(self, ids: Sequence[str], *, db: str = "pubmed") -> dict[str, Summary]:
        """Metadata by id, in the order asked; ids that the service does not know are absent."""
        found: dict[str, Summary] = {}
        for batch in _batches(ids):
            parameters = {"db": db, "id": ",".join(batch), "retmode": "xml"}
            found |= await self._transport.ask("esummary", parameters, read_summaries)
        return {i: found[i] for i in ids if i in found}

    async def efetch(self, ids: Sequence[str]) -> AsyncIterator[Item]:
        """PubMed records by batches, each of which comes whole or raises; unknown ids are absent."""
        for batch in _batches(ids):
            parameters = {"db": "pubmed", "id": ",".join(batch), "retmode": "xml"}
            for item in await self._transport.ask("efetch", parameters, read_articles):
                yield item

    async def efetch_kept(self, history: History, count: int) -> AsyncIterator[Item]:
        """The first `count` PubMed records of a search or post that the service keeps, batch by batch."""
        for start in range(0, count, BATCH):
            parameters = {"db": "pubmed", "retmode": "xml"} | _kept(history)
            parameters |= {"retstart": str(start), "retmax": str(min(BATCH, count - start))}
            for item in await self._transport.ask("efetch", parameters, read_articles):
                yield item

    async def efetch_full_texts(self, ids: Sequence[str]) -> AsyncIterator[Item]:
        """Full texts of PMC, for ids with or without `PMC`; what it may not give out is absent or a BadDocument."""
        for batch in _batches([i.upper().removeprefix("PMC") for i in ids]):
            parameters = {"db": "pmc", "id": ",".join(batch), "retmode": "xml"}
            for item in await self._transport.ask("efetch", parameters, read_full_texts):
                yield item

    async def elink(
        self, ids: Sequence[str], *, db: str = "pubmed", source: str = "pubmed", name: str | None = None
    ) -> tuple[Links, ...]:
        """What belongs to the ids together, by link name; `pubmed_pubmed` names similar articles, nearest first."""
        links: list[Links] = []
        for batch in _batches(ids):
            parameters = {"dbfrom": source, "db": db, "id": ",".join(batch), "cmd": "neighbor", "retmode": "xml"}
            links += await self._transport.ask("elink", parameters | ({"linkname": name} if name else {}), read_links)
        return tuple(links)

    async def epost(self, ids: Sequence[str], *, db: str = "pubmed", add_to: History | None = None) -> Posted:
        """Have the service keep ids; `add_to` names an earlier result to stand beside."""
        wanted = ",".join(_checked(ids))
        if not wanted:
            raise UsageError("no ids to post; give at least one")
        parameters = {"db": db, "id": wanted} | ({"WebEnv": add_to.web_env} if add_to else {})
        return await self._transport.ask("epost", parameters | {"usehistory": "y"}, read_post)

    async def einfo(self, db: str = "pubmed") -> DatabaseInfo:
        """What a database is: how many records, which fields."""
        return await self._transport.ask("einfo", {"db": db, "retmode": "xml"}, read_database)

    async def databases(self) -> tuple[str, ...]:
        """The names of all databases."""
        return await self._transport.ask("einfo", {"retmode": "xml"}, read_databases)

    async def espell(self, term: str, *, db: str = "pubmed") -> str | None:
        """The query with its spelling corrected, or None when the service has nothing better."""
        return await self._transport.ask("espell", {"db": db, "term": term}, read_spelling)

    async def close(self) -> None:
        """Let go of the connections. Safe to call twice."""
        await self._transport.close()


def _batches(ids: Sequence[str]) -> Iterator[tuple[str, ...]]:
    wanted = _checked(ids)
    return (tuple(wanted[first : first + BATCH]) for first in range(0, len(wanted), BATCH))


def _checked(ids: Sequence[str]) -> list[str]:
    """The ids, each once.

    Raises:
        UsageError: one is no number.
    """
    for each in ids:
        if not (each.isascii() and each.isdigit() and len(each) <= 12):
            raise UsageError(f"{each[:40]!r} is no id of PubMed; ids are numbers such as 21645374")
    return list(dict.fromkeys(ids))


def _kept(history: History) -> dict[str, str]:
    return {"WebEnv": history.web_env, "query_key": str(history.query_key)}
