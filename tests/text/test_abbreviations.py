"""Abbreviations of what a question spells out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.language.words import spelled_out

QUESTION = "Is celecoxib effective for amyotrophic lateral sclerosis?"


@each_row(
    ("text", "expected"),
    [
        ("It did not help people with ALS.", "It did not help people with amyotrophic lateral sclerosis."),
        ("It did, also in this cohort.", "It did, also in this cohort."),
        ("False alarms fell.", "False alarms fell."),
        ("FALS runs in families.", "FALS runs in families."),
    ],
)
def test_initials_are_written_out(text: str, expected: str) -> None:
    assert spelled_out(text, QUESTION) == expected


@given(st.text(max_size=60))
def test_a_question_of_two_words_changes_nothing(text: str) -> None:
    assert spelled_out(text, "Aspirin migraine?") == text
