"""Contract tests for stores. Subclass `StoreContract` and define two fixtures: `reference`, a snapshot of `DOCUMENTS`
in a folder, and `opened`, a function that opens a store of it, which has to return and score what the folder does.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from medground.corpus.embedder import Embedder
from medground.corpus.store import Store
from medground.errors import UsageError
from medground.sources.corpus import CorpusSource
from medground.testing.sources import DOCUMENTS, Make, QueryContract, SourceContract
from medground.values.document import Hit
from medground.values.query import And, Everything, Filters, Not, Phrase, Query, Range, Words

Opened = Callable[[], Store]

QUERIES: tuple[Query, ...] = (
    Words(text="losartan in Marfan syndrome"),
    And(parts=(Words(text="syndrome"), Not(part=Range(low=2000, high=2010)))),
    Phrase(text="patients syndrome", slop=3),
    Everything(),
)
FILTERS = (Filters(), Filters(year_from=2000), Filters(kinds=("wiki",)), Filters(ids=("PMID:1", "PMID:2")))


class StoreContract(SourceContract, QueryContract):
    """The tests of a store, and those of the source that searches it."""

    embedder: Embedder | None = None
    """The model that made the vectors of the snapshot; None where it has none."""

    @pytest.fixture
    def make(self, opened: Opened) -> Make:
        """Opens the store as a source."""
        return lambda: CorpusSource(opened(), self.embedder)

    def test_it_says_and_returns_what_was_stored(self, opened: Opened, reference: Store) -> None:
        with opened() as store:
            assert (store.manifest, store.reference) == (reference.manifest, reference.reference)
            assert (store.embedding, store.described) == (reference.embedding, reference.described)
            assert (store.fields, store.size()) == (reference.fields, len(DOCUMENTS))
            assert [store.size(one) for one in FILTERS] == [4, 2, 1, 2]
            for field in ("publication_type", "design", "language", "nothing"):
                assert store.values(field) == reference.values(field)
            assert tuple(store.all_documents()) == DOCUMENTS
            assert list(store.documents(["PMID:3", "NOSUCH:1", "PMID:1"])) == ["PMID:3", "PMID:1"]
            numbers = [*reversed(range(store.manifest.counts.passages))]
            assert store.passages(numbers) == reference.passages(numbers)
            assert [*store.passage_texts()] == [*reference.passage_texts()]
            assert [one.id for one in store.identified(["doi:10.1000/lens.1", "pmid:2"])] == ["PMID:2", "PMID:1"]
            assert [*store.all_records()] == [*reference.all_records()]
            assert store.attachment("nothing.sqlite") is None
            assert store.file_of("PMID:1") == reference.file_of("PMID:1")

    def test_it_ranks_and_scores_as_the_reference_does(self, opened: Opened, reference: Store) -> None:
        with opened() as store:
            for filters in FILTERS:
                for query in QUERIES:
                    _same(store.bm25(query, 10, filters), reference.bm25(query, 10, filters))
                for vector in self.embedder.embed(["aortic root in Marfan syndrome", "fins"]) if self.embedder else ():
                    _same(store.dense(vector, 10, filters), reference.dense(vector, 10, filters))
            if self.embedder is None:
                with pytest.raises(UsageError, match="without vectors"):
                    store.dense(np.ones(3, dtype=np.float32), 10)

    def test_threads_may_share_it_and_it_may_be_closed_twice(self, opened: Opened) -> None:
        store, vectors = opened(), self.embedder.embed(["fins"]) if self.embedder else ()
        both = lambda query: (store.bm25(query, 10), [store.dense(vector, 10) for vector in vectors])  # noqa: E731
        with ThreadPoolExecutor(4) as threads:
            found = [*threads.map(both, QUERIES * 4)]
        assert found[: len(QUERIES)] == found[-len(QUERIES) :]
        store.close()
        store.close()


def _same(found: tuple[Hit, ...], expected: tuple[Hit, ...]) -> None:
    """The same ranking; passages of equal scores may change places."""
    assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected], abs=1e-4)
    one, other = ([(-round(hit.score, 3), hit.passage.key, hit.ranker) for hit in hits] for hits in (found, expected))
    assert sorted(one) == sorted(other)
