"""Sources of an evaluation: documents that come with an item, and a listener that notes what was found."""

from __future__ import annotations

from collections.abc import Sequence

from medground.answer import SnapshotReference
from medground.corpus.chunk import chunk
from medground.document import Document, DocumentId, Hit
from medground.query import Filters, Query
from medground.rank.fuse import fuse
from medground.sources.base import Found, Ranking, Source

MOST_FOUND = 100
"""Documents that are noted at most."""


class GivenSource:
    """The documents of one item, all of them found by every query, in the order they are given."""

    name = "given"
    snapshot: SnapshotReference | None = None

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = {document.id: document for document in documents}

    async def search(self, query: Query, *, text: str, limit: int, filters: Filters) -> Found:
        """All passages: who gives documents has searched already."""
        passages = [passage for document in self._documents.values() for passage in chunk(document)]
        hits = tuple(
            Hit(passage=passage, ranker=self.name, rank=rank, score=1.0 / rank, source=self.name)
            for rank, passage in enumerate(passages[:limit], start=1)
        )
        return Found(rankings=(hits,))

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Those of them that are given."""
        return {i: self._documents[i] for i in ids if i in self._documents}

    async def close(self) -> None:
        """Nothing is held."""


class RecordingSource:
    """Another source, and the rankings that it gave."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.rankings: list[Ranking] = []

    @property
    def name(self) -> str:
        """That of the source."""
        return self._source.name

    @property
    def snapshot(self) -> SnapshotReference | None:
        """That of the source."""
        return self._source.snapshot

    async def search(self, query: Query, *, text: str, limit: int, filters: Filters) -> Found:
        """Ask the source and note its rankings; raises what it raises."""
        found = await self._source.search(query, text=text, limit=limit, filters=filters)
        self.rankings += found.rankings
        return found

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Fetch from the source; raises what it raises."""
        return await self._source.fetch(ids)

    async def close(self) -> None:
        """The source is closed by whoever opened it."""


def found_documents(sources: Sequence[RecordingSource], k: int) -> tuple[DocumentId, ...]:
    """What all searches found: their rankings fused (RRF with `k`), each document where its best passage stands."""
    rankings = [ranking for source in sources for ranking in source.rankings if ranking]
    return tuple(dict.fromkeys(hit.passage.document_id for hit in fuse(rankings, k)))[:MOST_FOUND]
