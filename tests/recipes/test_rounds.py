"""A round of Self-MedRAG: what counts as supported for the loop alone, and the next query: what joins it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.answering.verify.critic import Checked, Judgement
from medground.recipes.self_medrag import (
    LoopQuery,
    closeness,
    failed,
    first_query,
    holds,
    revised,
    steering_score,
)
from medground.values.query import Words
from medground.values.question import Question
from medground.values.statement import Verdict


def judged(relation: Any, critic: str = "nli:some", label: Any = "not judged", **more: Any) -> Checked:
    return Checked(Verdict(label=label, critic=critic), Judgement(relation, best="E1", **more))


QUOTED = Checked(Verdict(label="quoted", critic="verbatim"))
FAILED = judged("failed", label="unverified")


@each_row(
    ("checked", "expected"),
    [
        (QUOTED, True),
        (Checked(Verdict(label="supported", critic="graph")), True),
        (Checked(Verdict(label="not found", critic="citation")), False),
        (judged("entails"), True),
        (judged("entails", entailment=0.5), True),
        (judged("entails", entailment=0.49), False),
        (judged("contradicts", entailment=0.9), False),
        (judged("neutral"), False),
        (judged("related", critic="keyless", label="related"), True),
        (judged("related", critic="keyless", label="related", flags=("number",)), False),
        (judged("related", critic="nli:some", label="related"), False),
        (FAILED, False),
    ],
)
def test_what_counts_as_supported_for_the_loop(checked: Checked, expected: bool) -> None:
    assert holds(checked, 0.5) is expected


def test_the_score_is_a_share_or_none_if_every_judgement_failed() -> None:
    assert steering_score([QUOTED, judged("neutral"), FAILED], 0.5) == pytest.approx(1 / 3)
    assert steering_score([FAILED, FAILED], 0.5) is None
    assert steering_score([], 0.5) is None
    assert failed(FAILED)
    assert not failed(judged("neutral"))


QUESTION = Question.ask("Does aspirin prevent myocardial infarction in adults with hypertension?")
TEXTS = st.text(max_size=80)


def test_statements_join_once_unless_they_drifted_and_options_belong_to_the_question() -> None:
    statements = ["Aspirin lowered infarction.", "aspirin  LOWERED infarction", "Aspirin lowered infarction!"]
    once = revised(QUESTION, first_query(QUESTION), statements, 0.0).query
    assert once.parts == (QUESTION.text, statements[0])
    assert revised(QUESTION, once, statements, 0.0).query.key == once.key

    away = "The chapel's ceiling was painted within four years."
    revision = revised(QUESTION, first_query(QUESTION), [away], 0.1)
    assert revision.query == first_query(QUESTION)
    assert revision.drifted == (away,)

    choice = Question.ask("Which drug is first?", options=["Metformin", "Warfarin"])
    revision = revised(choice, first_query(choice), ["Metformin comes first."], 0.2)
    assert not revision.drifted
    assert revision.query.tree(choice) == Words(text="Which drug is first? Metformin comes first. Metformin Warfarin")


def test_closeness_is_higher_for_the_same_subject() -> None:
    near = closeness(QUESTION.text, "Adults with hypertension had fewer infarctions under aspirin.")
    far = closeness(QUESTION.text, "Gout attacks became more frequent in 2004.")
    assert near > 0.4 > far


@given(TEXTS, TEXTS)
def test_closeness_is_symmetric_and_bounded(one: str, other: str) -> None:
    found = closeness(one, other)
    assert found == closeness(other, one)
    assert 0.0 <= found <= 1.0


@given(st.lists(TEXTS, max_size=6), st.floats(0, 1))
def test_a_query_only_grows_and_every_statement_is_accounted_for(texts: list[str], least: float) -> None:
    start = first_query(QUESTION)
    revision = revised(QUESTION, start, texts, least)
    assert revision.query.key >= start.key
    assert revision.query.parts[:1] == start.parts
    joined = {LoopQuery((text,)).key for text in revision.query.parts}
    assert all(text in revision.drifted or LoopQuery((text,)).key in joined for text in texts)
    again = revised(QUESTION, revision.query, texts, least)
    assert again.query.key == revision.query.key
