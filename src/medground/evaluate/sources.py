"""Sources of an evaluation: documents that come with an item, and a wrapper that records what was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from medground.answer import SnapshotReference
from medground.corpus.chunk import chunk
from medground.document import Document, DocumentId, Hit, SourceKind
from medground.lookup import ConceptQuery, Found, Lookup, PlainWords, ProteinQuery, Ranker, Ranking
from medground.query import Filters
from medground.rank.fuse import fuse
from medground.sources.base import FactSource, Source

MOST_FOUND = 100
"""Most documents that are recorded."""


class GivenSource:
    """The documents of one item. Every query finds all of them, in the order they are given."""

    name = "given"
    kinds: frozenset[SourceKind] = frozenset(get_args(SourceKind))
    state: SnapshotReference | None = None

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = {document.id: document for document in documents}

    def accepts(self, lookup: Lookup) -> bool:
        """Any query tree, which decides nothing here, for rankers by words."""
        return lookup.wants(Ranker.LEXICAL) and not isinstance(lookup.asked, PlainWords | ConceptQuery | ProteinQuery)

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        """All passages: whoever gives the documents has searched already."""
        passages = [passage for document in self._documents.values() for passage in chunk(document)]
        limit = lookup.limit or len(passages)
        hits = tuple(
            Hit(passage=passage, ranker=self.name, rank=rank, score=1.0 / rank, source=self.name)
            for rank, passage in enumerate(passages[:limit], start=1)
        )
        return Found(lookup, self.name, rankings=(hits,))

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Those of them that are given."""
        return {i: self._documents[i] for i in ids if i in self._documents}

    async def close(self) -> None:
        """Nothing is held."""


class RecordingSource:
    """Wraps a source and records the rankings that it gives."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.rankings: list[Ranking] = []

    @property
    def name(self) -> str:
        """That of the source."""
        return self._source.name

    @property
    def kinds(self) -> frozenset[SourceKind]:
        """Those of the source."""
        return self._source.kinds

    @property
    def state(self) -> SnapshotReference | None:
        """That of the source."""
        return self._source.state

    def accepts(self, lookup: Lookup) -> bool:
        """What the source accepts."""
        return self._source.accepts(lookup)

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        """Ask the source and record its rankings; raises what it raises."""
        found = await self._source.search(lookup, filters)
        self.rankings += found.rankings
        return found

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Fetch from the source; raises what it raises."""
        return await self._source.fetch(ids)

    async def close(self) -> None:
        """The source is closed by whoever opened it."""


def recording(sources: Sequence[Source]) -> list[Source]:
    """The sources, wrapped so that what they find is recorded; those of stored facts rank nothing and stay the same."""
    return [source if isinstance(source, FactSource) else RecordingSource(source) for source in sources]


def found_documents(sources: Sequence[Source], k: int) -> tuple[DocumentId, ...]:
    """What all searches found: their rankings fused (RRF with `k`), each document where its best passage stands."""
    recorded = (source for source in sources if isinstance(source, RecordingSource))
    rankings = [ranking for source in recorded for ranking in source.rankings if ranking]
    return tuple(dict.fromkeys(hit.passage.document_id for hit in fuse(rankings, k)))[:MOST_FOUND]
