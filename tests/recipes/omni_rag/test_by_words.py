"""The keyless planner: queries by names, and which sources are asked."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from rows import each_row
from views import keyless

from medground.recipes.omni_rag.by_words import (
    Past,
    Sought,
    by_terms,
    by_words,
    graph_terms,
    improved,
    ladder,
    lookups_of_all,
    plan,
)
from medground.recipes.omni_rag.operators import ExploredSource, PlanSourcesInput, plan_sources
from medground.values.document import SourceKind

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
    assert ";" not in by_words(text) + by_terms(text)


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


def test_a_query_by_terms_maps_names_to_headings_and_graph_terms_are_names() -> None:
    found = by_terms("What are the treatments for Kawasaki disease?")
    assert found == "Kawasaki disease Mucocutaneous Lymph Node Syndrome treatment"
    assert by_terms("What happened then?") == ""
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


QUESTION = "Does metformin lower mortality in heart failure?"


def test_the_ladder_ends_in_every_source_and_each_improved_plan_reaches_what_no_earlier_one_did() -> None:
    rungs = list(ladder(QUESTION, FIVE))
    assert {one.source for one in rungs} == {name for name, _ in FIVE}
    assert len(set(rungs)) == len(rungs)

    past: list[Past] = []
    seen: set[Sought] = set()
    for _ in range(4):
        chosen = improved(QUESTION, FIVE, past, 0)
        assert set(chosen) - seen
        seen |= set(chosen)
        past.append(([(one.source, str(one)) for one in chosen], 2, ()))
    assert improved(QUESTION, FIVE, [], 0) != improved(QUESTION, FIVE, [], 1)


def test_a_source_that_had_nothing_is_left_out_of_the_next_plan() -> None:
    first = improved(QUESTION, FIVE, [], 0)
    written = [(one.source, str(one)) for one in first]
    assert first[0] in improved(QUESTION, FIVE, [(written, 0, ())], 0)
    assert first[0] not in improved(QUESTION, FIVE, [(written, 0, (first[0].source,))], 0)


SEEN = tuple(ExploredSource(name=name, kind=kind, about="Texts.") for name, kind in FIVE)
