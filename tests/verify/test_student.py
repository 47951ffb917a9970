"""A student of the critic: unlabelled pairs, what a teacher says of them, and the loss that follows the teacher."""

import importlib
import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from medground.models.pairs.make import make
from medground.models.pairs.network import PairNetwork
from medground.models.pairs.shipped import Shipped

SCRIPTS = Path(__file__).parents[2] / "scripts"
ROWS = [
    {"premise": "the long gene", "statement": "the lens is short", "label": "unlabelled", "source": "beside title"},
    {"premise": "the lens is not short", "statement": "the lens is short", "label": "unlabelled", "source": "own"},
    {"premise": "aorta", "statement": "cause of the lens", "label": "unlabelled", "source": "own"},
]


@pytest.fixture(autouse=True, scope="module")
def _scripts() -> Iterator[None]:
    sys.path.insert(0, str(SCRIPTS))
    yield
    sys.path.remove(str(SCRIPTS))


def module(name: str) -> ModuleType:
    return importlib.import_module(name)


@pytest.fixture
def teacher(ship: Callable[..., Shipped], tmp_path: Path) -> PairNetwork:
    """A tiny network that was made as `medground models fetch critic` makes one; its labels are in another order."""
    return PairNetwork.open("critic", make(ship(labels=("neutral", "entails", "contradicts")), tmp_path / "models"))


def written(folder: Path, number: int = 3) -> Path:
    path = folder / "unlabelled.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS[:number]))
    return path


def test_a_teacher_says_how_probable_each_label_is(teacher: PairNetwork) -> None:
    found = module("teach").taught(teacher, ROWS)
    expected = teacher.probabilities([(row["premise"], row["statement"]) for row in ROWS])
    for row, one, said in zip(ROWS, found, expected, strict=True):
        assert {key: one[key] for key in row} == row
        assert one["taught"] == pytest.approx([said[1], said[2], said[0]], abs=1e-5)


def test_a_teacher_goes_on_where_it_was_stopped(
    teacher: PairNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    teach, whole, part = module("teach"), tmp_path / "whole", tmp_path / "part"
    monkeypatch.setattr(teach, "SHARD", 1)
    teach.teach(teacher, written(tmp_path), whole, 3)
    monkeypatch.setattr(teach, "taught", stopped_after(2, teach.taught))
    with pytest.raises(KeyboardInterrupt):
        teach.teach(teacher, tmp_path / "unlabelled.jsonl", part, 3)
    assert [path.name for path in sorted(part.iterdir())] == ["0000.jsonl", "0001.jsonl"]
    monkeypatch.setattr(teach, "taught", stopped_after(1, teach.taught.again))
    teach.teach(teacher, tmp_path / "unlabelled.jsonl", part, 3)
    assert [path.read_text() for path in sorted(part.iterdir())] == [p.read_text() for p in sorted(whole.iterdir())]


def stopped_after(times: int, work: Callable[..., Any]) -> Any:
    """`work`, interrupted when it is asked once more than `times`."""
    left = [times]

    def once(*given: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return work(*given)

    once.again = work  # type: ignore[attr-defined]
    return once


def test_a_folder_of_shards_is_read_in_order(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    folder = tmp_path / "taught"
    folder.mkdir()
    for number, row in enumerate(ROWS):
        (folder / f"{number:04}.jsonl").write_text(json.dumps(row) + "\n")
    (folder / "0003.part").write_text("half a li")
    assert module("train_critic").read(folder) == ROWS
    written(tmp_path)
    assert module("train_critic").read(tmp_path / "unlabelled") == ROWS


def test_the_loss_is_least_where_the_student_says_what_the_teacher_says() -> None:
    torch = pytest.importorskip("torch")
    train, batch, empty = module("train_critic"), module("small.feeding").Batch, torch.zeros(1, 1)

    def loss(said: list[float], label: str, taught: list[float]) -> float:
        target = torch.tensor([[*train.TARGETS[label], *taught]])
        logits = torch.log(torch.tensor([said]))
        return float(train.learned(logits, batch(empty, empty, empty, target, empty)))

    same, other = [0.7, 0.1, 0.2], [0.1, 0.7, 0.2]
    assert loss(same, "unlabelled", same) == pytest.approx(0, abs=1e-5)
    assert loss(other, "unlabelled", same) > 0.5
    assert loss(same, "unlabelled", [1.0, 0.0, 0.0]) > 0
    assert loss(other, "unlabelled", [0.0] * 3) == pytest.approx(0, abs=1e-5)
    by_both = loss(other, "entails", same)
    assert by_both == pytest.approx(loss(other, "entails", [0.0] * 3) + loss(other, "unlabelled", same), abs=1e-5)


def test_statements_are_put_beside_passages_on_the_same_subject() -> None:
    beside, pair, real = module("pairing.beside"), module("pairing.pair"), module("real_sentences")
    drugs = ["aspirin", "warfarin", "heparin", "insulin", "statin", "digoxin"]
    abstracts = [
        real.Abstract(f"{drug} {n}", (f"The {drug} group had fewer strokes.", f"We gave {drug} to adults."))
        for drug in drugs
        for n in (1, 2)  # a word of one abstract alone does not count
    ]
    weights = pair.Weights(s for a in abstracts for s in a.sentences)
    said = [("title", f"Treatment with {drug} reduces the number of strokes.") for drug in drugs]
    found = list(beside.beside(said, abstracts, weights, random.Random(0), 2))
    assert {one.label for one in found} == {"unlabelled"} and {one.source for one in found} == {"beside title"}
    own = {drug for drug in drugs for one in found if drug in one.statement and drug in one.premise}
    assert own == set(drugs) and len(drugs) < len(found) <= 2 * len(drugs)
    assert any(one.statement not in {text for _, text in said} for one in found)
