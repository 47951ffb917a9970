"""Contract tests that every source of documents must pass.

    class TestMySource(SourceContract):
        @pytest.fixture
        def make(self, tmp_path):
            return lambda documents: MySource(tmp_path, documents)

`make` takes documents and gives a source that holds exactly those. pytest then runs every test below on it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence

import pytest

from medground.document import Document, Hit, MeshHeading
from medground.errors import SourceUnavailable
from medground.query import And, Everything, Filters, Not, Or, Phrase, Query, Range, Term, Words
from medground.sources.base import Found, Source

Make = Callable[[Sequence[Document]], Source]

DOCUMENTS: tuple[Document, ...] = (
    Document(
        id="PMID:1",
        title="Ectopia lentis in Marfan syndrome",
        text="Ectopia lentis was found in sixty percent of patients with Marfan syndrome. FBN1 variants were common.",
        year=1999,
        mesh=(MeshHeading(descriptor="Marfan Syndrome", major=True, qualifiers=("genetics",)),),
        publication_types=("Journal Article", "Review"),
        authors=("Dietz HC",),
        journal="Ophthalmology",
        language="eng",
        keywords=("lens dislocation",),
        identifiers={"doi": "10.1000/lens.1"},
    ),
    Document(
        id="PMID:2",
        title="Losartan and the aortic root",
        text="In a trial of losartan, dilation of the aortic root in Marfan syndrome slowed. Syndrome onset differed.",
        year=2008,
        publication_types=("Randomized Controlled Trial",),
        language="eng",
    ),
    Document(
        id="PMID:3",
        title="Zebrafish fins",
        text="Fin regeneration in zebrafish needs blastema cells. Größe und β-catenin 数据 were seen in naïve fish.",
        year=2015,
        kind="wiki",
    ),
    Document(id="PMID:4", title="A withdrawn paper", text="Vitamin drinks cure migraine.", retraction="retracted"),
)


class SourceContract:
    """Inherit from it and define the fixture `make`."""

    @pytest.fixture
    def make(self) -> Make:
        """A function from documents to a source that holds them."""
        raise NotImplementedError("define the fixture `make` in the class of your tests")

    @pytest.fixture
    def source(self, make: Make) -> Iterator[Source]:
        """The source under test, holding `DOCUMENTS`."""
        source = make(DOCUMENTS)
        yield source
        asyncio.run(source.close())

    def test_ranks_count_from_one_in_the_order_of_scores(self, source: Source) -> None:
        found = _search(source, Words(text="Marfan syndrome aortic lentis"))
        assert found.rankings, "a source gives a ranking for each of its rankers, empty ones too"
        for ranking in found.rankings:
            assert [hit.rank for hit in ranking] == list(range(1, len(ranking) + 1))
            scores = [hit.score for hit in ranking]
            assert scores == sorted(scores, reverse=True)
            assert len({hit.ranker for hit in ranking}) <= 1
            assert len({hit.passage.key for hit in ranking}) == len(ranking)
            assert {hit.source for hit in ranking} <= {source.name}

    def test_passages_are_slices_of_their_documents(self, source: Source) -> None:
        for query in (Words(text="marfan syndrome"), Words(text="zebrafish"), Words(text="migraine")):
            for hit in _hits(source, query):
                document = asyncio.run(source.fetch([hit.passage.document_id]))[hit.passage.document_id]
                assert document.text[hit.passage.start : hit.passage.end] == hit.passage.text
                assert hit.passage.retraction == document.retraction
                assert (hit.passage.year, hit.passage.kind) == (document.year, document.kind)

    def test_words_rank_the_better_match_higher(self, source: Source) -> None:
        assert _ids(source, Words(text="losartan for Marfan syndrome"))[0] == "PMID:2"

    @pytest.mark.parametrize("limit", [1, 2])
    def test_the_limit_holds_for_each_ranking(self, source: Source, limit: int) -> None:
        found = _search(source, Everything(), limit=limit)
        assert all(len(ranking) <= limit for ranking in found.rankings)

    @pytest.mark.parametrize(
        ("filters", "allowed"),
        [
            (Filters(year_from=2000), {"PMID:2", "PMID:3"}),
            (Filters(year_to=2008), {"PMID:1", "PMID:2"}),
            (Filters(year_from=2008, year_to=2008), {"PMID:2"}),
            (Filters(kinds=("wiki",)), {"PMID:3"}),
            (Filters(publication_types=("Review",)), {"PMID:1"}),
            (Filters(publication_types=("review", "Randomized Controlled Trial")), {"PMID:1", "PMID:2"}),
            (Filters(ids=("PMID:3", "PMID:999")), {"PMID:3"}),
            (Filters(ids=("PMID:1", "PMID:2"), year_from=2000), {"PMID:2"}),
            (Filters(), {"PMID:1", "PMID:2", "PMID:3", "PMID:4"}),
        ],
    )
    def test_filters_decide_what_may_be_found(self, source: Source, filters: Filters, allowed: set[str]) -> None:
        found = _search(source, Everything(), filters=filters)
        for ranking in found.rankings:
            assert {hit.passage.document_id for hit in ranking} <= allowed
        assert _ids_of(found) == allowed

    def test_filters_do_not_change_the_order(self, source: Source) -> None:
        query = Words(text="marfan syndrome aortic root")
        free = [i for i in _ids(source, query) if i in {"PMID:1", "PMID:2"}]
        assert _ids(source, query, Filters(year_to=2010)) == free

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            (Phrase(text="aortic root"), {"PMID:2"}),
            (Phrase(text="root aortic"), set()),
            (Phrase(text="Marfan syndrome", field="title"), {"PMID:1"}),
            (Phrase(text="patients syndrome", slop=3), {"PMID:1"}),
            (And(parts=(Term(value="marfan"), Term(value="losartan"))), {"PMID:2"}),
            (Or(parts=(Term(value="losartan"), Term(value="zebrafish"))), {"PMID:2", "PMID:3"}),
            (And(parts=(Term(value="marfan"), Not(part=Term(value="losartan")))), {"PMID:1"}),
            (Not(part=Term(value="marfan")), {"PMID:3", "PMID:4"}),
            (Not(part=Not(part=Term(value="zebrafish"))), {"PMID:3"}),
            (Or(parts=(Not(part=Term(value="marfan")), Term(value="losartan"))), {"PMID:2", "PMID:3", "PMID:4"}),
            (And(parts=(Not(part=Term(value="marfan")), Not(part=Term(value="migraine")))), {"PMID:3"}),
            (Term(value="zebraf", prefix=True), {"PMID:3"}),
            (Term(value="Marfan Syndrome", field="mesh"), {"PMID:1"}),
            (Term(value="Marfan", field="mesh"), set()),
            (Term(value="marfan syndrome", field="mesh_major"), {"PMID:1"}),
            (Term(value="Review", field="publication_type"), {"PMID:1"}),
            (Term(value="PMID:3", field="id"), {"PMID:3"}),
            (Term(value="wiki", field="kind"), {"PMID:3"}),
            (Term(value="retracted", field="retraction"), {"PMID:4"}),
            (Term(value="10.1000/lens.1", field="identifier"), {"PMID:1"}),
            (Term(value="Dietz", field="author"), {"PMID:1"}),
            (Term(value="Ophthalmology", field="journal"), {"PMID:1"}),
            (Term(value="eng", field="language"), {"PMID:1", "PMID:2"}),
            (Phrase(text="lens dislocation", field="keyword"), {"PMID:1"}),
            (Term(value="2008", field="year"), {"PMID:2"}),
            (Range(low=2000, high=2015), {"PMID:2", "PMID:3"}),
            (Range(low=2009), {"PMID:3"}),
            (Range(), {"PMID:1", "PMID:2", "PMID:3"}),
        ],
    )
    def test_the_tree_is_obeyed(self, source: Source, query: Query, expected: set[str]) -> None:
        assert _lexical_ids(source, query) == expected

    @pytest.mark.parametrize("text", ["Größe", "β-catenin", "数据", "naïve", "NAIVE"])
    def test_letters_of_all_alphabets(self, source: Source, text: str) -> None:
        assert "PMID:3" in _lexical_ids(source, Words(text=text))

    @pytest.mark.parametrize(
        "text", ["", "   ", "?!", "(((", 'title:"', "AND OR NOT", "*", "\\", "the of", "a" * 20_000]
    )
    def test_text_is_never_read_as_a_query_language(self, source: Source, text: str) -> None:
        for query in (Words(text=text), Phrase(text=text), Term(value=text), Term(value=text, prefix=True)):
            _search(source, query, text=text or "x")

    def test_nothing_matches_is_empty_and_no_failure(self, source: Source) -> None:
        assert _lexical_ids(source, Term(value="xylophone")) == set()

    def test_fetch_gives_whole_documents_and_leaves_out_unknown_ids(self, source: Source) -> None:
        wanted = ["PMID:3", "PMID:404", "PMID:1", "PMID:3"]
        fetched = asyncio.run(source.fetch(wanted))
        assert fetched == {d.id: d for d in DOCUMENTS if d.id in wanted}
        assert asyncio.run(source.fetch([])) == {}

    def test_the_same_search_gives_the_same_result(self, source: Source) -> None:
        query = Words(text="syndrome patients cells")
        assert _search(source, query) == _search(source, query)

    def test_searches_at_once_do_not_disturb_one_another(self, source: Source) -> None:
        queries = [Words(text=word) for word in ("marfan", "losartan", "zebrafish", "migraine")] * 5

        async def all_at_once() -> list[Found]:
            asked = [source.search(q, text="marfan", limit=5, filters=Filters()) for q in queries]
            return list(await asyncio.gather(*asked))

        assert asyncio.run(all_at_once()) == [_search(source, q, text="marfan", limit=5) for q in queries]

    def test_a_closed_source_says_that_it_cannot_be_asked(self, make: Make) -> None:
        source = make(DOCUMENTS)
        asyncio.run(source.close())
        asyncio.run(source.close())
        with pytest.raises(SourceUnavailable):
            _search(source, Everything())
        with pytest.raises(SourceUnavailable):
            asyncio.run(source.fetch(["PMID:1"]))


def _search(
    source: Source, query: Query, *, text: str = "marfan syndrome", limit: int = 100, filters: Filters | None = None
) -> Found:
    return asyncio.run(source.search(query, text=text, limit=limit, filters=filters or Filters()))


def _ids_of(found: Found) -> set[str]:
    return {hit.passage.document_id for ranking in found.rankings for hit in ranking}


def _hits(source: Source, query: Query) -> list[Hit]:
    return [hit for ranking in _search(source, query).rankings for hit in ranking]


def _ids(source: Source, query: Query, filters: Filters | None = None) -> list[str]:
    """Documents of the first ranking, which is the one that obeys the tree."""
    ranking = _search(source, query, filters=filters).rankings[0]
    return list(dict.fromkeys(hit.passage.document_id for hit in ranking))


def _lexical_ids(source: Source, query: Query) -> set[str]:
    return set(_ids(source, query))
