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

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

pytest.importorskip("sklearn")

from pairing.experts import from_bioasq, from_pubmedqa, held_question
from pairing.pair import Pair, Weights

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
