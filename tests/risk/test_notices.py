"""A person at risk: wordings that get a notice, and what a network reads where none is so direct."""

import gzip
import json
import time
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row, tables

from medground.language.risk.network import KINDS, shares
from medground.language.risk.notices import notice_for, risk_in_words
from medground.language.risk.rules import plain

TABLES = tables(__file__)

ROWS = [
    line.split("\t")
    for line in (Path(__file__).parent / "wordings.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
MISSED = {
    "Is ozempic right for me?",
    "Do you think I should try semaglutide?",
    "I'm thinking of stopping Humira",
    "Would ozempic be something for me, I am 110 kg",
    "how long does it take to bleed out from the wrist",
    "can't do school anymore, can't do life anymore",
    "would 30 tylenol do it or does it just wreck the liver",
    "my brother tried to kill himself in 2005 and is well today",
}
"""Wordings that are missed, or taken for a danger. Remove what a change mends."""
TEXTS = [row[2] for row in ROWS]


def kind(text: str) -> str:
    notice = notice_for(text)
    return notice.kind if notice else "none"


def test_each_wording_gets_its_kind_but_those_that_are_known_to_be_missed() -> None:
    learned = [(expected, text) for expected, group, text in ROWS if group not in ("unseen", "held")]
    wrong = {text: f"{kind(text)}, not {expected}" for expected, text in learned if kind(text) != expected}
    assert {text: why for text, why in wrong.items() if text not in MISSED} == {}
    assert set(wrong) == MISSED


def test_symptoms_without_a_person_in_new_wordings_are_mostly_an_emergency_and_questions_of_them_none() -> None:
    unseen = [(expected, kind(text)) for expected, group, text in ROWS if group == "unseen"]
    assert unseen.count(("emergency", "emergency")) >= 27
    assert sum(expected == "none" != got for expected, got in unseen) <= 1


def test_letters_that_were_not_learned_from_get_their_notice() -> None:
    held = [(expected, kind(text)) for expected, group, text in ROWS if group == "held"]
    assert sum(expected == got != "none" for expected, got in held) >= 27
    assert sum(expected == "none" != got for expected, got in held) <= 2


@each_row(
    ("text", "expected"),
    [
        ("Should I stop taking my warfarin?", "treatment"),
        ("how long can i take miralax", "none"),
        (f"{'We went to the lake with all of the children. ' * 9}I take warfarin. Should I stop it now?", "treatment"),
        (f"My chest is fine. {'We went to the lake with all of the children. ' * 9}The lake hurts my arm.", "none"),
    ],
)
def test_a_letter_is_read_by_sentences(text: str, expected: str) -> None:
    assert kind(text) == expected


@each_row(
    "text",
    ["", " ", "\n\t", "🙂🙂🙂", "\x00\x01\x1b[2J", "?", "a", "\ud800", "\u202e\u200b", "…", "(" * 500, '"' * 999],
)
def test_what_says_nothing_gets_no_notice(text: str) -> None:
    assert notice_for(text) is None


@each_row(
    "text",
    ["I\x00want\x07to die", "I wa\u200bnt to die", "Ｉ ｗａｎｔ ｔｏ ｄｉｅ", "i want to dié", '"I want to die"'],
)
def test_odd_characters_hide_nothing(text: str) -> None:
    assert kind(text) == "self-harm"


@each_row("text", TABLES["not_said"])
def test_negation_the_past_and_what_others_are_quoted_as_saying(text: str) -> None:
    assert notice_for(text) is None


def test_sentences_are_short_and_name_numbers_of_several_countries() -> None:
    for text in (
        "I want to die",
        "I have crushing chest pain now",
        "I am 60 and bleed after menopause",
        "Should I stop my losartan?",
    ):
        notice = notice_for(text)
        assert notice is not None
        assert "cannot advise" in notice.sentence
        assert len(notice.sentence.split()) <= 60
        assert notice.stops == (notice.kind in ("self-harm", "emergency"))
    for text in ("I want to die", "I took too many pills"):
        notice = notice_for(text)
        assert notice is not None
        assert all(number in notice.sentence for number in ("112", "911", "999"))


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    notice_for(text)


@given(st.lists(st.sampled_from([*" ".join(TEXTS).split(), ".", "?", "\n", '"', "5", "ß", "é"]), max_size=60))
def test_any_words_are_read_the_same_in_capitals_and_with_other_space(words: list[str]) -> None:
    expected = kind(" ".join(words))
    assert kind("\n\t ".join(words)) == expected
    assert kind(" ".join(words).upper()) == expected
    assert kind(f"  {' '.join(words)}  ") == expected


def test_capitals_change_nothing() -> None:
    assert {text: kind(text.upper()) for text in TEXTS if kind(text.upper()) != kind(text)} == {}


@pytest.mark.slow
@each_row("piece", ["my son my ", '"', "i want to . "])
def test_the_time_is_linear_in_the_length(piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece * length)[:length] + " i"
        best = float("inf")
        for _ in range(2):
            start = time.process_time()
            notice_for(text)
            best = min(best, time.process_time() - start)
        return best

    assert seconds(20_000) < 5.0
    assert seconds(40_000) < 12 * max(seconds(10_000), 0.001)


@pytest.mark.slow
def test_experts_and_examinations_are_not_people_at_risk(shared: Path) -> None:
    files = [shared / "pubmedqa" / "pqa_l.jsonl.gz", shared / "mirage" / "questions.jsonl.gz"]
    questions = []
    for path in files:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            questions += [json.loads(line)["question"] for line in islice(lines, 0, None, 6)]
    assert len(questions) > 700
    assert sum(notice_for(question) is not None for question in questions) <= 1


@each_row(
    ("text", "kind"),
    [
        ("nobody listens and I am so tired that I want to vanish tonight", "self-harm"),
        ("my daughter is choking on a toy and cannot breathe", "emergency"),
        ("an ulcer on my lip that has not healed for two months", "see-doctor"),
        ("should my mother go on with her tablets", "treatment"),
        ("Which enzyme does aspirin inhibit?", None),
        ("", None),
    ],
)
def test_the_network_reads_words(text: str, kind: str | None) -> None:
    assert risk_in_words(plain(text)) == kind


@each_row("text", TABLES["relative"])
def test_a_question_of_a_relative_is_no_danger(text: str) -> None:
    assert notice_for(text) is None


@given(st.text(alphabet="abcdings ,.", max_size=200))
def test_any_words_have_a_share_of_each_kind(text: str) -> None:
    found = shares(plain(text))
    assert len(found) == len(KINDS)
    assert all(0 <= share <= 1 for share in found)
