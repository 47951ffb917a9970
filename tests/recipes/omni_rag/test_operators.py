"""Operators that plan sources: what a model is shown, what it may answer, and what word statistics answer."""

from __future__ import annotations

import pytest
from views import sentenced

from medground.models.operators.base import InvalidOutput, SentencedPassage
from medground.recipes.omni_rag.operators import (
    MOST_TERMS,
    ExploredSource,
    NameTermsInput,
    PlanSourcesInput,
    PlanSourcesOutput,
    TaggedPlan,
    WritePassageInput,
    name_terms,
    plan_sources,
    plan_sources_tagged,
    write_passage,
)
from medground.recipes.omni_rag.planners import typed
from medground.recipes.omni_rag.read_plan import read_plan
from medground.recipes.omni_rag.source_reading import ReadSourcesInput, read_sources
from medground.values.source_plan import SourceDescription

SOURCES = tuple(SourceDescription.of_kind(kind) for kind in ("book", "research", "graph"))
ASKED = PlanSourcesInput(
    question="Does metformin <b>lower</b> the risk of stroke?",
    sources=tuple(ExploredSource(name=one.name, kind=one.kind, about=one.about) for one in SOURCES),
)


def test_a_planner_is_shown_what_each_source_holds_and_nothing_can_leave_its_block() -> None:
    for operator in (plan_sources, plan_sources_tagged):
        prompt = operator.prompt(ASKED)
        assert all(source.about in prompt for source in SOURCES)
        assert "<kind>graph</kind>" in prompt
        assert "<b>" not in prompt
        assert operator.name == "plan_sources"
    assert plan_sources.choices(ASKED) == {"source": ("book", "research", "graph")}


def test_a_text_that_names_no_source_is_asked_for_again() -> None:
    with pytest.raises(InvalidOutput, match="<book>, <research>, <graph>"):
        plan_sources_tagged.check(ASKED, TaggedPlan(text="I cannot plan this."))
    plan_sources_tagged.check(ASKED, TaggedPlan(text="<book></book>"))


def test_both_forms_of_the_plan_without_a_model_say_the_same() -> None:
    typed = plan_sources.keyless(ASKED)
    written = read_plan(plan_sources_tagged.keyless(ASKED).text, SOURCES)
    assert written.repairs == ()
    assert {one.source: [query.text for query in one.queries] for one in typed.plan if one.queries} == {
        name: [query.text for query in queries] for name, queries in written.plan.queries.items()
    }
    assert any("stroke" in query.text for one in typed.plan for query in one.queries)


def test_terms_are_few_and_a_passage_needs_a_model() -> None:
    question = "Do aspirin, metformin, warfarin, simvastatin or lisinopril cause asthma, gout or migraine?"
    terms = name_terms.keyless(NameTermsInput(question=question)).terms
    assert 0 < len(terms) <= MOST_TERMS
    assert write_passage.keyless(WritePassageInput(question=question, source=ASKED.sources[0])).passage == ""


def line(number: int, title: str, text: str) -> SentencedPassage:
    return sentenced(f"P{number}", text, kind="graph", title=title)


def test_lines_of_a_graph_are_quoted_where_they_bear_on_the_question() -> None:
    drugs = (
        line(1, "Aspirin", "Aspirin interacts with warfarin."),
        line(2, "Aspirin", "Aspirin is a salicylate."),
        line(3, "Gout", "Gout: a disease of the joints."),
    )
    marfan = (
        line(1, "Marfan syndrome", "Marfan syndrome has the feature Thoracic lordosis (16 of 21 patients)."),
        line(2, "Marfan syndrome", "Marfan syndrome has the feature Deeply set eye (25 of 63 patients)."),
    )

    def quoted(question: str, lines: tuple[SentencedPassage, ...] = drugs) -> list[str]:
        value = ReadSourcesInput(question=question, task="free", passages=lines)
        return [claim.sentences[0] for claim in read_sources.keyless(value).claims]

    assert quoted("Does aspirin interact with warfarin?") == ["P1.S1"]
    assert quoted("What is aspirin?") == ["P1.S1", "P2.S1"]
    assert quoted("Does insulin cause asthma?") == []
    assert quoted("What eye problems does Marfan syndrome cause?", marfan) == ["P2.S1"]
    assert quoted("What are the symptoms of Marfan syndrome?", marfan) == ["P1.S1", "P2.S1"]


def test_a_kind_that_has_nothing_on_the_subject_is_not_quoted() -> None:
    passages = (
        sentenced("P1", "Marfan syndrome causes eye problems such as dislocation of the lens.", kind="book"),
        sentenced("P2", "Shingles that starts on the face can cause eye problems.", kind="guideline"),
        sentenced("P3", "The eyes of people with Marfan syndrome may be short-sighted, an eye problem.", kind="wiki"),
    )
    value = ReadSourcesInput(question="Which eye problems does Marfan syndrome cause?", task="free", passages=passages)
    quoted = {claim.sentences[0] for claim in read_sources.keyless(value).claims}
    assert quoted == {"P1.S1", "P3.S1"}


def test_a_typed_plan_as_models_write_it() -> None:
    written = {
        "plan": [
            {"source": "book", "queries": ["a", {"text": "b " * 300, "term": None}]},
            {"source": "graph", "queries": {"term": "stroke", "text": None}},
            {"source": "research", "queries": None},
            {"source": "pubmed", "queries": [{"text": "c"}] * 40},
        ]
    }
    read = typed(PlanSourcesOutput.model_validate(written), SOURCES, 3)
    assert {name: len(queries) for name, queries in read.plan.queries.items()} == {"book": 2, "graph": 1}
    assert len(read.plan.queries["book"][1].text) <= 200
    assert read.counts == {"unknown source": 12}
