"""Planted errors: the same seed plants the same errors, and the keyless critic catches them."""

import gzip
import importlib
import json
import random
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rows import each_row

from medground.models.operators.base import EvidenceView
from medground.models.operators.compare import compare

SCRIPTS = Path(__file__).parents[2] / "scripts"
KINDS = ("negation", "number", "direction", "subject", "strengthened", "foreign")


@pytest.fixture(scope="module")
def planting() -> ModuleType:
    sys.path.insert(0, str(SCRIPTS))
    try:
        return importlib.import_module("planted_errors")
    finally:
        sys.path.remove(str(SCRIPTS))


@each_row(
    ("kind", "sentence", "planted"),
    [
        ("negation", "Aspirin was associated with survival.", {"Aspirin was not associated with survival."}),
        ("negation", "Aspirin did not improve survival.", {"Aspirin improved survival."}),
        ("negation", "The drug cannot cross the barrier.", {"The drug can cross the barrier."}),
        ("direction", "Mortality was higher in the group.", {"Mortality was lower in the group."}),
        ("strengthened", "Aspirin may reduce mortality in men.", {"Aspirin reduces mortality in men."}),
        ("strengthened", "Obesity is associated with asthma.", {"Obesity causes asthma."}),
        ("subject", "Risk was lower in men.", {"Risk was lower in women."}),
        ("subject", "It was safer in dogs than in cats.", {"It was safer in cats than in dogs."}),
    ],
)
def test_each_kind_makes_a_plain_sentence(planting: ModuleType, kind: str, sentence: str, planted: set[str]) -> None:
    assert {planting.plant(kind, sentence, random.Random(seed)) for seed in range(8)} == planted


@settings(max_examples=25)
@given(text=st.text(max_size=200), other=st.text(max_size=80), kind=st.sampled_from(KINDS), seed=st.integers(0, 9))
def test_any_text_is_planted_the_same_way_twice(
    planting: ModuleType, text: str, other: str, kind: str, seed: int
) -> None:
    first = planting.plant(kind, text, random.Random(seed), others=[other])
    assert first == planting.plant(kind, text, random.Random(seed), others=[other])
    assert first != text


def pubmedqa(folder: Path) -> Path:
    """Two records, one of each split."""
    texts = (
        "Aspirin was associated with fewer strokes in 12 trials.",
        "Warfarin may increase bleeding in 40 old patients.",
    )
    records = [
        {"pmid": str(n), "split": split, "contexts": [text], "long_answer": f"It is clear. {text}"}
        for n, (split, text) in enumerate(zip(("train", "test"), texts, strict=True), start=1)
    ]
    (folder / "pubmedqa").mkdir()
    with gzip.open(folder / "pubmedqa" / "pqa_l.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)
    return folder / "pubmedqa"


def test_the_command_writes_one_split(
    planting: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = pubmedqa(tmp_path)
    written = []
    for split, out in (("train", "a"), ("train", "b"), ("held out", "c")):
        path = tmp_path / out
        monkeypatch.setattr(sys, "argv", ["planted_errors.py", str(path), str(folder), "--split", split])
        planting.main()
        written.append([json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()])
    train, again, held_out = written
    assert train == again
    assert {line["document"] for line in train} == {"PMID:1"}
    assert {line["document"] for line in held_out} == {"PMID:2"}
    assert {"unchanged", "number", "negation"} <= {line["kind"] for line in train}
    for line in train:
        assert line["original"] in line["premise"]
        assert (line["statement"] == line["original"]) == (line["kind"] == "unchanged")
    assert "unchanged" in capsys.readouterr().out


def test_planted_errors_in_real_abstracts_are_caught(planting: ModuleType, shared: Path) -> None:
    texts = list(planting.abstracts(shared / "pubmedqa", "held out"))[:12]
    tally: dict[str, list[bool]] = {}
    for line in planting.planted(texts):
        found = compare(line.statement, [EvidenceView(id="E1", quote=line.premise)])
        tally.setdefault(line.kind, []).append(not found.related or bool(found.flags))
    rates = {kind: sum(caught) / len(caught) for kind, caught in tally.items()}
    assert rates["unchanged"] == 0
    assert min(rates["negation"], rates["number"]) >= 0.9
    assert min(len(tally["negation"]), len(tally["number"])) >= 20
