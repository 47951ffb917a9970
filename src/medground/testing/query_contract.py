"""More contract tests, for sources that answer query trees: boolean queries, filters and rankings.

    class TestMyIndex(SourceContract, QueryContract):
        @pytest.fixture
        def make(self, tmp_path):
            return lambda: MyIndex(tmp_path, DOCUMENTS)

The source must hold exactly `DOCUMENTS`.
"""

from __future__ import annotations

import asyncio

import pytest

from medground.errors import UsageError
from medground.lookup import Found, Lookup, Ranker
from medground.query import And, Everything, Filters, Not, Or, Phrase, Query, Range, Term, Words
from medground.sources.base import MOST_HITS, CountingSource, Source
from medground.testing.documents import DOCUMENTS
from medground.testing.source_contract import searched


class QueryContract:
    """The tests. Inherit from `SourceContract` too, which provides the fixture `source`."""

    def test_words_rank_the_better_match_higher(self, source: Source) -> None:
        assert _ids(source, Words(text="losartan for Marfan syndrome"))[0] == "PMID:2"

    @pytest.mark.parametrize("limit", [1, 2])
    def test_the_limit_holds_where_everything_matches(self, source: Source, limit: int) -> None:
        found = _search(source, Everything(), limit=limit)
        assert [len(ranking) for ranking in found.rankings[:1]] == [limit]
        assert all(len(ranking) <= limit for ranking in found.rankings)

    def test_a_limit_that_is_too_high_is_refused(self, source: Source) -> None:
        with pytest.raises(UsageError, match="limit"):
            _search(source, Everything(), limit=MOST_HITS + 1)

    def test_only_the_wanted_rankers_are_used(self, source: Source) -> None:
        """The rankings for each ranker alone are those for all rankers together."""
        every = Lookup(asked=Words(text="marfan syndrome"), text="marfan syndrome", limit=10)
        alone = [every.model_copy(update={"rankers": (ranker,)}) for ranker in Ranker]
        found = [searched(source, lookup) for lookup in alone if source.accepts(lookup)]
        assert tuple(ranking for one in found for ranking in one.rankings) == searched(source, every).rankings

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
    def test_filters_limit_what_is_found(self, source: Source, filters: Filters, allowed: set[str]) -> None:
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
    def test_boolean_queries_phrases_and_fields(self, source: Source, query: Query, expected: set[str]) -> None:
        assert _lexical_ids(source, query) == expected

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            (And(parts=(Term(value="marfan"), Term(value="losartan"))), 1),
            (Or(parts=(Term(value="losartan"), Term(value="zebrafish"))), 2),
            (Phrase(text="root aortic"), 0),
        ],
    )
    def test_a_count_is_the_number_of_documents_found(self, source: Source, query: Query, found: int) -> None:
        if not isinstance(source, CountingSource):
            pytest.skip("the source does not count")
        lookup = Lookup(asked=query, text="marfan", limit=100)
        assert asyncio.run(source.count(lookup, Filters())) == found == len(_lexical_ids(source, query))
        assert asyncio.run(source.count(lookup, Filters(year_from=2100))) == 0

    @pytest.mark.parametrize("text", ["Größe", "β-catenin", "数据", "naïve", "NAIVE"])
    def test_letters_of_all_alphabets(self, source: Source, text: str) -> None:
        assert "PMID:3" in _lexical_ids(source, Words(text=text))

    @pytest.mark.parametrize(
        "text", ["", "   ", "?!", "(((", 'title:"', "AND OR NOT", "*", "\\", "the of", "a" * 20_000]
    )
    def test_text_is_never_read_as_a_query_language(self, source: Source, text: str) -> None:
        for query in (Words(text=text), Phrase(text=text), Term(value=text), Term(value=text, prefix=True)):
            _search(source, query, text=text or "x")

    def test_fetch_gives_whole_documents(self, source: Source) -> None:
        wanted = ["PMID:3", "PMID:404", "PMID:1", "PMID:3"]
        assert asyncio.run(source.fetch(wanted)) == {d.id: d for d in DOCUMENTS if d.id in wanted}

    @pytest.mark.parametrize("word", ["marfan", "losartan", "zebrafish", "migraine"])
    def test_every_document_can_be_found(self, source: Source, word: str) -> None:
        assert _lexical_ids(source, Words(text=word))


def _search(
    source: Source, query: Query, *, text: str = "marfan syndrome", limit: int = 100, filters: Filters | None = None
) -> Found:
    lookup = Lookup(asked=query, text=text, limit=limit)
    assert source.accepts(lookup)
    return searched(source, lookup, filters)


def _ids_of(found: Found) -> set[str]:
    return {hit.passage.document_id for ranking in found.rankings for hit in ranking}


def _ids(source: Source, query: Query, filters: Filters | None = None) -> list[str]:
    """Documents of the first ranking, which applies the tree."""
    ranking = _search(source, query, filters=filters).rankings[0]
    return list(dict.fromkeys(hit.passage.document_id for hit in ranking))


def _lexical_ids(source: Source, query: Query) -> set[str]:
    return set(_ids(source, query))
