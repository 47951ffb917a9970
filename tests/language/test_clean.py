"""What reaches a reader: no character that controls a terminal, and offsets that still hold."""

from __future__ import annotations

import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.language.clean import HIDDEN, clean, one_line

SHOWN_SIGNS = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
"""Signs of Arabic, Syriac and Kaithi that are drawn, though their category is Cf."""
NOT_SHOWN = ("Cc", "Cf", "Cs", "Zl", "Zp")
texts = st.text() | st.text("a é\n\t\x1b\x07\x7f\x85\x9b\u200b\u200c\u200d\u202e\u2066\u2028\ud800اक👩")


def test_every_character_that_is_not_shown_is_known() -> None:
    hidden = set("".join(HIDDEN.findall("".join(map(chr, range(sys.maxunicode + 1))))))
    not_shown = {c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) in NOT_SHOWN}
    assert not_shown - hidden == {"\n", "\t", *SHOWN_SIGNS}
    assert {unicodedata.category(c) for c in hidden - not_shown} <= {"Cn"}  # of a newer Unicode


@given(texts)
def test_clean_text_is_clean_and_as_long(text: str) -> None:
    cleaned = clean(text)
    assert len(cleaned) == len(text)
    assert not HIDDEN.search(cleaned)
    for before, after in zip(text, cleaned, strict=True):
        assert after == (" " if before != after else before)
        if unicodedata.category(before) not in NOT_SHOWN:
            assert after == before


@given(texts)
def test_one_line_is_one_line(text: str) -> None:
    line = one_line(text)
    assert len(line) == len(text)
    assert len(line.splitlines()) <= 1
    assert one_line(line) == line


@each_row("text", ["TGF-β ≥ 5 µg\n\tné", "می‌خواهم", "क्‍ष", "👩‍⚕️ asks", "ا\u0600١", "日本語", "שלום", "مرحبا"])
def test_text_that_needs_its_characters_stays(text: str) -> None:
    assert clean(text) == text


@each_row(
    ("text", "shown"),
    [
        ("\x1b]0;title\x07x", " ]0;title x"),
        ("\x1b[2Jx\x9b31m", " [2Jx 31m"),
        ("aspi\u200drin \u200c", "aspi rin  "),
        ("not \u202edesaercni\u202c", "not  desaercni "),
        ("a\u2028b\x85c\rd", "a b c d"),
        ("\udcff.json", " .json"),
    ],
)
def test_what_deceives_becomes_a_space(text: str, shown: str) -> None:
    assert clean(text) == shown
