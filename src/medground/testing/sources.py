"""Contract tests for sources. Subclass `SourceContract` and define the fixture `make`; pytest runs the rest.

    class TestMySource(SourceContract):
        @pytest.fixture
        def make(self, tmp_path):
            return lambda: MySource(tmp_path, DOCUMENTS)

`make` returns a function that opens a new source each time. The default `lookups` suit a source that holds `DOCUMENTS`
and answers query trees; replace them for other sources.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, get_args

import pytest
from pydantic import TypeAdapter

from medground.errors import SourceUnavailable, UsageError
from medground.home.files import tables
from medground.sources.base import MOST_HITS, CountingSource, FactSource, Source
from medground.values.document import Document, SourceKind
from medground.values.lookup import ConceptQuery, Found, Lookup, LookupForm, PlainWords, ProteinQuery, Ranker
from medground.values.query import And, Everything, Filters, Phrase, Query, Term, Words

Make = Callable[[], Source]

EVERY_FORM: tuple[LookupForm, ...] = (
    Words(text="marfan"),
    Term(value="marfan"),
    PlainWords(text="What is Marfan syndrome?"),
    ConceptQuery(term="Marfan syndrome"),
    ProteinQuery(name="P35555"),
)
"""Something of each form to ask."""


class SourceContract:
    """The tests. Each opens a source with `make`."""

    lookups: ClassVar[Sequence[Lookup]] = tuple(
        Lookup(asked=Words(text=text), text=text)
        for text in ("Marfan syndrome aortic lentis", "zebrafish fins", "migraine")
    )
    """Lookups that the source accepts and that find something."""

    nothing: ClassVar[Lookup | None] = Lookup(asked=Words(text="xylophone"), text="xylophone")
    """A lookup that the source accepts and that finds nothing; None for a source that always finds something."""

    @pytest.fixture
    def make(self) -> Make:
        """A function that opens the source."""
        raise NotImplementedError("define the fixture `make` in your test class")

    @pytest.fixture
    def source(self, make: Make) -> Iterator[Source]:
        """The source under test."""
        source = make()
        yield source
        asyncio.run(source.close())

    def test_name_kinds_and_state_are_stable(self, source: Source, make: Make) -> None:
        assert source.name
        assert source.kinds
        assert source.kinds <= set(get_args(SourceKind))
        other = make()
        assert (source.name, source.kinds, source.state) == (other.name, other.kinds, other.state)
        asyncio.run(other.close())

    def test_it_accepts_its_own_lookups(self, source: Source) -> None:
        for lookup in self.lookups:
            assert source.accepts(lookup)

    @pytest.mark.parametrize("rankers", [(), *((ranker,) for ranker in Ranker)])
    @pytest.mark.parametrize("asked", EVERY_FORM, ids=lambda asked: type(asked).__name__)
    def test_a_lookup_that_it_does_not_accept_is_an_error(
        self, source: Source, asked: LookupForm, rankers: tuple[Ranker, ...]
    ) -> None:
        """An empty result would read as "asked and found nothing"."""
        lookup = Lookup(asked=asked, text="marfan", rankers=rankers)
        if not source.accepts(lookup):
            with pytest.raises(UsageError, match=r"\S"):
                searched(source, lookup)

    def test_results_name_their_source_and_lookup(self, source: Source) -> None:
        for lookup in self.lookups:
            found = searched(source, lookup)
            assert found.source == source.name
            assert found.lookup.asked == lookup.asked
            assert found.understood
            assert found.size
            assert {hit.source for ranking in found.rankings for hit in ranking} <= {source.name}

    def test_ranks_count_from_one_in_the_order_of_scores(self, source: Source) -> None:
        for lookup in self.lookups:
            for ranking in searched(source, lookup).rankings:
                assert [hit.rank for hit in ranking] == list(range(1, len(ranking) + 1))
                scores = [hit.score for hit in ranking]
                assert scores == sorted(scores, reverse=True)
                assert len({hit.ranker for hit in ranking}) <= 1
                assert len({hit.passage.key for hit in ranking}) == len(ranking)

    def test_passages_are_slices_of_their_documents(self, source: Source) -> None:
        for lookup in self.lookups:
            for hit in (hit for ranking in searched(source, lookup).rankings for hit in ranking):
                document = asyncio.run(source.fetch([hit.passage.document_id]))[hit.passage.document_id]
                assert document.text[hit.passage.start : hit.passage.end] == hit.passage.text
                assert hit.passage.retraction == document.retraction
                assert (hit.passage.year, hit.passage.kind) == (document.year, document.kind)
                assert document.kind in source.kinds

    def test_facts_are_parts_of_their_documents_and_follow_from_the_stored_relation(self, source: Source) -> None:
        for lookup in self.lookups:
            for fact in searched(source, lookup).facts:
                document = asyncio.run(source.fetch([fact.document_id]))[fact.document_id]
                assert document.text[fact.start : fact.end].strip()
                assert isinstance(source, FactSource)
                assert source.entails(fact)
                assert not source.entails(fact.replace(sentence=f"It is not true that {fact.sentence}"))

    @pytest.mark.parametrize("limit", [1, 2])
    def test_the_limit_holds_for_each_ranking(self, source: Source, limit: int) -> None:
        for lookup in self.lookups:
            found = searched(source, lookup.replace(limit=limit))
            assert all(len(ranking) <= limit for ranking in found.rankings)

    def test_nothing_found_is_empty_and_not_a_failure(self, source: Source) -> None:
        if self.nothing is not None:
            assert source.accepts(self.nothing)
            assert searched(source, self.nothing).size == 0

    def test_fetch_leaves_out_unknown_ids(self, source: Source) -> None:
        assert asyncio.run(source.fetch(["PMID:999999999", "NOSUCH:1"])) == {}
        assert asyncio.run(source.fetch([])) == {}

    def test_fetch_gives_each_document_under_its_id(self, source: Source) -> None:
        ids = self.found_ids(source)
        fetched = asyncio.run(source.fetch([*ids, *ids, "NOSUCH:1"]))
        assert set(fetched) == set(ids)
        assert all(document.id == name for name, document in fetched.items())

    def test_the_same_lookup_gives_the_same_result(self, source: Source) -> None:
        for lookup in self.lookups:
            assert searched(source, lookup) == searched(source, lookup)

    def test_lookups_at_once_do_not_disturb_one_another(self, source: Source) -> None:
        lookups = [lookup.replace(limit=5) for lookup in self.lookups] * 5

        async def all_at_once() -> list[Found]:
            return list(await asyncio.gather(*(source.search(lookup, Filters()) for lookup in lookups)))

        assert asyncio.run(all_at_once()) == [searched(source, lookup) for lookup in lookups]

    def test_a_closed_source_raises(self, make: Make) -> None:
        source = make()
        asyncio.run(source.close())
        asyncio.run(source.close())
        with pytest.raises(SourceUnavailable):
            searched(source, self.lookups[0])
        with pytest.raises(SourceUnavailable):
            asyncio.run(source.fetch(["PMID:1"]))

    def found_ids(self, source: Source) -> list[str]:
        """Ids of the documents that the lookups find."""
        ids: dict[str, None] = {}
        for lookup in self.lookups:
            found = searched(source, lookup)
            ids |= {hit.passage.document_id: None for ranking in found.rankings for hit in ranking}
            ids |= {fact.document_id: None for fact in found.facts}
        return list(ids)


def searched(source: Source, lookup: Lookup, filters: Filters | None = None) -> Found:
    """Search the source; `lookup.limit` is 100 unless it is set."""
    filled = lookup if lookup.limit else lookup.replace(limit=100)
    return asyncio.run(source.search(filled, filters or Filters()))


_TABLES = tables("testing", "contract")
DOCUMENTS: tuple[Document, ...] = tuple(map(Document.model_validate, _TABLES["documents"]))
_TREE: TypeAdapter[Query] = TypeAdapter(Query)


class QueryContract:
    """The tests of sources that answer query trees. Inherit from `SourceContract` too, which has `source`."""

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
        every = Lookup(asked=Words(text="marfan syndrome"), text="marfan syndrome", limit=10)
        alone = [every.replace(rankers=(ranker,)) for ranker in Ranker]
        found = [searched(source, lookup) for lookup in alone if source.accepts(lookup)]
        assert tuple(ranking for one in found for ranking in one.rankings) == searched(source, every).rankings

    @pytest.mark.parametrize(("filters", "allowed"), [(Filters(**one), {*ids}) for one, ids in _TABLES["filters"]])
    def test_filters_limit_what_is_found(self, source: Source, filters: Filters, allowed: set[str]) -> None:
        found = _search(source, Everything(), filters=filters)
        assert {hit.passage.document_id for ranking in found.rankings for hit in ranking} == allowed

    def test_filters_do_not_change_the_order(self, source: Source) -> None:
        query = Words(text="marfan syndrome aortic root")
        free = [i for i in _ids(source, query) if i in {"PMID:1", "PMID:2"}]
        assert _ids(source, query, Filters(year_to=2010)) == free

    @pytest.mark.parametrize(
        ("query", "expected"), [(_TREE.validate_python(tree), {*ids}) for tree, ids in _TABLES["queries"]]
    )
    def test_boolean_queries_phrases_and_fields(self, source: Source, query: Query, expected: set[str]) -> None:
        assert set(_ids(source, query)) == expected

    @pytest.mark.parametrize(
        ("query", "found"),
        [(And(parts=(Term(value="marfan"), Term(value="losartan"))), 1), (Phrase(text="root aortic"), 0)],
    )
    def test_a_count_is_the_number_of_documents_found(self, source: Source, query: Query, found: int) -> None:
        if not isinstance(source, CountingSource):
            pytest.skip("the source does not count")
        lookup = Lookup(asked=query, text="marfan", limit=100)
        assert asyncio.run(source.count(lookup, Filters())) == found == len(set(_ids(source, query)))
        assert asyncio.run(source.count(lookup, Filters(year_from=2100))) == 0

    @pytest.mark.parametrize("text", ["Größe", "β-catenin", "数据", "naïve", "NAIVE"])
    def test_letters_of_all_alphabets(self, source: Source, text: str) -> None:
        assert "PMID:3" in set(_ids(source, Words(text=text)))

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
        assert set(_ids(source, Words(text=word)))


def _search(
    source: Source, query: Query, *, text: str = "marfan syndrome", limit: int = 100, filters: Filters | None = None
) -> Found:
    lookup = Lookup(asked=query, text=text, limit=limit)
    assert source.accepts(lookup)
    return searched(source, lookup, filters)


def _ids(source: Source, query: Query, filters: Filters | None = None) -> list[str]:
    ranking = _search(source, query, filters=filters).rankings[0]
    return list(dict.fromkeys(hit.passage.document_id for hit in ranking))
