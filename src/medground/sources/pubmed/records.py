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
        wanted = [document.paper for document in documents]
        found = _ByName()
        found.add(await self._fetched(dict.fromkeys(_values("pmid", _flat(wanted)))))
        # Other ids are asked only where the PMID's record does not have them.
        left = dict.fromkeys(name for name in _flat(wanted) if not name.startswith("pmid:") and not found.of([name]))
        pmids: dict[str, None] = {}
        for batch in _batches([name.split(":", 1)[1] for name in left if '"' not in name]):
            pmids.update(dict.fromkeys(await self._searched(batch)))
        found.add(await self._fetched(pmid for pmid in pmids if not found.of([f"pmid:{pmid}"])))
        return [found.of(names) for names in wanted]

    async def close(self) -> None:
        """Close the connections; the next `find` opens them again."""
        await self._client.close()

    async def _fetched(self, pmids: Iterable[str]) -> list[Document]:
        return [item async for item in self._client.efetch([*pmids]) if isinstance(item, Document)]

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


def _flat(names: Iterable[Sequence[str]]) -> list[str]:
    return [name for group in names for name in group]


def _values(kind: str, names: Iterable[str]) -> list[str]:
    return [value for found, value in (name.split(":", 1) for name in names) if found == kind and len(value) <= 12]


def _batches(values: Sequence[str]) -> Iterable[Sequence[str]]:
    return (values[first : first + _AT_ONCE] for first in range(0, len(values), _AT_ONCE))
