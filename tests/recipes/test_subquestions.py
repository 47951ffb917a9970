"""Planning research: what a question names is never lost, what a model writes is mended, and what is refused."""

import asyncio
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from rows import each_row, tables

from medground.answering.declaration import Declaration
from medground.answering.run import Run
from medground.errors import ModelFailed, UsageError
from medground.language.question_reading import reading_of
from medground.models.operators.base import InvalidOutput
from medground.recipes.biomedsearch.decomposing import (
    BuildGraphOutput,
    DecomposeInput,
    DecomposeOutput,
    NameKeywordsOutput,
    decompose,
)
from medground.recipes.biomedsearch.parts import OWN, is_named, named_keywords
from medground.recipes.biomedsearch.planner import PLANNING, acyclic, research_plan
from medground.recipes.settings import BioMedSearchSettings
from medground.values.research_plan import Edge, Keyword, ResearchPlan
from medground.values.steps import AnyStep, PlanningResearch, ResearchPlanned, Step
from medground.wording.progress import in_words

TABLES = tables(__file__)

ZEBRAFISH = "Effects of cyp17a1 knockout on zebrafish?"
RECIPE = Declaration(name="biomedsearch", operators=PLANNING)
MakeRun = Callable[..., Run]


def planned(make_run: MakeRun, text: str, **options: Any) -> ResearchPlan:
    run = make_run(text, recipe=RECIPE)
    sections = {"biomedsearch": BioMedSearchSettings.model_validate(options)}
    run.settings = run.settings.model_copy(update={"sections": sections})
    return asyncio.run(research_plan(run.question, run))


def test_the_papers_question(make_run: MakeRun) -> None:
    plan = planned(make_run, ZEBRAFISH)
    dimensions = "molecular function, molecular mechanism, physiology and endocrine regulation, developmental effects"
    assert [one.dimension for one in plan.subquestions] == [OWN, *dimensions.split(", ")]
    assert plan.subquestions[0].text == ZEBRAFISH
    for one in plan.subquestions:
        assert "cyp17a1" in one.text and "zebrafish" in one.text
        assert {"cyp17a1", "zebrafish"} <= set(one.keywords)
        assert plan.tools_of(one)[:2] == ("literature", "protein")
    assert "Danio rerio" in plan.keyword("zebrafish").synonyms
    assert [one.id for one in plan.subquestions if "web" in plan.tools_of(one)] == ["q1"]
    assert "CYP17" in plan.keyword("cyp17a1").synonyms
    assert plan.keyword("cyp17a1").dimension == "gene or protein"
    assert plan.after()["q1"] == ()
    assert all(plan.after()[one.id] == ("q1",) for one in plan.subquestions[1:])
    assert plan.notes == ()


@each_row(("question", "asked"), TABLES["what_else_is_asked_depends_on_the_kind_of_subject"])
def test_what_else_is_asked_depends_on_the_kind_of_subject(make_run: MakeRun, question: str, asked: list[str]) -> None:
    plan = planned(make_run, question)
    texts = [one.text for one in plan.subquestions]
    assert texts[0] == question
    assert [part for part in asked if not any(part in text for text in texts[1:])] == []
    assert len(texts) == 1 if not asked else 1 < len(texts) <= 5
    if question in ("What causes gout?", "What is the dose of metformin in adults with type 2 diabetes?"):
        assert not any("cause" in text or "dose" in text for text in texts[1:])  # the question asks that itself


def test_settings_shape_the_plan(make_run: MakeRun) -> None:
    plan = planned(make_run, ZEBRAFISH, subquestions=1, tools="literature")
    assert [one.text for one in plan.subquestions] == [ZEBRAFISH]
    assert {tool for keyword in plan.keywords for tool in keyword.tools} == {"literature"}
    narrow = planned(make_run, "Do aspirin, metformin, warfarin or statins cause asthma, gout or migraine?", keywords=2)
    assert all(len(one.keywords) <= 2 for one in narrow.subquestions)
    refused(UsageError, "tools is empty; name at least one", planned, make_run, ZEBRAFISH, tools="")

    plan = planned(make_run, ZEBRAFISH, use_keywords=False)
    assert plan.keywords == plan.edges == ()
    assert {plan.tools_of(one) for one in plan.subquestions} == {("literature", "protein")}
    assert set(plan.after().values()) == {()}


def test_the_web_is_asked_for_the_questions_own_part_and_for_names_that_mesh_lacks(make_run: MakeRun) -> None:
    for question in "What causes gout?", "What is known about vcfanno?", "Does aspirin prevent stroke?":
        plan = planned(make_run, question)
        assert [one.id for one in plan.subquestions if "web" in plan.tools_of(one)] == ["q1"], question


def test_a_long_case_is_cut_to_what_it_asks_and_names(make_run: MakeRun) -> None:
    case = "A 54-year-old man with type 2 diabetes and hypertension takes metformin and lisinopril. " * 12
    plan = planned(make_run, case + "Which drug causes his cough?")
    direct = plan.subquestions[0].text
    assert "Which drug causes his cough?" in direct and "lisinopril" in direct
    assert len(direct) <= 500
    refused(UsageError, "shorten it to at most 4,000", make_run, "What causes gout? " * 3_000)


def test_steps_show_the_plan(make_run: MakeRun) -> None:
    steps: list[Step] = []
    run = make_run(ZEBRAFISH, recipe=RECIPE, on_step=steps.append)
    plan = asyncio.run(research_plan(run.question, run))
    begun, ended = [one for one in steps if isinstance(one, PlanningResearch | ResearchPlanned)]
    assert isinstance(ended, ResearchPlanned)
    assert ended.research == plan
    assert (in_words(begun), in_words(ended)) == ("splitting the question", "planned 5 sub-questions")
    assert "ResearchPlanned" in str(AnyStep)


