"""Contract tests for stores: what every store of a corpus does, wherever it is kept.

Subclass `StoreContract` and define two fixtures: `reference`, a snapshot of `DOCUMENTS` in a folder, and `opened`, a
function that opens a store of that snapshot. A store has to rank, score and return what the reference does.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from medground.corpus.embedder import Embedder
from medground.corpus.store import Store
from medground.errors import UsageError
from medground.sources.corpus import CorpusSource
from medground.testing.sources import DOCUMENTS, Make, QueryContract, SourceContract
from medground.values.document import Hit
from medground.values.query import And, Everything, Filters, Not, Or, Phrase, Query, Range, Term, Words

Opened = Callable[[], Store]

QUERIES: tuple[Query, ...] = (
    Words(text="losartan in Marfan syndrome"),
    Words(text="Ectopia LENTIS patients"),
    Phrase(text="aortic root"),
    Phrase(text="patients syndrome", slop=3),
    Or(parts=(Term(value="zebraf", prefix=True), Term(value="10.1000/lens.1", field="identifier"))),
    And(parts=(Words(text="syndrome"), Not(part=Range(low=2000, high=2010)))),
    Everything(),
)
FILTERS = (Filters(), Filters(year_from=2000), Filters(kinds=("wiki",)), Filters(ids=("PMID:1", "PMID:2")))
_CLOSE = 1e-4


class StoreContract(SourceContract, QueryContract):
    """The tests of a store, and those of the source that searches it."""

    @pytest.fixture
    def reference(self) -> Store:
        """A snapshot of `DOCUMENTS` in a folder."""
        raise NotImplementedError("define the fixture `reference` in your test class")

    @pytest.fixture
    def opened(self) -> Opened:
        """A function that opens the store."""
        raise NotImplementedError("define the fixture `opened` in your test class")

    @pytest.fixture
    def embedder(self) -> Embedder | None:
        """The model that made the vectors of the snapshot; None where it has none."""
        return None

    @pytest.fixture
    def make(self, opened: Opened, embedder: Embedder | None) -> Make:
        """Opens the store as a source."""
        return lambda: CorpusSource(opened(), embedder)

    def test_it_says_what_it_holds(self, opened: Opened, reference: Store) -> None:
        with opened() as store:
            assert (store.reference, store.embedding) == (reference.reference, reference.embedding)
            assert (store.manifest, store.described) == (reference.manifest, reference.described)
            assert store.manifest.counts.documents == store.size() == len(DOCUMENTS)
            assert [store.size(one) for one in FILTERS] == [reference.size(one) for one in FILTERS] == [4, 2, 1, 2]
            assert store.fields == reference.fields
            for field in ("publication_type", "design", "language", "nothing"):
                assert store.values(field) == reference.values(field)
            assert store.attachment("nothing.sqlite") is None
            assert store.file_of("PMID:1") == reference.file_of("PMID:1")

    def test_documents_and_passages_are_those_that_were_stored(self, opened: Opened, reference: Store) -> None:
        with opened() as store:
            assert tuple(store.all_documents()) == DOCUMENTS
            assert list(store.documents(["PMID:3", "NOSUCH:1", "PMID:1"])) == ["PMID:3", "PMID:1"]
            numbers = [*reversed(range(store.manifest.counts.passages))]
            assert store.passages(numbers) == reference.passages(numbers)
            assert [*store.passage_texts()] == [*reference.passage_texts()]
            assert [one.id for one in store.identified(["doi:10.1000/lens.1", "pmid:2"])] == ["PMID:2", "PMID:1"]
            assert store.identified([]) == ()
            assert store.raw_records(["PMID:1", "NOSUCH:1"]) == reference.raw_records(["PMID:1", "NOSUCH:1"])
            assert [*store.all_records()] == [*reference.all_records()]

    def test_it_ranks_and_scores_as_the_reference_does(
        self, opened: Opened, reference: Store, embedder: Embedder | None
    ) -> None:
        with opened() as store:
            for query in QUERIES:
                for filters in FILTERS:
                    _same(store.bm25(query, 10, filters), reference.bm25(query, 10, filters))
            vectors = embedder.embed(["aortic root in Marfan syndrome", "fins"]) if embedder else ()
            for vector in vectors:
                for filters in FILTERS:
                    _same(store.dense(vector, 10, filters), reference.dense(vector, 10, filters))
            if embedder is None:
                import numpy as np

                with pytest.raises(UsageError, match="without vectors"):
                    store.dense(np.ones(3, dtype=np.float32), 10)

    def test_threads_may_share_it_and_it_may_be_closed_twice(self, opened: Opened) -> None:
        store = opened()
        with ThreadPoolExecutor(4) as threads:
            found = [*threads.map(lambda query: store.bm25(query, 10), QUERIES * 4)]
        assert found[: len(QUERIES)] == found[-len(QUERIES) :]
        store.close()
        store.close()


def _same(found: tuple[Hit, ...], expected: tuple[Hit, ...]) -> None:
    """The same passages in the same order with the same scores; those of equal scores may change places."""
    assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected], abs=_CLOSE)
    ranks = [(hit.rank, hit.ranker, hit.source) for hit in found]
    assert ranks == [(hit.rank, hit.ranker, hit.source) for hit in expected]
    rounded = [sorted((-round(hit.score, 3), hit.passage.key) for hit in hits) for hits in (found, expected)]
    assert rounded[0] == rounded[1]
