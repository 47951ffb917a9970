"""Plans of sources: made by words, and read from what models write."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st
from rows import each_row
from views import keyless

from medground.recipes.omni_rag.by_words import (
    by_words,
    graph_terms,
    lookups_of_all,
    plan,
)
from medground.recipes.omni_rag.operators import ExploredSource, PlanSourcesInput, plan_sources
from medground.recipes.omni_rag.read_plan import LONGEST_QUERY, ReadPlan, read_plan
from medground.values.document import SourceKind
from medground.values.source_plan import MOST_QUERIES, SourceDescription, SourcePlan, SourceQuery, tagged

KINDS: tuple[SourceKind, ...] = ("book", "guideline", "research", "wiki", "graph")
FIVE: list[tuple[str, SourceKind]] = [(kind, kind) for kind in KINDS]


@settings(max_examples=25)
@given(st.text(max_size=400))
def test_any_text_has_queries(text: str) -> None:
    if text.strip():
        assert by_words(text)
        output = keyless(plan_sources, PlanSourcesInput(question=text, sources=SEEN))
        assert all(len(query.text) <= 200 for one in output.plan for query in one.queries)
    assert len(by_words(text).split()) <= 40
    assert all(term and "," not in term and ";" not in term for term in graph_terms(text))
    assert ";" not in by_words(text)


def test_a_query_by_words_leaves_out_politeness_and_a_case_becomes_what_it_asks_and_names() -> None:
    assert by_words("Hello, can you please tell me about Kawasaki disease? Thanks!") == "Kawasaki disease"
    assert by_words("Which of the following is a peroxisomal disorder?") == "a peroxisomal disorder"
    case = (
        "A 60-year-old man with gout comes to the office because his big toe has been red and painful for the last two "
        "days. He takes hydrochlorothiazide every morning and drinks three beers with his friends in the evening. His "
        "temperature is 38 C and his pulse is 97/min. What is the best drug for him now?"
    )
    query = by_words(case)
    assert query.startswith("What is the best drug for him now")
    assert {"gout", "hydrochlorothiazide"} <= set(query.split())
    assert "97/min" not in query
    assert "60-year-old" not in query


def test_graph_terms_are_names() -> None:
    assert graph_terms("Does metformin help in heart failure?") == ("Metformin", "Heart Failure")
    assert graph_terms("Is insulin used in type 2 diabetes?")[-1] == "type 2 diabetes"


@each_row(
    ("text", "asked"),
    [
        ("Does metformin lower mortality in heart failure?", ["research", "book"]),
        ("Vitamin D deficiency is unrelated to birth weight.", ["research", "book"]),
        ("What are the symptoms of Marfan syndrome?", ["graph", "research", "book"]),
        ("Which genes cause hypertrophic cardiomyopathy?", ["graph", "research", "book"]),
    ],
)
def test_research_is_asked_and_records_first_where_the_question_is_for_these(text: str, asked: list[str]) -> None:
    assert [one.source for one in plan(text, FIVE)] == asked


@given(st.text(min_size=1, max_size=200), st.lists(st.sampled_from(FIVE), unique=True, min_size=1))
def test_a_plan_asks_at_most_half_as_often_as_one_of_all_sources(
    text: str, sources: list[tuple[str, SourceKind]]
) -> None:
    chosen = plan(text, sources)
    records = sum(one.source == "graph" for one in chosen[:1])  # they take no text's place
    assert len(chosen) - records <= max(1, lookups_of_all(text, sources) // 2)
    assert {one.source for one in chosen} <= {name for name, _ in sources}
    assert len(set(chosen)) == len(chosen)
    assert all(bool(one.term) == (one.source == "graph") for one in chosen)
    if text.strip() and [name for name, _ in sources] != ["graph"]:
        assert chosen


SEEN = tuple(ExploredSource(name=name, kind=kind, about="Texts.") for name, kind in FIVE)


SOURCES = tuple(SourceDescription.of_kind(kind) for kind in KINDS)


def asked(read: ReadPlan) -> dict[str, list[str]]:
    return {name: [str(query) for query in queries] for name, queries in read.plan.queries.items()}


def read(text: str) -> ReadPlan:
    return read_plan(text, SOURCES)


# What models write around and inside queries, and every other character.
MARKS = [*"\"';,<>(){}[]β²Ⅷ\x00\u2028\n", " , ", "</book>", "<wiki>", "&lt;", "&#59;", "&amp", "1. ", "2) ", "- ", "* "]
MARKS += ["```", "none", "N/A", "query: ", "**", "heart"]
SAID = st.lists(st.one_of(st.sampled_from(MARKS), st.text(max_size=6)), max_size=6).map("".join)
QUERY = SAID.map(lambda text: " ".join(text.split())).filter(lambda text: any(map(str.isalnum, text)))


def different(query: SourceQuery) -> tuple[str, str]:
    return query.term.casefold(), query.text.casefold()


def queries(of: st.SearchStrategy[SourceQuery]) -> st.SearchStrategy[tuple[SourceQuery, ...]]:
    return st.lists(of, max_size=MOST_QUERIES, unique_by=different).map(tuple)


PLAIN = QUERY.map(lambda text: SourceQuery(text=text))
ABOUT = st.tuples(QUERY, st.one_of(st.just(""), QUERY)).map(lambda pair: SourceQuery(term=pair[0], text=pair[1]))
PLAN = st.fixed_dictionaries({kind: queries(ABOUT if kind == "graph" else PLAIN) for kind in KINDS}).map(
    lambda queries: SourcePlan(queries=queries)
)


@settings(max_examples=25)
@given(PLAN)
def test_a_plan_comes_back_from_its_tags_without_a_repair(plan: SourcePlan) -> None:
    back = read(tagged(plan, KINDS))
    assert back.plan == plan
    assert not back.repairs


PIECES = [f"<{slash}{name}>" for name in (*KINDS, "BOOK", "books", "pubmed", "think", "plan") for slash in ("", "/")]
PIECES += ["book: ", "\n\n", "&lt;book&gt;", "<book/>", "[[[[", "&#0;", "&#55296;", *MARKS]


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=20).map("".join))
def test_no_text_raises_and_no_source_gets_more_than_three_queries(text: str) -> None:
    found = read(text)
    assert set(found.plan.queries) <= set(KINDS)
    for name, of_source in found.plan.queries.items():
        assert 0 < len(of_source) <= MOST_QUERIES
        assert all((query.term if name == "graph" else query.text) for query in of_source)
        assert len({different(query) for query in of_source}) == len(of_source)
    assert found.unread == (found.repairs.get("nothing read", 0) > 0)
    assert not (found.unread and found.plan.queries)


WRITTEN = tomllib.loads(Path(__file__).with_name("written_plans.toml").read_text(encoding="utf-8"))["written"]


@each_row(("text", "expected", "repairs"), [tuple(one.values()) for one in WRITTEN])
def test_what_models_write(text: str, expected: dict[str, list[str]], repairs: list[str]) -> None:
    found = read(text)
    assert asked(found) == expected
    assert sorted(found.repairs) == sorted(repairs)


def test_a_long_query_is_cut_and_an_empty_plan_is_not_an_unread_one() -> None:
    found = read(f"<wiki> {'a' * 3000} </wiki>")
    assert (len(found.plan.queries["wiki"][0].text), found.repairs) == (LONGEST_QUERY, {"too long": 1})
    assert (read("<book></book>").unread, read("no").unread) == (False, True)


def test_a_long_text_takes_time_in_proportion(linear: Callable[[Callable[[int], object], int], None]) -> None:
    for piece in ("<book>", "<book> a </wiki>", "1. ", "<think>", "a ; ", "<", "book: "):
        linear(lambda size, piece=piece: read(piece * (size // len(piece))), 20_000)  # type: ignore[misc]


def test_every_kind_of_source_may_stand_in_a_plan_in_the_order_of_the_sources() -> None:
    graph = (SourceQuery(term="Marfan syndrome", text="features"), SourceQuery(term="FBN1", text="diseases"))
    plan = SourcePlan(queries={"graph": graph, "book": (SourceQuery(text="lens dislocation"),)})
    assert tagged(plan, ("book", "wiki", "graph")) == (
        "<book> lens dislocation </book>\n<wiki> </wiki>\n<graph> Marfan syndrome , features ; FBN1 , diseases </graph>"
    )
    sources = tuple(SourceDescription.of_kind(kind) for kind in get_args(SourceKind))
    assert asked(read_plan("<protein> BRCA1 </protein>", sources)) == {"protein": ["BRCA1"]}
