"""A corpus as a source: BM25, and dense search if the corpus has vectors and their embedding model is open."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from medground.corpus.embedder import Embedder, embed_queries
from medground.errors import ConfigError, SourceUnavailable, UsageError
from medground.sources.base import MOST_HITS, tree_of
from medground.values.answer import SnapshotReference
from medground.values.document import Document, SourceKind
from medground.values.lookup import Found, Lookup, Ranker, Ranking
from medground.values.query import Everything, Filters, Query, Words, all_of, any_of
from medground.values.source_plan import SourceDescription

if TYPE_CHECKING:
    from medground.corpus.store import Store


class CorpusSource:
    """Searches one snapshot, and closes it. Rankings: `bm25`, then `dense` if the model that made its vectors is open.

    Raises ConfigError: another model made the vectors.
    """

    kinds: frozenset[SourceKind] = frozenset(get_args(SourceKind))
    """A corpus may hold documents of any kind."""

    def __init__(self, store: Store, embedder: Embedder | None = None) -> None:
        made_by = store.embedding
        if made_by is not None and embedder is not None and made_by != embedder.identity:
            raise ConfigError(
                f"corpus {store.name} was built with the embedding model {made_by}, but {embedder.identity} is open; "
                f"rebuild it with [[--embed {embedder.name}|that model|that model]], or set retrieval.dense to false, "
                "which searches words alone"
            )
        self._store = store
        self._embedder = embedder
        self._closed = False

    @property
    def name(self) -> str:
        """`corpus:NAME`."""
        return f"corpus:{self._store.name}"

    @property
    def state(self) -> SnapshotReference:
        """The snapshot that is searched."""
        return self._store.reference

    @property
    def fields(self) -> frozenset[str]:
        """Names of the metadata fields of its documents."""
        return self._store.fields

    @property
    def described(self) -> SourceDescription | None:
        """What its builder says that it holds; None where it says nothing.

        None, too, for the pages of a graph: these are searched as text too, and the graph has the description.
        """
        return None if self.terms is not None and self.terms.kind == "graph" else self.terms

    @property
    def terms(self) -> SourceDescription | None:
        """The description with the licence and the origin of its texts, those of a graph too."""
        return self._store.described

    def accepts(self, lookup: Lookup) -> bool:
        """Query trees. A lookup for vectors alone must be plain `Words`, and needs an embedding model."""
        by_meaning = self.has_vectors and isinstance(lookup.asked, Words)
        return lookup.of_texts and (lookup.wants(Ranker.LEXICAL) or by_meaning)

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        """Search with the wanted rankers concurrently.

        Dense search takes plain `Words` only. Any other tree decides what BM25 finds, and `lookup.text` adds to the
        ranking. Raises what `Source.search` raises, and SnapshotCorrupt if the corpus has changed since it was built.
        """
        self._check_open()
        asked, limit = tree_of(lookup, self.name), lookup.limit or MOST_HITS
        if not self.accepts(lookup):
            raise UsageError(f"{self.name} cannot search this by vectors; ask for the lexical ranker")
        searches = []
        if lookup.wants(Ranker.LEXICAL):
            searches.append(asyncio.to_thread(self._store.bm25, _ranked_by(asked, lookup.text), limit, filters))
        notes: tuple[str, ...] = ()
        if isinstance(asked, Words) and lookup.wants(Ranker.DENSE):  # vectors cannot express AND, OR and NOT
            if self._embedder is not None and self.has_vectors:
                searches.append(asyncio.to_thread(self._dense, self._embedder, lookup.text, limit, filters))
            elif self._embedder is not None:  # a user who opened a model or built vectors expects them to be used
                notes = ("no vectors in this corpus: searched by words alone",)
            elif self._store.embedding is not None:
                notes = ("its vectors were not used: searched by words alone",)
        return Found(lookup, self.name, rankings=tuple(await asyncio.gather(*searches)), notes=notes)

    async def count(self, lookup: Lookup, filters: Filters) -> int:
        """Number of documents among the first `lookup.limit` passages that the words of a lookup find.

        Raises what `search` raises.
        """
        self._check_open()
        hits = await asyncio.to_thread(self._store.bm25, tree_of(lookup, self.name), lookup.limit or MOST_HITS, filters)
        return len({hit.passage.document_id for hit in hits})

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Documents by id. Unknown ids are left out. Raises what `Source.fetch` raises, and SnapshotCorrupt."""
        self._check_open()
        return await asyncio.to_thread(self._store.documents, ids)

    async def size(self, filters: Filters) -> int:
        """Number of its documents within `filters`."""
        return await asyncio.to_thread(self._store.size, filters)

    async def values(self, field: str) -> tuple[str, ...] | None:
        """Some values of a field of `where`; None if they are not held whole."""
        return await asyncio.to_thread(self._store.values, field)

    def file_of(self, document_id: str) -> Path | None:
        """The file from which a document was read; None if it is not known."""
        return self._store.file_of(document_id)

    async def close(self) -> None:
        """Close the snapshot. Safe to call twice."""
        self._closed = True
        await asyncio.to_thread(self._store.close)

    @property
    def has_vectors(self) -> bool:
        """Whether it has vectors, and their model is open."""
        return self._embedder is not None and self._store.embedding is not None

    def _dense(self, embedder: Embedder, text: str, limit: int, filters: Filters) -> Ranking:
        if not text.strip():
            return ()
        return self._store.dense(embed_queries(embedder, [text])[0], limit, filters)

    def _check_open(self) -> None:
        if self._closed:
            raise SourceUnavailable("the source is closed", source=self.name)


def _ranked_by(query: Query, text: str) -> Query:
    if isinstance(query, Words):
        from medground.language.question_reading import reading_of  # it brings MeSH

        return reading_of(query.text).query if query.field is None else query
    if not text.strip():
        return query
    return all_of([query, any_of([Words(text=text), Everything()])])
