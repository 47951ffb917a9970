"""Exploring and judging: every source gets different queries, and a judge says yes or no."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rows import each_row
from views import keyless

from medground.errors import ModelFailed
from medground.models.operators.base import InvalidOutput
from medground.recipes.omni_rag.operators import ExploredSource
from medground_evaluate.planning.exploring import (
    ExploreInput,
    ExploreOutput,
    FoundView,
    JudgeInput,
    JudgeOutput,
    SourceQueries,
    WrittenQuery,
    explore,
    judge_found,
    read_yes_no,
)

QUESTION = "Does low-dose aspirin reduce the risk of stroke in patients with diabetes mellitus?"
SOURCES = (
    ExploredSource(name="book", kind="book", about="Textbooks."),
    ExploredSource(name="research", kind="research", about="Abstracts."),
    ExploredSource(name="graph", kind="graph", about="Concepts."),
)
ASKED = ExploreInput(question=QUESTION, sources=SOURCES)


def test_without_a_model_each_source_gets_six_different_queries():
    plan = keyless(explore, ASKED).plan
    assert [one.source for one in plan] == ["book", "research", "graph"]
    for one in plan:
        assert len({(query.term, query.text) for query in one.queries}) == 6
        assert all(bool(query.term) == (one.source == "graph") for query in one.queries)
    assert {query.text for query in plan[0].queries} != {query.text for query in plan[1].queries}


@settings(max_examples=40)
@given(st.text(min_size=1, max_size=300).filter(str.strip), st.integers(1, 12))
def test_any_question_can_be_explored(question: str, number: int):
    value = ExploreInput(question=question, sources=SOURCES, queries_for_each=number)
    output = explore.keyless(value)
    explore.check(value, output)
    assert all(1 <= len(one.queries) <= number for one in output.plan)


@each_row(("names", "told"), [(("book", "wiki"), "unknown sources wiki"), (("book",), "no queries for")])
def test_an_unknown_or_forgotten_source_is_refused(names: tuple[str, ...], told: str):
    plan = tuple(SourceQueries(source=name, queries=(WrittenQuery(text="aspirin"),)) for name in names)
    with pytest.raises(InvalidOutput, match=told):
        explore.check(ASKED, ExploreOutput(plan=plan))


@each_row(
    ("said", "read"),
    [
        ("yes", "yes"),
        ("No.", "no"),
        ("**Yes**, the trial shows it", "yes"),
        ("The documents do not say so. <answer>no</answer>", "no"),
        ("First I thought <answer>yes</answer>, but <answer> NO </answer>", "no"),
        ("<answer>yes", "yes"),
        ("My judgement is yes", "yes"),
        ("Asked yes/no, I say no", "no"),
        (True, "yes"),
        ("maybe", "maybe"),
        ("yes or no", "yes or no"),
        ("It could be yes but also no", "It could be yes but also no"),
        ("", ""),
        ("I know nothing of nodes", "I know nothing of nodes"),
    ],
)
def test_yes_and_no_are_read_from_what_judges_write(said: object, read: str):
    assert read_yes_no(said) == read


def judging(answer: str, gold: tuple[str, ...], *documents: tuple[str, str]) -> JudgeInput:
    views = tuple(FoundView(text=text, document_id=name) for name, text in documents)
    return JudgeInput(question=QUESTION, gold_answer=answer, documents=views, gold_documents=gold)


def test_a_judge_that_says_neither_is_refused_and_gold_ids_are_not_shown():
    assert "PMID:77" not in judge_found.prompt(judging("yes", ("PMID:77",), ("PMID:77", "aspirin")))
    with pytest.raises(InvalidOutput, match="neither yes nor no"):
        judge_found.check(judging("yes", ()), JudgeOutput(reason="", answer="maybe"))


@each_row(
    ("value", "answer", "why"),
    [
        (judging("yes", ("PMID:1",), ("PMID:2", "a"), ("PMID:1", "b")), "yes", "the gold document PMID:1 was found"),
        (judging("yes", ("PMID:1",), ("PMID:2", "aspirin")), "no", "no gold document"),
        (judging("Haemorrhage outweighs benefit", (), ("X:1", "benefit of haemorrhage")), "yes", "67%"),
        (judging("Haemorrhage outweighs benefit", (), ("X:1", "headache")), "no", "0%"),
    ],
)
def test_the_judgement_without_a_model_says_what_it_rests_on(value: JudgeInput, answer: str, why: str):
    output = keyless(judge_found, value)
    assert output.answer == answer
    assert output.reason.startswith("without a model") and why in output.reason


def test_without_a_model_nothing_is_judged_where_neither_ids_nor_words_can_tell():
    with pytest.raises(ModelFailed, match="neither yes nor no"):
        keyless(judge_found, judging("yes", (), ("X:1", "aspirin")))
