"""The halves of questions: what is counted is never measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from medground.evaluate.base import Item, Split
from medground.evaluate.datasets import open_dataset
from medground.evaluate.halves import half_of
from medground.question import Question


def _item(name: str, split: Split = "test", batch: str = "") -> Item:
    return Item(id=name, question=Question.ask("Is it so?"), split=split, extra={"batch": batch})


@pytest.mark.parametrize(
    ("dataset", "split", "half"),
    [
        ("pubmedqa", "train", "training"),
        ("pubmedqa", "test", "test"),
        ("pubmedqa", "unknown", "test"),
        ("scifact", "train", "training"),
        ("scifact", "validation", "test"),
        ("omni-long", "validation", "training"),
        ("omni-long", "test", "test"),
    ],
)
def test_sets_with_splits_keep_them(dataset: str, split: Split, half: str) -> None:
    assert half_of(dataset, _item("1", split)) == half


def test_of_bioasq_only_task_7b_is_counted() -> None:
    assert [half_of("bioasq", _item("1", batch=batch)) for batch in ("7B2", "8B1", "9B5", "")] == [
        "training",
        "test",
        "test",
        "test",
    ]


def test_other_sets_are_halved_by_a_fixed_hash() -> None:
    halves = [half_of("mirage", _item(f"medqa:{number:04}")) for number in range(1000)]
    assert 450 < halves.count("training") < 550
    assert halves[:8] == [half_of("mirage-medqa", _item(f"medqa:{number:04}")) for number in range(8)]
    # SHA-256 of "medqa/0000" begins with 0x18
    assert half_of("mirage", _item("medqa:0000")) == "training"
    assert half_of("mirage", _item("medqa:0001")) == "test"  # 0x3b


def test_the_real_questions_say_their_half(shared: Path) -> None:
    bioasq = open_dataset("bioasq")
    seven = {half_of("bioasq", item) for item in bioasq.read(shared / "bioasq" / "task7b.json.gz", "all")}
    nine = {half_of("bioasq", item) for item in bioasq.read(shared / "bioasq" / "task9b.json.gz", "all")}
    assert (seven, nine) == ({"training"}, {"test"})
