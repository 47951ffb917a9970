"""Lookups and what they find: which lookup goes where."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.values.document import Hit, Passage, SourceKind
from medground.values.graph import GraphFact, GraphFinding
from medground.values.lookup import ConceptQuery, Found, Lookup, PlainWords, ProteinQuery, Ranker
from medground.values.query import Filters, Term, Words

KINDS: tuple[SourceKind, ...] = ("research", "wiki", "graph")
SOME_KINDS = st.lists(st.sampled_from(KINDS), unique=True, max_size=3).map(tuple)


def at(node: str, text: str = "lens") -> Lookup:
    return Lookup(asked=Words(text=text), node=node)


def hit(document: str, ranker: str, rank: int = 1, start: int = 0) -> Hit:
    passage = Passage(document_id=document, start=start, end=start + 4, text="lens")
    return Hit(passage=passage, ranker=ranker, rank=rank, score=1 / rank)


@each_row(
    ("lookup", "name"),
    [
        (Lookup(asked=Term(value="lens"), text="the lens", shown="lens[tiab]"), "lens[tiab]"),
        (Lookup(asked=Term(value="lens"), text="the lens"), "the lens"),
        (Lookup(asked=PlainWords(text="Is it so?")), "Is it so?"),
        (Lookup(asked=ConceptQuery(term="Lens")), "Lens"),
        (Lookup(asked=Words(text="lens")), "lens"),
    ],
)
def test_an_answer_names_a_lookup_as_it_was_asked(lookup: Lookup, name: str) -> None:
    assert lookup.named == name


def test_words_are_looked_up_by_every_ranker_unless_some_are_chosen() -> None:
    lookup = Lookup.words("Is it the lens?", also="aorta")
    assert (lookup.asked, lookup.text) == (Words(text="Is it the lens? aorta"), "Is it the lens?")
    assert all(at("").wants(ranker) for ranker in Ranker)
    only = Lookup(asked=Words(text="lens"), rankers=(Ranker.DENSE,))
    assert [ranker for ranker in Ranker if only.wants(ranker)] == [Ranker.DENSE]


@given(
    sources=st.lists(st.sampled_from(["a", "b", "c"]), unique=True).map(tuple),
    kinds=SOME_KINDS,
    name=st.sampled_from(["a", "b", "c"]),
    held=SOME_KINDS.map(frozenset),
)
def test_a_lookup_goes_to_the_sources_and_kinds_that_it_names(
    sources: tuple[str, ...], kinds: tuple[SourceKind, ...], name: str, held: frozenset[SourceKind]
) -> None:
    lookup = Lookup(asked=Words(text="lens"), sources=sources, kinds=kinds)
    by_name = name in sources if sources else True
    by_kind = any(kind in held for kind in kinds) if kinds else True
    assert lookup.goes_to(name, held) is (by_name and by_kind)


@given(own=SOME_KINDS, asked=SOME_KINDS, year=st.none() | st.integers(1900, 2030))
def test_limits_of_a_lookup_narrow_those_of_the_question(
    own: tuple[SourceKind, ...], asked: tuple[SourceKind, ...], year: int | None
) -> None:
    filters = Filters(kinds=asked, year_from=year, ids=("PMID:1",))
    limited = Lookup(asked=Words(text="lens"), kinds=own).limited(filters)
    allowed = {k for k in KINDS if (not own or k in own) and (not asked or k in asked)}
    if limited is None:
        assert not allowed
    else:
        assert limited.model_copy(update={"kinds": asked}) == filters
        assert {k for k in KINDS if not limited.kinds or k in limited.kinds} == allowed


def test_a_passage_counts_once_however_many_rankers_found_it() -> None:
    fact = GraphFact(sentence="Odd lens is a feature.", document_id="OMIM:1", start=0, end=4)
    finding = GraphFinding(relation="feature of", status="recorded", concepts=("Odd lens", "Alpha"), facts=(fact,))
    rankings = (
        (hit("PMID:1", "bm25"), hit("PMID:2", "bm25", 2), hit("PMID:1", "bm25", 3, start=10)),
        (hit("PMID:2", "dense"),),
        (),
    )
    assert Found(at(""), "a").size == 0
    assert Found(at(""), "a", rankings=rankings).size == 3
    found = Found(at(""), "a", rankings=rankings, finding=finding)
    assert (found.size, found.facts) == (4, (fact,))
    assert found.named == "feature of: Odd lens, Alpha"
    assert Found(at("", "aorta"), "a").named == "aorta"


def test_lookups_are_equal_and_hash_by_value() -> None:
    """The cache of a run depends on it."""
    protein = ProteinQuery(name="P35555")
    assert len({Lookup(asked=protein), Lookup(asked=protein), Lookup(asked=protein, node="n")}) == 2
