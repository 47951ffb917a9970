"""Labels become positive and negative plans, and the losses are those of the paper (Omni-RAG, section 4.2.3)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planner_losses import PairScore, dpo_loss, margin, reward, sft_loss

from medground.values.source_plan import SourceQuery
from medground_evaluate.planning.trainset import NO_QUERIES, NO_SOURCE_HELPS, training_plans
from medground_evaluate.planning.work import Asked, Judged, JudgedQuery, Label

SOURCES = ("book", "research", "graph")


def asked(name: str = "1") -> Asked:
    return Asked(id=name, text="Does aspirin reduce stroke?", task="yes-no-maybe", gold=("yes",), answer="yes")


def judged(labels: dict[str, str], name: str = "1") -> Judged:
    """`{"book": "+-?"}`: a positive, a negative and a failed query of the book."""
    label_of: dict[str, Label] = {"+": "positive", "-": "negative", "?": "failed"}
    queries = [
        JudgedQuery(source=source, query=SourceQuery(text=f"{source} {number}"), label=label_of[mark])
        for source, marks in labels.items()
        for number, mark in enumerate(marks)
    ]
    return Judged(question=asked(name), queries=tuple(queries))


def test_plans_of_labelled_queries() -> None:
    plans = training_plans([judged({"book": "++-", "research": "--", "graph": "?+"})])
    (one,) = plans.planned
    assert one.positive is not None and one.negative is not None
    assert {name: len(queries) for name, queries in one.positive.queries.items()} == {"book": 2, "graph": 1}
    assert {name: len(queries) for name, queries in one.negative.queries.items()} == {"book": 1, "research": 2}
    assert plans.pairs == plans.planned

    many = [judged({"book": "++++++"}, str(n)) for n in range(30)]
    drawn = [[q.text for _, q in one.positive] for one in training_plans(many, seed=1).planned]
    assert all(len(texts) == 3 and texts == sorted(texts) for texts in drawn)
    assert len({tuple(texts) for texts in drawn}) > 5
    assert drawn == [[q.text for _, q in one.positive] for one in training_plans(many, seed=1).planned]
    alone = training_plans(many[7:8], seed=1).planned[0]
    assert [q.text for _, q in alone.positive] == drawn[7], "a question's plans do not depend on the other questions"

    plans = training_plans([judged({"book": "--"}), judged({}, "2"), judged({"book": "+"}, "3")])
    assert [one.question.id for one in plans.planned] == ["3"]
    assert plans.dropped == {NO_SOURCE_HELPS: 1, NO_QUERIES: 1}
    assert plans.pairs == (), "a question without a negative plan is not used for preferences"


@given(st.dictionaries(st.sampled_from(SOURCES), st.text("+-?", max_size=8)), st.integers(0, 5))
def test_plans_hold_at_most_three_queries_of_their_label(labels: dict[str, str], seed: int):
    one = judged(labels)
    label_of = {(q.source, q.query): q.label for q in one.queries}
    for planned in training_plans([one], seed=seed).planned:
        for plan, label in ((planned.positive, "positive"), (planned.negative, "negative")):
            if plan is not None:
                assert all(1 <= len(queries) <= 3 for queries in plan.queries.values())
                assert {label_of[place] for place in plan} == {label}


def test_the_losses_of_a_pair_computed_by_hand() -> None:
    pair = PairScore(positive=-2.0, negative=-5.0, reference_positive=-3.0, reference_negative=-4.0)
    assert reward(-2.0, -3.0, beta=0.1) == pytest.approx(0.1)  # beta * (-2 - -3)
    assert margin(pair, beta=0.1) == pytest.approx(0.2)  # 0.1 - (0.1 * (-5 - -4))
    assert dpo_loss([pair], beta=0.1) == pytest.approx(0.598138869, abs=1e-9)  # -log(1 / (1 + e^-0.2))
    assert dpo_loss([PairScore(-1, -1, -1, -1)]) == pytest.approx(math.log(2)), "before the first step"
    assert sft_loss([-2.0, -4.0]) == pytest.approx(3.0)

    with pytest.raises(ValueError, match="not defined"):
        dpo_loss([])
    with pytest.raises(ValueError, match="not defined"):
        sft_loss([])


@given(st.lists(st.tuples(*[st.floats(-5000, 0)] * 4), min_size=1, max_size=5), st.floats(0.01, 2))
def test_the_loss_is_finite_and_falls_as_the_positive_plan_gains(rows: list[tuple[float, ...]], beta: float):
    pairs = [PairScore(*row) for row in rows]
    better = [PairScore(p.positive + 1, p.negative, p.reference_positive, p.reference_negative) for p in pairs]
    assert math.isfinite(dpo_loss(pairs, beta=beta))
    assert dpo_loss(better, beta=beta) <= dpo_loss(pairs, beta=beta)
