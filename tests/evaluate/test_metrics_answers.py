"""Accuracy, classes, answer sets, grounding, support, cost: hand-computed, and against scikit-learn."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from medground.values.usage import UsageReport
from medground_evaluate.items import RunLine
from medground_evaluate.metrics.answers import (
    accuracy,
    class_scores,
    confusion,
    macro_f1,
    round_curve,
    set_scores,
)
from medground_evaluate.metrics.cost import cost_ratio, mean_cost
from medground_evaluate.metrics.evidence import grounded_rate, support_scores


def line(i: object, gold: str, answer: str = "", **more: Any) -> RunLine:
    """A line; several answers are written as `A C`."""
    content = {
        "id": str(i),
        "question": "?",
        "task": "single-choice",
        "gold": tuple(gold.split()),
        "answer": tuple(answer.split()),
        "status": "answered" if answer else "unreadable",
    }
    return RunLine.model_validate(content | more)


YES_NO = [
    line(1, "yes", "yes"),
    line(2, "yes", "no"),
    line(3, "yes"),  # unreadable
    line(4, "no", "no"),
    line(5, "maybe", "yes"),
]


def test_accuracy_counts_unanswered_and_unfinished_questions() -> None:
    share = accuracy(YES_NO)
    assert (share.right, share.of, share.value) == (2, 5, 0.4)
    assert accuracy(YES_NO, items=8).value == 2 / 8
    # Wilson for 2 of 5, by hand: centre (0.4 + 3.8415 / 10) / 1.7683, half width 1.96 sqrt(0.048 + 0.038415) / 1.7683
    assert share.interval == pytest.approx((0.1176, 0.7693), abs=1e-4)

    assert accuracy([]).value is None
    assert accuracy([], items=3).value is None
    assert accuracy([line(1, "A", "A")]).value == 1.0
    assert accuracy([line(1, "", "A")]).value is None  # an open question has no gold answer to count


def test_classes_by_hand() -> None:
    scores = {score.label: score for score in class_scores(YES_NO)}
    yes, no, maybe = scores["yes"], scores["no"], scores["maybe"]
    assert (yes.precision, yes.recall, yes.f1) == (1 / 2, 1 / 3, 2 / 5)
    assert (no.precision, no.recall, no.f1) == (1 / 2, 1.0, 2 / 3)
    assert (maybe.precision, maybe.recall, maybe.f1) == (None, 0.0, 0.0)
    assert macro_f1(scores.values()) == pytest.approx((2 / 5 + 2 / 3 + 0) / 3)
    assert confusion(YES_NO) == {
        ("yes", "yes"): 1,
        ("yes", "no"): 1,
        ("yes", ""): 1,
        ("no", "no"): 1,
        ("maybe", "yes"): 1,
    }

    assert class_scores([]) == ()
    assert macro_f1([]) is None
    assert not confusion([])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from(["A", "B", "C", "D", ""])), min_size=1))
def test_macro_f1_is_that_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    lines = [line(n, gold, answer) for n, (gold, answer) in enumerate(pairs)]
    gold, answer = zip(*pairs, strict=True)
    labels = sorted({*gold, *answer} - {""})
    expected = f1_score(gold, answer, labels=labels, average="macro", zero_division=0)
    assert macro_f1(class_scores(lines)) == pytest.approx(expected)


def test_several_answers_by_hand() -> None:
    scores = set_scores([line(1, "A B", "B A"), line(2, "A B", "B C"), line(3, "C", "A B C"), line(4, "D")])
    assert scores.exact.value == 1 / 4
    assert scores.partial == pytest.approx((1 + 1 / 3 + 1 / 3 + 0) / 4)
    assert scores.precision == pytest.approx((1 + 1 / 2 + 1 / 3 + 0) / 4)
    assert scores.recall == pytest.approx((1 + 1 / 2 + 1 + 0) / 4)
    assert scores.f1 == pytest.approx((1 + 1 / 2 + 1 / 2 + 0) / 4)

    scores = set_scores([])
    assert scores.exact.value is None
    assert (scores.partial, scores.f1) == (0.0, 0.0)


def test_rates_and_support_count_failed_and_unfinished_questions() -> None:
    lines = [line(1, "A", "A", cited=("PMID:1",)), line(2, "A", "B"), line(3, "A", status="failed")]
    assert grounded_rate(lines).value == 1 / 3
    assert grounded_rate(lines, items=4).value == 1 / 4
    assert grounded_rate([]).value is None

    lines = [line(n, "A", "A", cited=cited) for n, cited in enumerate([("PMID:1",), ("PMID:1",), ()])]
    first, second, uncited = (one.id for one in lines)
    assert grounded_rate(lines, sufficient={first, uncited}).value == 1 / 3
    assert grounded_rate(lines, 4, {first, second}).value == 2 / 4
    assert grounded_rate([], sufficient={first}).value is None

    lines = [
        line(1, "A", "A", support=1.0, faithfulness=0.5, statements=2),
        line(2, "A", "A", support=0.5, statements=4),
        line(3, "A"),
    ]
    scores = support_scores(lines)
    assert (scores.support.value, scores.support.of, scores.support.without) == (0.75, 2, 1)
    assert (scores.faithfulness.value, scores.faithfulness.of) == (0.5, 1)
    assert scores.statements.value == 2.0
    assert support_scores([]).support.value is None


def test_cost_is_a_mean_and_a_ratio_and_an_unknown_price_is_never_free() -> None:
    used = [
        UsageReport(input_tokens=100, output_tokens=20, model_calls=2, searches=1, seconds=1.0, price=Decimal("0.02")),
        UsageReport(input_tokens=300, output_tokens=40, model_calls=3, cached_calls=1, seconds=3.0),
    ]
    cost = mean_cost(used)
    assert (cost.input_tokens, cost.output_tokens, cost.searches, cost.seconds) == (200, 30, 0.5, 2.0)
    assert (cost.model_calls, cost.cached_calls) == (3.0, 0.5)  # calls that the recipe needs: made and cached
    assert cost.money == pytest.approx(0.01)
    ratio = cost_ratio(cost, mean_cost([UsageReport(input_tokens=50, output_tokens=10, model_calls=1, price=None)]))
    assert (ratio["input_tokens"], ratio["output_tokens"], ratio["model_calls"]) == (4.0, 3.0, 3.0)
    assert ratio["searches"] is None  # the base has 0 searches
    assert ratio["money"] is None

    assert mean_cost([UsageReport(price=Decimal(1)), UsageReport(price=None)]).money is None
    assert mean_cost([]).input_tokens == 0


def test_rounds_keep_the_answer_of_questions_that_ended() -> None:
    histories = [
        (line(1, "yes"), [("yes",)]),
        (line(2, "no"), [("yes",), ("no",)]),
        (line(3, "no"), [("no",), ("yes",), ("no",)]),
        (line(4, "yes"), []),
    ]
    curve = round_curve(histories)
    assert [(p.number, p.asked, p.accuracy.right, p.accuracy.of) for p in curve] == [
        (1, 3, 2, 4),
        (2, 2, 2, 4),
        (3, 1, 3, 4),
    ]
    # Round 3: yes has F1 2 / 3 (one of two found), no has 1.
    assert curve[2].macro_f1 == pytest.approx((2 / 3 + 1) / 2)
    assert round_curve([]) == ()
