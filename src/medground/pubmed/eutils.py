"""Client for NCBI's E-utilities, or any service with the same API.

All tasks in the process share NCBI's rate limit. Transient failures are retried, and responses are cached on disk.
Every method raises SourceUnavailable or RateLimited if it gets no usable response, UsageError if the service rejects
the request, and ConfigError if it rejects the API key.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Literal

from medground.corpus.readers.base import Item
from medground.errors import UsageError
from medground.pubmed.eutils_answers import SearchResult, read_count, read_search
from medground.pubmed.eutils_records import read_articles, read_full_texts
from medground.pubmed.eutils_transport import Transport

BATCH = 200
"""Maximum IDs per request, as NCBI recommends."""
MOST_FOUND = 10_000
"""Maximum records that esearch returns for one search; set by NCBI."""
Sort = Literal["relevance", "pub_date", "Author", "JournalName"]


class Eutils:
    """One method per utility. IDs are bare numbers such as `21645374`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    @property
    def name(self) -> str:
        """Name of the service in answers and errors."""
        return self._transport.service.name

    async def esearch(
        self, term: str, *, db: str = "pubmed", limit: int = 20, sort: Sort | None = None
    ) -> SearchResult:
        """Search.

        Raises:
            UsageError: the query is empty, or the limit exceeds what the service returns.
        """
        _check_words(term)
        if limit < 0 or limit > MOST_FOUND:
            raise UsageError(
                f"PubMed returns only the first {MOST_FOUND:,} records of a search; narrow it, for example by date"
            )
        parameters = {"db": db, "term": term, "retmode": "xml", "retstart": "0", "retmax": str(limit)}
        parameters |= {"sort": sort} if sort else {}
        return await self._transport.ask("esearch", parameters, read_search)

    async def count(self, term: str) -> int:
        """Number of records that match. No id is sent back.

        Raises:
            UsageError: the query is empty.
        """
        _check_words(term)
        parameters = {"db": "pubmed", "term": term, "retmode": "xml", "rettype": "count"}
        return await self._transport.ask("esearch", parameters, read_count)

    async def efetch(self, ids: Sequence[str]) -> AsyncIterator[Item]:
        """Yield PubMed records. A batch arrives complete or raises an error; unknown IDs are omitted."""
        for batch in _batches(ids):
            parameters = {"db": "pubmed", "id": ",".join(batch), "retmode": "xml"}
            for item in await self._transport.ask("efetch", parameters, read_articles):
                yield item

    async def efetch_full_texts(self, ids: Sequence[str]) -> AsyncIterator[Item]:
        """Yield PMC full texts, for IDs with or without `PMC`. Restricted articles are omitted or a BadDocument."""
        for batch in _batches([i.upper().removeprefix("PMC") for i in ids]):
            parameters = {"db": "pmc", "id": ",".join(batch), "retmode": "xml"}
            for item in await self._transport.ask("efetch", parameters, read_full_texts):
                yield item

    async def close(self) -> None:
        """Close the connections. Safe to call twice."""
        await self._transport.close()


def _check_words(term: str) -> None:
    if not term.strip():
        raise UsageError("the PubMed query is empty; enter at least one word")


def _batches(ids: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for each in ids:
        if not (each.isascii() and each.isdigit() and len(each) <= 12):
            raise UsageError(f"{each[:40]!r} is not a PubMed ID; use a number such as 21645374")
    wanted = list(dict.fromkeys(ids))
    return (tuple(wanted[first : first + BATCH]) for first in range(0, len(wanted), BATCH))
