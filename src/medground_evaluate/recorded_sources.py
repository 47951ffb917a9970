"""Sources of an evaluation: documents that come with an item, and a wrapper that records what was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from medground.answering.rank.fuse import fuse
from medground.corpus.chunk import chunk
from medground.errors import SourceUnavailable, UsageError
from medground.sources.base import CountingSource, DescribedSource, FactSource, Source, TermsSource
from medground.values.answer import SnapshotReference
from medground.values.document import Document, DocumentId, Hit, SourceKind
from medground.values.lookup import ConceptQuery, Found, Lookup, PlainWords, ProteinQuery, Ranker, Ranking
from medground.values.query import Filters
from medground.values.source_plan import SourceDescription

MOST_FOUND = 100
"""Most documents that are recorded."""


class GivenSource:
    """The documents of one item. Every query finds all of them, in the order they are given."""

    name = "given"
    kinds: frozenset[SourceKind] = frozenset(get_args(SourceKind))
    state: SnapshotReference | None = None

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = {document.id: document for document in documents}
        self._closed = False

    def accepts(self, lookup: Lookup) -> bool:
        """Any query tree, for rankers by words; the tree itself is ignored."""
        return lookup.wants(Ranker.LEXICAL) and not isinstance(lookup.asked, PlainWords | ConceptQuery | ProteinQuery)

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        """All passages, in the order the documents are given.

        Raises:
            UsageError: the lookup is not a query tree.
            SourceUnavailable: the source is closed.
        """
        self._check_open()
        if not self.accepts(lookup):
            raise UsageError(f"{self.name} takes query trees for rankers by words")
        passages = [passage for document in self._documents.values() for passage in chunk(document)]
        limit = lookup.limit or len(passages)
        hits = tuple(
            Hit(passage=passage, ranker=self.name, rank=rank, score=1.0 / rank, source=self.name)
            for rank, passage in enumerate(passages[:limit], start=1)
        )
        return Found(lookup, self.name, rankings=(hits,))

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Documents by id; others are absent.

        Raises:
            SourceUnavailable: the source is closed.
        """
        self._check_open()
        return {i: self._documents[i] for i in ids if i in self._documents}

    async def close(self) -> None:
        """Close the source. Safe to call twice."""
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise SourceUnavailable("the source is closed", source=self.name)


class RecordingSource:
    """Wraps a source and records the rankings that it gives."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._closed = False
        self.rankings: list[Ranking] = []

    @property
    def name(self) -> str:
        """Name of the wrapped source."""
        return self._source.name

    @property
    def kinds(self) -> frozenset[SourceKind]:
        """Kinds of the wrapped source."""
        return self._source.kinds

    @property
    def state(self) -> SnapshotReference | None:
        """State of the wrapped source."""
        return self._source.state

    @property
    def described(self) -> SourceDescription | None:
        """What the wrapped source says of itself, so that a plan names it as it does outside of a run."""
        return self._source.described if isinstance(self._source, DescribedSource) else None

    @property
    def terms(self) -> SourceDescription | None:
        """Under which terms the texts of the wrapped source may be used."""
        return self._source.terms if isinstance(self._source, TermsSource) else None

    def accepts(self, lookup: Lookup) -> bool:
        """Whether the wrapped source accepts it."""
        return self._source.accepts(lookup)

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        """Search the wrapped source and record its rankings.

        Raises:
            SourceUnavailable: this recording is closed, or the wrapped source cannot be searched.
        """
        self._check_open()
        found = await self._source.search(lookup, filters)
        self.rankings += found.rankings
        return found

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Documents from the wrapped source.

        Raises:
            SourceUnavailable: this recording is closed, or the wrapped source cannot be asked.
        """
        self._check_open()
        return await self._source.fetch(ids)

    async def close(self) -> None:
        """Stop recording. The wrapped source stays open; whoever opened it closes it."""
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise SourceUnavailable("the source is closed", source=self.name)


class RecordingCountingSource(RecordingSource):
    """The same for a source that can count. What is only counted is not recorded."""

    def __init__(self, source: Source, counting: CountingSource) -> None:
        super().__init__(source)
        self._counting = counting

    async def count(self, lookup: Lookup, filters: Filters) -> int:
        """Number of documents that the wrapped source finds.

        Raises:
            SourceUnavailable: this recording is closed, or the wrapped source cannot be asked.
        """
        self._check_open()
        return await self._counting.count(lookup, filters)


def recording(sources: Sequence[Source]) -> list[Source]:
    """The sources, wrapped to record their rankings. Sources of facts have no rankings and stay as they are."""
    return [source if isinstance(source, FactSource) else _recorded(source) for source in sources]


def _recorded(source: Source) -> Source:
    return RecordingCountingSource(source, source) if isinstance(source, CountingSource) else RecordingSource(source)


def found_documents(sources: Sequence[Source], k: int) -> tuple[DocumentId, ...]:
    """Documents of all recorded rankings, fused by RRF with `k`; each document has the rank of its best passage."""
    recorded = (source for source in sources if isinstance(source, RecordingSource))
    rankings = [ranking for source in recorded for ranking in source.rankings if ranking]
    return tuple(dict.fromkeys(hit.passage.document_id for hit in fuse(rankings, k)))[:MOST_FOUND]