SPLIT = DecomposeOutput.model_validate(
    {"subquestions": ["What does cyp17a1 do?", None, "what does  CYP17A1 do", {"text": "And then?"}, {"text": ""}] * 2}
)


def test_what_a_model_writes_is_mended_and_told(make_run: MakeRun, scripted_model: type[Any]) -> None:
    named = NameKeywordsOutput.model_validate(
        {"keywords": ["CYP17A1", "cyp17a1", {"name": "gonads", "synonyms": "gonad, ovary"}, *map(str, range(9))]}
    )
    graph = BuildGraphOutput.model_validate(
        {
            "nodes": [{"keyword": "CYP17A1", "tools": "protein; telephone"}, {"keyword": "the moon", "tools": ["web"]}],
            "edges": [
                {"before": "cyp17a1", "after": "gonads", "weight": "high"},
                {"before": "gonads", "after": "CYP17A1", "weight": 0.1},
                {"before": "gonads", "after": "gonads", "weight": 7},
                {"before": "gonads", "after": "nothing"},
            ],
        }
    )
    replies = {"decompose": SPLIT, "name_keywords": named, "build_graph": graph}
    run = make_run(ZEBRAFISH, model=scripted_model(replies), by_model=list(replies), recipe=RECIPE)
    plan = asyncio.run(research_plan(run.question, run))
    assert [one.text for one in plan.subquestions] == ["What does cyp17a1 do?", "And then?"]
    assert plan.edges == (Edge(before="CYP17A1", after="gonads", weight=0.5),)
    assert plan.keyword("CYP17A1").tools == ("protein",)
    assert plan.keyword("gonads").tools == ("literature",)
    assert plan.keyword("gonads").synonyms == ("gonad", "ovary")
    told = "\n".join(plan.notes)
    parts = "empty or repeated", "more than 6 keywords", "'the moon'", "'nothing'", "cycle", "'gonads' to 'CYP17A1'"
    assert [part for part in parts if part not in told] == []


def test_a_models_keywords_stay_as_they_are_and_what_it_does_not_write_is_asked_again(
    make_run: MakeRun, scripted_model: type[Any]
) -> None:
    replies = {
        "decompose": DecomposeOutput.model_validate({"subquestions": ["What does cyp17a1 do?"]}),
        "name_keywords": NameKeywordsOutput.model_validate({"keywords": ["cyp17a1"]}),
        "build_graph": BuildGraphOutput.model_validate({"nodes": None}),
    }
    run = make_run(ZEBRAFISH, model=scripted_model(replies), by_model=list(replies), recipe=RECIPE)
    plan = asyncio.run(research_plan(run.question, run))
    assert [one.keywords for one in plan.subquestions] == [("cyp17a1",)]

    with pytest.raises(InvalidOutput, match="no sub-question"):
        decompose.check(DecomposeInput(question="x"), DecomposeOutput.model_validate({"subquestions": [" ", None]}))
    failed = ModelFailed("broken", model="scripted:model")
    run = make_run(ZEBRAFISH, model=scripted_model({"decompose": failed}), by_model=["decompose"], recipe=RECIPE)
    with pytest.raises(ModelFailed):
        asyncio.run(research_plan(run.question, run))


NAMES = st.sampled_from("abcdefg")
EDGE = st.builds(Edge, before=NAMES, after=NAMES, weight=st.floats(0, 1))
EDGES = st.lists(
    EDGE.filter(lambda edge: edge.before != edge.after), max_size=25, unique_by=lambda edge: (edge.before, edge.after)
)


@given(EDGES)
def test_any_graph_becomes_acyclic_without_its_weakest_edges(edges: list[Edge]) -> None:
    kept, removed = acyclic(edges)
    assert sorted(map(repr, [*kept, *removed])) == sorted(map(repr, edges))
    assert (not removed) == (acyclic(edges)[0] == edges)
    for edge in removed:  # it closed a circle of edges that are no weaker
        stronger = [one for one in edges if one.weight >= edge.weight and one != edge]
        assert _leads(edge.after, edge.before, stronger)
    keywords = tuple(Keyword(name=name) for name in "abcdefg")
    ResearchPlan(question="x", subquestions=(), keywords=keywords, edges=tuple(kept))


def _leads(start: str, end: str, edges: list[Edge]) -> bool:
    reached: set[str] = set()
    new = {start}
    while new:
        reached |= new
        new = {edge.after for edge in edges if edge.before in new} - reached
    return end in reached


def test_real_questions_are_planned_and_nothing_they_name_is_lost(make_run: MakeRun, shared: Path) -> None:
    with gzip.open(shared / "pubmedqa" / "pqa_l.jsonl.gz", "rt", encoding="utf-8") as lines:
        closed = [str(json.loads(line)["question"]) for line in lines]
    with gzip.open(shared / "bioasq" / "task9b.json.gz", "rt", encoding="utf-8") as file:
        bioasq = [str(one["body"]) for one in json.load(file)["questions"]]
    for question in (*closed[::50], *bioasq[:: len(bioasq) // 20][:20]):
        plan = planned(make_run, question)
        names = [name for word in plan.keywords for name in (word.name, *word.synonyms)]
        lost = [one.name for one in named_keywords(reading_of(plan.question)) if not is_named(one, names)]
        assert not lost, (question, lost, plan.notes)
        assert 1 <= len(plan.subquestions) <= 5
