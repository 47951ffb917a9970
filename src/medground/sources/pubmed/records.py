"""Records of PubMed, live at NCBI or of any service with the E-utilities protocol.

PMIDs are fetched 200 at a time. DOIs and PMC ids are searched as article identifiers, several in one query, and what is
found is fetched; only a record that has the id itself counts. The client waits as NCBI asks, tries again after passing
failures, and keeps each response for a day, so that work that was stopped does not ask again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from medground.home.settings import Settings
from medground.sources.eutils.client import Eutils
from medground.values.document import Document

_AT_ONCE = 40
"""Ids in one search."""
_PER_ID = 5
"""Records that are expected for one id at most; a search with more is split."""


class PubMedRecords:
    """The records of PubMed, found by their ids.

    Args:
        client: the E-utilities client.
        name: what the user calls the service: `pubmed`, or its address.
    """

    state = ""

    def __init__(self, client: Eutils, name: str) -> None:
        self._client = client
        self.name = name
        self.source = client.name

    async def find(self, documents: Sequence[Document]) -> list[tuple[Document, ...]]:
        """For each document, the records that share a PMID, PMC id or DOI with it.

        Raises:
            SourceUnavailable: PubMed could not be asked.
            RateLimited: PubMed asks for fewer requests.
            ConfigError: PubMed rejected the API key.
        """
        names = [name.split(":", 1) for document in documents for name in document.paper]
        found = _ByName()
        await self._add(found, dict.fromkeys(value for kind, value in names if kind == "pmid" and len(value) <= 12))
        # Other ids are asked only where the PMID's record does not have them.
        others = (value for kind, value in names if kind != "pmid" and not found.of([f"{kind}:{value}"]))
        left = [value for value in dict.fromkeys(others) if '"' not in value]
        pmids: dict[str, None] = {}
        for first in range(0, len(left), _AT_ONCE):
            pmids |= dict.fromkeys(await self._searched(left[first : first + _AT_ONCE]))
        await self._add(found, [pmid for pmid in pmids if not found.of([f"pmid:{pmid}"])])
        return [found.of(document.paper) for document in documents]

    async def close(self) -> None:
        """Close the connections; the next `find` opens them again."""
        await self._client.close()

    async def _add(self, found: _ByName, pmids: Iterable[str]) -> None:
        found.add([item async for item in self._client.efetch([*pmids]) if isinstance(item, Document)])

    async def _searched(self, values: Sequence[str]) -> list[str]:
        """PMIDs of the records with one of these article identifiers."""
        limit = _PER_ID * len(values)
        result = await self._client.esearch(" OR ".join(f'"{value}"[aid]' for value in values), limit=limit)
        if result.count <= limit or len(values) == 1:
            return [*result.ids]
        half = len(values) // 2
        return [*await self._searched(values[:half]), *await self._searched(values[half:])]


def open_records(source: str, settings: Settings) -> PubMedRecords:
    """The records of PubMed as the settings have it (`pubmed`), or of a service at an address.

    Raises:
        ConfigError: the address is not valid, or a package is not installed.
    """
    from medground.sources.pubmed.source import open_client  # slow to import

    set_to = settings.retrieval.pubmed
    address = source if "://" in source else None if set_to in (None, "live") else set_to
    return PubMedRecords(open_client(settings, address), source)


class _ByName:
    """Records by the names of their papers."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, Document]] = {}

    def add(self, records: Iterable[Document]) -> None:
        for record in records:
            for name in record.paper:
                self._found.setdefault(name, {})[record.id] = record

    def of(self, names: Iterable[str]) -> tuple[Document, ...]:
        return tuple({record.id: record for name in names for record in self._found.get(name, {}).values()}.values())
