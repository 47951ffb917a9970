"""A snapshot as a source: BM25, and vectors where the snapshot and an embedding model are there."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from medground.answer import SnapshotReference
from medground.corpus.embedding.base import Embedder
from medground.corpus.snapshot import Snapshot
from medground.document import Document
from medground.errors import ConfigError, SourceUnavailable, UsageError
from medground.query import Everything, Filters, Query, Words, all_of, any_of
from medground.sources.base import Found, Ranking

_MOST = 10_000


class CorpusSource:
    """Searches one snapshot. Rankings: `bm25`, then `dense`.

    Args:
        snapshot: what to search; the source closes it.
        embedder: the model that made the snapshot's vectors, or None to search by words alone.

    Raises:
        ConfigError: the vectors were made by another model.
    """

    def __init__(self, snapshot: Snapshot, embedder: Embedder | None = None) -> None:
        built = snapshot.manifest.embedding
        if built is not None and embedder is not None and built.identity != embedder.identity:
            name = snapshot.manifest.name
            raise ConfigError(
                f"corpus {name} was built with the embedding model {built.identity}, the one now is "
                f"{embedder.identity}; build it again with medground corpus build {name} PATH --embed {embedder.name}, "
                "or search by words alone with --set retrieval.dense=false"
            )
        self._snapshot = snapshot
        self._embedder = embedder
        self._closed = False

    @property
    def name(self) -> str:
        """`corpus:NAME`."""
        return f"corpus:{self._snapshot.manifest.name}"

    @property
    def snapshot(self) -> SnapshotReference:
        """The frozen state that is searched."""
        return self._snapshot.reference

    async def search(self, query: Query, *, text: str, limit: int, filters: Filters) -> Found:
        """Search by words and, where possible, by meaning at once.

        A tree that is more than `Words` decides what is found, by words alone; what it finds is ranked by the words of
        `text` too.

        Raises:
            UsageError: `limit` is not in 1..10000.
            SourceUnavailable: the source is closed.
            SnapshotCorrupt: the snapshot differs from what was built.
        """
        self._check_open()
        if not 1 <= limit <= _MOST:
            raise UsageError(f"a search takes a limit from 1 to {_MOST}, not {limit}")
        words = asyncio.to_thread(self._snapshot.bm25, _ranked_by(query, text), limit, filters)
        if not isinstance(query, Words):
            return Found(rankings=(await words,))  # vectors know nothing of AND, OR and NOT
        if self._embedder is None or not self._snapshot.has_vectors:
            return Found(rankings=(await words,), notes=self._note())
        meaning = asyncio.to_thread(self._dense, self._embedder, text, limit, filters)
        return Found(rankings=tuple(await asyncio.gather(words, meaning)))

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Documents by id; ids that it does not hold are absent.

        Raises:
            SourceUnavailable: the source is closed.
            SnapshotCorrupt: the snapshot differs from what was built.
        """
        self._check_open()
        return await asyncio.to_thread(self._snapshot.documents, ids)

    async def close(self) -> None:
        """Close the snapshot. Safe to call twice."""
        self._closed = True
        await asyncio.to_thread(self._snapshot.close)

    def _dense(self, embedder: Embedder, text: str, limit: int, filters: Filters) -> Ranking:
        if not text.strip():
            return ()
        return self._snapshot.dense(embedder.embed([text])[0], limit, filters)

    def _note(self) -> tuple[str, ...]:
        """Said only to someone who expects vectors: who has a model open, or has built them."""
        if self._embedder is not None:
            return ("no vectors in this corpus: searched by words alone",)
        if self._snapshot.has_vectors:
            return ("its vectors were not used: searched by words alone",)
        return ()

    def _check_open(self) -> None:
        if self._closed:
            raise SourceUnavailable("the source is closed", source=self.name)


def _ranked_by(query: Query, text: str) -> Query:
    if isinstance(query, Words) or not text.strip():
        return query
    return all_of([query, any_of([Words(text=text), Everything()])])
