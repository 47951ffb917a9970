"""MIRAGE's published scorer next to the honest score."""

from __future__ import annotations

from pathlib import Path

import pytest
from rows import each_row

from medground.errors import UsageError
from medground_evaluate.datasets.choice import MIRAGE
from medground_evaluate.items import RunHeader, RunLine
from medground_evaluate.mirage_scorer import MirageScore, Reply, published_choice, score_replies, score_run


@each_row(
    ("reply", "published"),
    [
        ('{"step_by_step_thinking": "x", "answer_choice": "C"}', "C"),
        ("B", "B"),
        ("D.", "D"),
        ('{"answer_choice": "B or C"}', "B"),
        ('{"answer_choice": "B: hypertension"}', "B"),
        # Here the script is wrong.
        ("I cannot tell.", "A"),
        ("", "A"),
        ('{"answer_choice": "none of them"}', "A"),
        ('{"answer_choice": "E"}', "A"),
        ('{"answer_choice": "B", "step_by_step_thinking": "Option C is wrong"}', "C"),
        ("Both are wrong. Note: Common sense says no.", "C"),
    ],
)
def test_what_the_script_reads(reply: str, published: str) -> None:
    assert published_choice(reply) == published


def score_of(*answers: tuple[str, str | None]) -> MirageScore:
    """The score of pairs of a gold letter and the letter that the reply names, if any."""
    texts = (f'{{"answer_choice": "{letter or ""}"}}' for _, letter in answers)
    replies = [Reply("medqa", gold, published_choice(t), a) for (gold, a), t in zip(answers, texts, strict=True)]
    return score_replies(replies).whole


def test_both_scores_by_hand() -> None:
    score = score_of(("A", "A"), ("B", "C"), ("A", None), ("B", None), ("B", "B"))
    assert score.published.value == 3 / 5
    assert score.honest.value == 2 / 5
    assert (score.read_as_a, score.lucky, score.misread) == (2, 1, 0)
    assert score.note == "2 replies name no letter but are read as one, 1 of them as correct"

    score = score_of(("A", "B"), ("B", "B"), ("C", "D"), ("D", "D"))
    assert score.published == score.honest
    assert score.note == ""

    assert score_of().published.value is None
    assert score_replies([]).sets == ()
    assert score_replies([]).average is None
    scores = score_replies([Reply("mmlu", "A", "A", "A")], 1)
    score = scores.whole
    assert scores.sets == (score,)
    assert (score.published.value, score.honest.value) == (1.0, 0.5)
    assert "unfinished" in score.note

    scores = score_run(*run(("medqa:1", "B", "B"), ("mmlu:1", "C", "C"), items=8))
    assert scores.whole.honest.value == 2 / 8
    assert [s.honest.value for s in scores.sets] == [1.0, 1.0]
    assert "6 questions are unfinished" in scores.whole.note


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


def test_a_run_by_set_and_what_is_refused() -> None:
    scores = score_run(
        *run(("medqa:1", "B", "B"), ("medqa:2", "A", ""), ("pubmedqa:1", "maybe", "maybe"), ("pubmedqa:2", "no", ""))
    )
    assert [(s.name, s.published.value, s.honest.value) for s in scores.sets] == [
        ("medqa", 1.0, 0.5),
        ("pubmedqa", 0.5, 0.5),
    ]
    assert scores.average == (0.75, 0.5)
    assert (scores.whole.published.value, scores.whole.honest.value) == (0.75, 0.5)

    with pytest.raises(UsageError, match="not pubmedqa"):
        score_run(*run(("1", "A", "A"), dataset="pubmedqa"))
    with pytest.raises(UsageError, match="'E' is not a MIRAGE answer"):
        score_run(*run(("medqa:1", "E", "A")))


def test_a_system_that_answers_nothing_scores_on_the_real_questions(shared: Path) -> None:
    """On MIRAGE's own questions the script gives a score of 25 to 33 % to a system that never answers."""
    items = list(MIRAGE.read(MIRAGE.find(shared / "mirage"), "test"))
    nothing = score_run(*run(*((item.id, item.gold[0], "") for item in items)))
    assert sum(s.published.of for s in nothing.sets) == len(items) > 3_000
    for score in nothing.sets:
        assert score.honest.right == 0
        assert 0.15 < (score.published.value or 0) < 0.35
    perfect = score_run(*run(*((item.id, item.gold[0], item.gold[0]) for item in items)))
    assert {(s.published.value, s.honest.value, s.note) for s in perfect.sets} == {(1.0, 1.0, "")}
