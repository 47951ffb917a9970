"""A snapshot as a source, documents that come with an item, and sources whose searches are recorded."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from contracts import in_one_test
from refusals import refused
from rows import each_row
from small_corpora import WordEmbedder, corpus_of_documents
from store_contract import StoreContract

from medground.errors import ConfigError, UsageError
from medground.sources.base import CountingSource
from medground.sources.corpus import CorpusSource
from medground.testing import DOCUMENTS
from medground.values.document import Document
from medground.values.lookup import Lookup, PlainWords, Ranker
from medground.values.query import Everything, Filters, Not, Term, Words
from medground_evaluate.runner import GivenSource, RecordingSource, found_documents, recording

BOTH = {"built_with": WordEmbedder(), "asked_with": WordEmbedder()}


@pytest.fixture(scope="module")
def make_source(tmp_path_factory):
    """Opens a corpus, built once with vectors and once without, as a source."""
    libraries = {}

    def make(*, built_with=None, asked_with=None):
        name = built_with.name if built_with else ""
        if name not in libraries:
            libraries[name] = corpus_of_documents(tmp_path_factory.mktemp("built"), DOCUMENTS, embedder=built_with)
        return CorpusSource(libraries[name].open("papers"), asked_with)

    return make


class Embedded(StoreContract):
    @pytest.fixture
    def opened(self, make_source):
        return lambda: make_source(built_with=self.embedder)._store

    @pytest.fixture
    def reference(self, opened):
        with opened() as store:
            yield store


@in_one_test
class TestWordsAlone(Embedded):
    pass


@in_one_test
class TestWithVectors(Embedded):
    embedder = WordEmbedder()
    nothing = None  # vectors always have a nearest neighbour


def search(source, text="marfan syndrome", **more):
    lookup = Lookup(**{"asked": Words(text=text), "text": text, "limit": 10, **more})
    return asyncio.run(source.search(lookup, Filters()))


def test_one_ranking_per_ranker_and_a_note_where_vectors_are_expected_and_not_used(make_source):
    found = search(make_source(**BOTH))
    assert ([ranking[0].ranker for ranking in found.rankings], found.notes) == (["bm25", "dense"], ())
    without = make_source(asked_with=WordEmbedder())
    assert search(without).notes == ("no vectors in this corpus: searched by words alone",)
    assert search(without, rankers=(Ranker.LEXICAL,)).notes == ()
    assert search(make_source()).notes == ()
    found = search(make_source(built_with=WordEmbedder()))
    assert found.notes == ("its vectors were not used: searched by words alone",)


@each_row(
    ("models", "rankers", "asked", "accepted"),
    [
        ({}, (), Words(text="marfan"), True),
        ({}, (Ranker.DENSE,), Words(text="marfan"), False),
        (BOTH, (Ranker.DENSE,), Words(text="marfan"), True),
        (BOTH, (Ranker.DENSE,), Term(value="marfan"), False),
        (BOTH, (), PlainWords(text="Is it the lens?"), False),
    ],
)
def test_dense_search_needs_vectors_a_model_and_plain_words(make_source, models, rankers, asked, accepted):
    source = make_source(**models)
    lookup = Lookup(asked=asked, text="marfan", rankers=rankers, limit=10)
    assert source.accepts(lookup) is accepted
    if accepted:
        assert asyncio.run(source.search(lookup, Filters())).size
    else:
        refused(UsageError, "corpus:papers", lambda: asyncio.run(source.search(lookup, Filters())))


def test_a_query_tree_is_not_searched_by_meaning_and_no_words_find_nothing(make_source):
    source = make_source(**BOTH)
    found = search(source, asked=Not(part=Term(value="marfan")))
    assert ([ranking[0].ranker for ranking in found.rankings], found.notes) == (["bm25"], ())
    assert {hit.passage.document_id for hit in found.rankings[0]} == {"PMID:3", "PMID:4"}
    assert search(source, " ").rankings == ((), ())
    assert (source.name, source.state.name, len(source.state.hash)) == ("corpus:papers", "papers", 64)
    refused(UsageError, "limit", search, source, limit=10_001)
    with pytest.raises(ConfigError, match=r"built with the embedding model words@1, but other@1 is open; rebuild it"):
        make_source(built_with=WordEmbedder(), asked_with=WordEmbedder("other"))


def test_all_searches_are_recorded_and_fused_by_document(memory_source: Any) -> None:
    long = Document(id="PMID:7", text="Lens and aorta. " * 400)  # several passages
    source = RecordingSource(memory_source([DOCUMENTS[0], long]))
    assert found_documents([source], 60) == ()
    for text in ("ectopia lentis", "aorta lens"):
        asyncio.run(source.search(Lookup.words(text), Filters()))
    assert len(source.rankings) == 2
    asyncio.run(RecordingSource(source).close())  # which leaves the source that it wraps open
    given = asyncio.run(GivenSource(DOCUMENTS[::-1]).search(Lookup(asked=Term(value="nowhere")), Filters()))
    assert [hit.passage.document_id for hit in given.rankings[0]] == [one.id for one in DOCUMENTS[::-1]]
    assert sorted(found_documents([source, memory_source(DOCUMENTS)], 60)) == ["PMID:1", "PMID:7"]


def test_facts_and_what_is_only_counted_are_not_recorded(memory_source: Any) -> None:
    class Facts(memory_source):  # type: ignore[misc]
        def entails(self, fact: Any) -> bool:
            return True

    facts = Facts([])
    assert recording([facts]) == [facts]

    class Counting(memory_source):  # type: ignore[misc]
        async def count(self, lookup: Lookup, filters: Filters) -> int:
            return 7

    wrapped = recording([Counting(DOCUMENTS), memory_source(DOCUMENTS)])
    assert [isinstance(source, CountingSource) for source in wrapped] == [True, False]
    counting = wrapped[0]
    assert isinstance(counting, CountingSource)
    lookup = Lookup(asked=Everything(), text="marfan", limit=5)
    assert asyncio.run(counting.count(lookup, Filters())) == 7
    assert counting.rankings == []
