"""Cue words, and the shortcut that finds them."""

import re

from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.operators.keyless.flags.cues import CAUSE, DOUBT, EVERY, NEGATION, cue

WORDS = (
    *(
        "No",
        "not only",
        "not",
        "fails to",
        "lacked",
        "absence of",
        "don't",
        "didn’t",
        "CAN'T",
        "n't",
        "'tis",
        "want to",
    ),
    *("Increased", "highest", "up-regulated", "fewer", "lowering", "downregulates", "may", "possibly", "hypothesised"),
    *("tends", "proven", "certainly", "leads to", "LED TO", "LPS-induced", "due to", "related to", "relation", "risk"),
    *("risk factors", "linked", "mice", "unlikely", "nonetheless", "maybe", "ſuggested", "5", "%", "é"),
)


@given(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from((" ", "-", "'", "_", ". ", "")))))
def test_the_shortcut_does_not_change_what_a_cue_finds(text: list[tuple[str, str]]) -> None:
    joined = "".join(word + mark for word, mark in text)
    for pattern in (*EVERY, DOUBT):
        plain = re.compile(re.sub(r"\(\?=\[[^]]*\]\)", "", pattern.pattern, count=1), re.IGNORECASE)
        assert plain.pattern != pattern.pattern
        assert pattern.findall(joined) == plain.findall(joined)


@each_row(
    ("text", "found"),
    [
        ("It led to gout", "led to"),
        ("Men or Boys", "Boys"),
        ("RATED highly", "RATED"),
        ("a rat-like boy", "rat"),
        ("grated, boyish, leading to", None),
    ],
)
def test_a_cue_is_a_whole_word_in_any_case(text: str, found: str | None) -> None:
    match = cue(r"rat(?:ed)?|(?:lead|led)s? to|boys?").search(text)
    assert (match and match[0]) == found


def test_contractions_negate_only_as_an_ending() -> None:
    assert [len(NEGATION.findall(text)) for text in ("I don't", "IT DIDN’T", "can't, won't", "'tis t'other")] == [
        1,
        1,
        2,
        0,
    ]


def test_a_hyphenated_participle_is_not_a_cause() -> None:
    assert CAUSE.search("LPS induced fever")
    assert not CAUSE.search("LPS-induced fever")
