"""The calibrated lean: its guarantees, and that its weights are the trained ones."""

import gzip
import json
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medground.lean.model import Lean, digest, lean

QUESTION = "Does the drug reduce mortality?"
NOTHING = (
    "Patients were randomised. There was no significant difference in mortality between the groups (p = 0.71). "
    "The drug did not reduce mortality, and no difference was found in any subgroup (p = 0.64)."
)
EFFECT = (
    "Patients were randomised. Mortality was significantly lower in the treated group (p < 0.001). "
    "The drug significantly reduced mortality in every subgroup (p < 0.01)."
)


def check(found: Lean, values: set[str]) -> None:
    assert set(found.probabilities) <= values
    assert sum(found.probabilities.values()) == pytest.approx(1, abs=2e-4)
    assert found.probability == max(found.probabilities.values())
    assert found.value is None or found.probabilities[found.value] == found.probability


def test_an_effect_leans_more_to_yes_than_a_null_result() -> None:
    effect, nothing = lean(QUESTION, [EFFECT]), lean(QUESTION, [NOTHING])
    assert effect.probabilities["yes"] > nothing.probabilities["yes"] + 0.2
    assert nothing.probabilities["no"] > effect.probabilities["no"] + 0.2


def test_a_text_off_topic_is_not_judged() -> None:
    question = "Does vitamin D reduce mortality?"
    text = EFFECT.replace("The drug", "Vitamin C, a vitamin,")
    assert lean(question, [text]).value is None
    assert lean(question, [text.replace("Vitamin C", "Treatment with vitamin D")]).value == "yes"
    assert lean("Do zebrafish dream?", [EFFECT]).value is None


def test_how_a_document_is_cut_matters_little() -> None:
    first, second = EFFECT.split(". ", 1)
    whole, cut = lean(QUESTION, [EFFECT]), lean(QUESTION, [first + ".", second])
    assert whole.probability == pytest.approx(cut.probability, abs=0.02)


def test_a_yes_no_task_has_no_maybe() -> None:
    check(lean(QUESTION, [EFFECT], task="yes-no"), {"yes", "no"})


@pytest.mark.parametrize("passages", [[], [""], [" \n "]])
def test_an_empty_text_is_not_judged(passages: list[str]) -> None:
    found = lean(QUESTION, passages)
    assert found.value is None
    check(found, {"yes", "no", "maybe"})


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=200), st.lists(st.text(max_size=300), max_size=3))
def test_any_text_has_the_same_lean_each_time(question: str, passages: list[str]) -> None:
    found = lean(question, passages)
    assert found == lean(question, passages)
    check(found, {"yes", "no", "maybe"})


def test_a_very_long_text_is_read() -> None:
    check(lean(QUESTION, [EFFECT * 300]), {"yes", "no", "maybe"})


def test_the_weights_are_small_match_their_record_and_hold_no_text() -> None:
    folder = resources.files("medground") / "data"
    about = json.loads((folder / "lean.json").read_text(encoding="utf-8"))
    assert len((folder / "lean.npz").read_bytes()) < 1_000_000
    with np.load(str(folder / "lean.npz"), allow_pickle=False) as stored:
        weights = {name: stored[name] for name in stored.files}
    assert digest(weights) == about["sha256"]
    assert {name: list(w.shape) for name, w in weights.items()} == about["shapes"]
    assert all(w.dtype == np.float32 for w in weights.values())
    assert about["trained on"] and about["date"]


def test_on_the_training_split_it_beats_always_yes_and_abstains_often(shared: Path) -> None:
    with gzip.open(shared / "pubmedqa" / "pqa_l.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [r for r in map(json.loads, lines) if r["split"] != "test"][:100]
    leans = [lean(r["question"], r["contexts"]) for r in records]
    likeliest = [max(f.probabilities, key=f.probabilities.__getitem__) for f in leans]
    right = sum(value == r["final_decision"] for value, r in zip(likeliest, records, strict=True))
    assert right > sum(r["final_decision"] == "yes" for r in records)
    assert 20 <= sum(f.value is None for f in leans) <= 75
