"""Pairs for training the critic that rules make of texts: each label must follow from the texts themselves."""

from __future__ import annotations

import gzip
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from rows import each_row

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

pytest.importorskip("sklearn")

from pairing.aims import from_aims, only_plans
from pairing.experts import from_bioasq, from_pubmedqa, held_question
from pairing.needs import from_needs
from pairing.pair import Pair, Weights


@each_row(
    ("sentence", "plans"),
    [
        ("We enrolled 310 adults with asthma at nine hospitals to test vitamin D.", True),
        ("The aim of this study was to determine whether aspirin prevents colorectal cancer.", True),
        ("Serum samples were collected from all of the patients at the first visit.", True),
        ("Patients were randomly assigned to aspirin or placebo and mortality was lower with aspirin.", False),
        ("Aspirin reduced the incidence of colorectal cancer by a quarter over ten years.", False),
    ],
)
def test_a_plan_is_told_from_a_finding(sentence: str, plans: bool) -> None:
    assert only_plans(sentence) is plans


def test_a_statement_under_a_plan_is_neutral() -> None:
    abstract = [
        "We enrolled 310 adults with asthma at nine hospitals to test vitamin D.",
        "Vitamin D reduced attacks of asthma by a third in these adults.",
    ]
    found = list(from_aims("Vitamin D reduces asthma in adults.", abstract, Weights(abstract), random.Random(0), "aim"))
    assert [pair.label for pair in found] == ["neutral"]
    assert found[0].premise == abstract[0]


@each_row(
    ("sentence", "raises"),
    [
        ("Deletion of Sirt1 impaired insulin secretion in islets.", True),
        ("Loss of PTEN increased tumour growth, as expected.", False),
        ("Overexpression of Lin28 promoted liver regeneration.", True),
        ("Overexpression of miR-34a inhibited cell proliferation.", False),
        ("Rag1-deficient animals showed reduced plaque formation.", True),
    ],
)
def test_what_a_loss_or_a_gain_shows(sentence: str, raises: bool) -> None:
    up, down = from_needs([sentence], random.Random(1))
    assert (up.label, down.label) == (("entails", "contradicts") if raises else ("contradicts", "entails"))


@each_row(
    "sentence",
    [
        "Deletion of Sirt1 did not impair insulin secretion in islets.",
        "Loss of these cells reduced plaque formation.",
        "The samples were stored at room temperature.",
    ],
)
def test_a_loss_that_shows_nothing_makes_no_pair(sentence: str) -> None:
    assert list(from_needs([sentence], random.Random(1))) == []


ANSWER = "Metformin lowers fasting glucose in adults with type 2 diabetes."
SNIPPET = "In adults with type 2 diabetes, metformin significantly lowers fasting glucose compared with placebo."


def question(
    identifier: str, kind: str = "summary", pmid: int = 1, snippet: str = SNIPPET, **other: Any
) -> dict[str, Any]:
    return {
        "id": identifier, "type": kind, "body": "What does metformin do?", "ideal_answer": [ANSWER],
        "snippets": [{"document": f"http://www.ncbi.nlm.nih.gov/pubmed/{pmid}", "text": snippet}], **other,
    }  # fmt: skip


def pairs_of(folder: Path, questions: Sequence[dict[str, Any]]) -> list[Pair]:
    folder.mkdir(exist_ok=True)
    (folder / "task9b.json.gz").write_bytes(gzip.compress(json.dumps({"questions": questions}).encode()))
    return list(from_bioasq(folder, Weights([SNIPPET, "Zinc is a metal that cells need."]), random.Random(0)))


def test_an_ideal_answer_under_its_snippet_is_entailed_and_its_reversal_is_not(tmp_path: Path) -> None:
    for run in range(6):  # either side is reversed, at random
        found = pairs_of(
            tmp_path / str(run), [question(str(run)), question("b", pmid=2, snippet="Zinc is a metal that cells need.")]
        )
        labels = {
            (pair.premise == SNIPPET, "not" in pair.statement): pair.label for pair in found if pair.source == "bioasq"
        }
        assert labels.get((True, False), "entails") == "entails"
        assert labels.get((True, True), "contradicts") == "contradicts"


def test_questions_kept_for_measuring_and_their_documents_are_left_out(tmp_path: Path) -> None:
    held = next(name for name in map(str, range(99)) if held_question(name))
    kept = question(held, "yesno", pmid=1, exact_answer="yes", body="Does metformin lower glucose?")
    other = question("x", pmid=1)  # cites the same document
    assert pairs_of(tmp_path, [kept, other]) == []


def test_pubmedqa_gives_its_training_questions_only(tmp_path: Path) -> None:
    rows = [
        {"split": split, "question": "Does metformin lower fasting glucose?", "final_decision": decision,
         "long_answer": "Metformin lowers fasting glucose.", "contexts": [SNIPPET]}
        for split, decision in (("test", "yes"), ("train_dev", "yes"), ("train_dev", "maybe"))
    ]  # fmt: skip
    path = tmp_path / "pqa_l.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    found = list(from_pubmedqa(path, Weights([SNIPPET]), random.Random(0)))
    assert {(pair.premise.split()[0], pair.label) for pair in found if "not" not in pair.statement} == {
        ("Metformin", "entails"), ("In", "compatible"),
    }  # fmt: skip
