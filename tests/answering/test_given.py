"""Statements that only repeat what was given with the question are told apart from what evidence must support."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from rows import each_row

from medground.answering.verify.context import repeats
from medground.answering.verify.reporting import asks
from medground.language.sentences import sentence_spans

CASE = """A 64-year-old man with atrial fibrillation and chronic kidney disease (eGFR 28) takes warfarin.
He had a gastrointestinal bleed last month. He has no fever. His mother says that apixaban causes headaches.
Is apixaban safer than warfarin in kidney disease?"""


@each_row(
    "statement",
    [
        "The patient takes warfarin.",
        "This 64-year-old patient has atrial fibrillation and chronic kidney disease.",
        "The patient is a man with chronic kidney disease and a gastrointestinal bleed last month.",
        "He has no fever.",
    ],
)
def test_a_repeated_fact_of_the_case_is_told_apart(statement: str) -> None:
    assert repeats(statement, CASE)


@each_row(
    "statement",
    [
        "Apixaban is safer than warfarin in kidney disease.",  # the case only asks it
        "Apixaban is not safer than warfarin.",
        "The patient should take warfarin.",
        "The patient had a gastrointestinal bleed because he takes warfarin.",
        "The patient takes apixaban for atrial fibrillation.",
        "The patient has a fever.",
        "A 46-year-old man takes warfarin.",
        "The patient does not take warfarin.",
        "Warfarin increases bleeding in chronic kidney disease.",
        "The patient.",
        "",
    ],
)
def test_what_the_case_does_not_say_is_not_told_apart(statement: str) -> None:
    assert not repeats(statement, CASE)


@pytest.mark.shared
def test_sentences_of_real_cases_repeat_their_own_case_and_no_option_does(shared: Path) -> None:
    with gzip.open(shared / "mirage" / "questions.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [r for r in map(json.loads, lines) if r["set"] == "medqa"][:25]
    told, claimed = [], []
    for record in records:
        case = record["question"]
        sentences = [case[start:end] for start, end in sentence_spans(case)]
        told += [repeats(sentence, case) for sentence in sentences if not asks(sentence)]
        right = record["options"][record["answer"]]
        claimed += [repeats(f"The patient should be told that this is {right}.", case)]
    assert sum(told) / len(told) > 0.99
    assert not any(claimed)
