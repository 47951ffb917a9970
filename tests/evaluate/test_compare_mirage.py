"""MIRAGE's published scorer beside the honest score."""

from __future__ import annotations

from pathlib import Path

import pytest

from medground.errors import UsageError
from medground.evaluate.base import RunHeader, RunLine
from medground.evaluate.datasets.mirage import MIRAGE
from medground.evaluate.mirage_scorer import (
    Reply,
    honest_choice,
    published_choice,
    score_replies,
    score_run,
    score_texts,
)


@pytest.mark.parametrize(
    ("reply", "published", "honest"),
    [
        ('{"step_by_step_thinking": "x", "answer_choice": "C"}', "C", "C"),
        ("B", "B", "B"),
        ("D.", "D", "D"),
        ('{"answer_choice": "B or C"}', "B", "B"),
        ('{"answer_choice": "B: hypertension"}', "B", "B"),
        # Here the script is wrong.
        ("I cannot tell.", "A", None),
        ("", "A", None),
        ('{"answer_choice": "none of them"}', "A", None),
        ('{"answer_choice": "E"}', "A", None),
        ('{"answer_choice": "B", "step_by_step_thinking": "Option C is wrong"}', "C", "B"),
        ("Both are wrong. Note: Common sense says no.", "C", None),
    ],
)
def test_what_each_reads(reply: str, published: str, honest: str | None) -> None:
    assert (published_choice(reply), honest_choice(reply)) == (published, honest)


def test_both_scores_by_hand() -> None:
    score = score_texts("medqa", [("A", "A"), ("B", "C"), ("A", "no idea"), ("B", "no idea"), ("B", "B")])
    assert score.published.value == 3 / 5
    assert score.honest.value == 2 / 5
    assert (score.read_as_a, score.lucky, score.misread) == (2, 1, 0)
    assert score.published_deviation == pytest.approx((0.6 * 0.4 / 5) ** 0.5)
    assert score.note == "2 replies name no letter and are read as one, 1 of them as right"


def test_where_every_reply_names_its_letter_both_agree() -> None:
    score = score_texts("medqa", [(gold, f'{{"answer_choice": "{a}"}}') for gold, a in ["AB", "BB", "CD", "DD"]])
    assert score.published == score.honest
    assert score.note == ""


def test_nothing_and_unfinished() -> None:
    assert score_texts("medqa", []).published.value is None
    assert score_texts("medqa", []).published_deviation is None
    assert score_replies([]).sets == ()
    assert score_replies([]).average is None
    scores = score_replies([Reply("mmlu", "A", "A", "A")], 1)
    score = scores.whole
    assert scores.sets == (score,)
    assert (score.published.value, score.honest.value) == (1.0, 0.5)
    assert "unfinished" in score.note


def run(*lines: tuple[str, str, str], dataset: str = "mirage", items: int = 0) -> tuple[RunHeader, list[RunLine]]:
    header = RunHeader(
        dataset=dataset,
        dataset_hash="h",
        split="test",
        recipe="rag",
        model="keyless",
        items=items or len(lines),
        settings={},
        settings_hash="s",
        prompts_hash="p",
    )
    return header, [
        RunLine(
            id=i,
            question="?",
            task="yes-no-maybe" if gold.islower() else "single-choice",
            gold=(gold,),
            answer=(answer,) if answer else (),
            status="answered" if answer else "unreadable",
        )
        for i, gold, answer in lines
    ]


def test_a_run_by_set() -> None:
    scores = score_run(
        *run(("medqa:1", "B", "B"), ("medqa:2", "A", ""), ("pubmedqa:1", "maybe", "maybe"), ("pubmedqa:2", "no", ""))
    )
    assert [(s.name, s.published.value, s.honest.value) for s in scores.sets] == [
        ("medqa", 1.0, 0.5),
        ("pubmedqa", 0.5, 0.5),
    ]
    assert scores.average == (0.75, 0.5)
    assert (scores.whole.published.value, scores.whole.honest.value) == (0.75, 0.5)


def test_unfinished_questions_of_several_sets_stay_in_the_whole() -> None:
    scores = score_run(*run(("medqa:1", "B", "B"), ("mmlu:1", "C", "C"), items=8))
    assert scores.whole.honest.value == 2 / 8
    assert [s.honest.value for s in scores.sets] == [1.0, 1.0]
    assert "6 questions are unfinished" in scores.whole.note


def test_what_is_not_of_mirage_is_refused() -> None:
    with pytest.raises(UsageError, match="not pubmedqa"):
        score_run(*run(("1", "A", "A"), dataset="pubmedqa"))
    with pytest.raises(UsageError, match="'E' is no answer of MIRAGE"):
        score_run(*run(("medqa:1", "E", "A")))


def test_who_answers_nothing_scores_on_the_real_questions(shared: Path) -> None:
    """On MIRAGE's own questions the script gives a quarter to a third to a system that says nothing at all."""
    items = list(MIRAGE.read(MIRAGE.find(shared / "mirage"), "test"))
    nothing = score_run(*run(*((item.id, item.gold[0], "") for item in items)))
    assert sum(s.published.of for s in nothing.sets) == len(items) > 3_000
    for score in nothing.sets:
        assert score.honest.right == 0
        assert 0.15 < (score.published.value or 0) < 0.35
    perfect = score_run(*run(*((item.id, item.gold[0], item.gold[0]) for item in items)))
    assert {(s.published.value, s.honest.value, s.note) for s in perfect.sets} == {(1.0, 1.0, "")}
