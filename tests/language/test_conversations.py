"""Conversations of five turns: each turn keeps the subject, and none is read as a question about another."""

import json
import runpy
from collections import Counter
from pathlib import Path

import pytest
from rows import each_row

from medground.language.conversation import Conversation
from medground.language.follow_up import read_follow_up
from medground.values.answer import SourceDocument

BENCHMARK = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "follow.py"))
LEARNED = Path(__file__).parents[2] / "scripts" / "conversations.jsonl"


def test_what_was_learned_is_what_is_read() -> None:
    lines = LEARNED.read_text(encoding="utf-8").splitlines()[::8]
    counts = Counter(outcome for line in lines for outcome, _, _ in BENCHMARK["turns"](json.loads(line)))
    assert counts["carried"] >= 0.7 * counts.total()
    assert counts["another"] <= 0.04 * counts.total()


@each_row(
    ("former", "asked", "named"),
    [
        ("my dad has gout", "what should he not eat", ["gout"]),
        ("my father has gout, does colchicine help", "what should he not eat", ["gout"]),
        ("Is there a vaccine for shingles?", "who should not get it?", ["vaccine", "shingles"]),
    ],
)
def test_a_turn_names_what_it_is_about(former: str, asked: str, named: list[str]) -> None:
    read = read_follow_up(asked, former).text
    assert all(name in read for name in named), read


@each_row(
    ("former", "asked", "read"),
    [
        ("What is neurofibromatosis type 1?", "And type 2?", "What is neurofibromatosis type 2?"),
        ("What is shingles?", "who should not get the vaccine", "who should not get the vaccine for shingles"),
        ("How is stage 2 melanoma treated?", "and stage 4?", "How is stage 4 melanoma treated?"),
        ("Is hepatitis C contagious?", "and B?", "Is hepatitis B contagious?"),
        ("Is asthma or gout more common?", "how is the second treated", "how is gout treated"),
        ("does naproxen help when you are old?", "and when pregnant?", "does naproxen help when pregnant?"),
    ],
)
def test_a_name_that_is_said_in_part_becomes_whole(former: str, asked: str, read: str) -> None:
    assert read_follow_up(asked, former).text == read


def paper(number: int, title: str, kind: str) -> SourceDocument:
    return SourceDocument(id=f"PMID:{number}", title=title, kind="research", publication_types=(kind,))


TRIAL, OTHER = (paper(n, title, "Randomized Controlled Trial") for n, title in ((1, "Mirtal in gout"), (2, "Mirtal")))
REVIEW = paper(3, "Mirtal, reviewed", "Review")


@each_row(
    ("quoted", "read"),
    [
        ([TRIAL], "PMID:1"),
        ([TRIAL, OTHER], "PMID:1"),
        ([REVIEW, OTHER], "PMID:2"),
        ([REVIEW, TRIAL, OTHER], "Was the trial blinded (PMID:1, “Mirtal in gout”)?"),
    ],
)
def test_the_trial_is_the_one_quoted_or_it_is_asked_back(quoted: list[SourceDocument], read: str) -> None:
    reading = read_follow_up("Was the trial blinded?", Conversation("Does mirtal help?", quoted=tuple(quoted)))
    assert (reading.paper or reading.choices[0]) == read


def test_what_there_is_for_a_disease_is_a_thing_of_its_own() -> None:
    for former in ("Is there a vaccine for mumps?", "is there any treatment against mumps"):
        offered = former.split(" ", 3)[3].rstrip("?")
        assert read_follow_up("who should not get it?", former).text == f"who should not get {offered}?"


def test_two_diseases_are_asked_back() -> None:
    reading = read_follow_up("what helps", "Is asthma linked to gout?")
    assert reading.choices == ("what helps with asthma?", "what helps with gout?")


@pytest.mark.parametrize("asked", ["What is a stroke?", "What is a cohort study?"])
def test_a_whole_question_carries_nothing(asked: str) -> None:
    assert read_follow_up(asked, "my dad has gout").text == asked
