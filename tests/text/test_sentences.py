"""Sentence boundaries: exact offsets for any text, and the abbreviations of biomedicine."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rows import each_row

from medground.language.sentences import sentence_spans

Linear = Callable[[Callable[[int], object], int], None]

# Pieces that make boundaries hard to find: full stops, brackets, odd white space, characters outside the BMP.
PIECES = st.sampled_from(
    [
        *(
            ". ",
            ".",
            "? ",
            "!! ",
            "\n",
            "\n\n",
            "\r\n\r\n",
            "\t",
            " ",
            "\u2028",
            "\x85",
            "\x1f",
            "\x00",
            '"',
            ")",
            "3.5 ",
        ),
        *(
            "vit. ",
            "C ",
            "E. coli ",
            "p = 0.05",
            "Fig. 2",
            "i.v. ",
            "et al. ",
            "The ",
            "We saw",
            "(P<.001).",
            "Results:",
        ),
        *("\U0001f9ec", "β-cell", "- item\n", "e\u0301"),
    ]
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=40).map("".join))


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@given(TEXTS)
@settings(deadline=None, max_examples=300)
@example("")
@example(" \n ")
def test_spans_are_ordered_tight_and_cover_the_text(text: str) -> None:
    spans = sentence_spans(text)
    last = 0
    for start, end in spans:
        assert last <= start < end <= len(text)
        assert text[last:start].strip() == ""
        assert text[start:end] == text[start:end].strip()
        last = end
    assert text[last:].strip() == ""


@given(TEXTS, TEXTS)
@settings(deadline=None, max_examples=100)
def test_a_blank_line_always_ends_a_sentence(first: str, second: str) -> None:
    text = f"{first}\n\n{second}"
    assert not any(start < len(first) and end > len(first) + 2 for start, end in sentence_spans(text))


@each_row(
    "expected",
    [
        ["Patients received vit. C daily.", "Others took vit. D."],
        ["The drug was given i.v. to all rats.", "None died."],
        ["The dose was 5 mg/kg b.i.d. in both groups.", "Patients improved."],
        ["See Fig. 2 and Tab. 3 for details.", "See Figs. 2 and 3."],
        ["It was significant (p = 0.05).", "The 95% CI was 1.2 to 3.4."],
        ["We found Candida spp. in samples.", "S. aureus subsp. aureus was seen."],
        ["E. coli and S. aureus grew.", "B. subtilis did not."],
        ["Drug A vs. Drug B was compared.", "Approx. 3 of 5 improved."],
        ["As Smith et al. showed in 2004, it fails.", "Others agree, e.g. Jones."],
        ["Bacillus strain sp. nov. was isolated.", "Did it work?", "Yes!"],
        ["It was stored at 37 degrees C.", "The cells grew."],
        ["They lacked vitamin C.", "We gave it."],
        ["This was seen in meiosis I.", "However, it was rare."],
        ["Register: ClinicalTrials.gov, number NCT01234567.", "Funding: none."],
        ["Dr. Smith of St. Louis disagreed.", "No. 5 was lost."],
        ["Activity rose 1.5-fold (n = 23; P < .001).", "Group 2 did not."],
    ],
)
def test_biomedical_boundaries(expected: list[str]) -> None:
    assert sentences(" ".join(expected)) == expected


def test_boundaries_without_a_space_are_found() -> None:
    assert sentences("It rose (P<.001).Conclusion: it works.The end.") == [
        "It rose (P<.001).",
        "Conclusion: it works.",
        "The end.",
    ]


def test_headings_and_list_items_are_sentences_of_their_own() -> None:
    assert sentences("Dosage\n\nTake one:\n- in the morning\n- at night") == [
        "Dosage",
        "Take one:",
        "- in the morning",
        "- at night",
    ]


@pytest.mark.slow
@each_row("piece", ["\n", '."', "\r\n", ". ", "A. ", "\u2028", " \n\t", "vit. "])
def test_repetition_takes_no_more_than_linear_time(piece: str, linear: Linear) -> None:
    linear(lambda count: sentence_spans(piece * count), 40_000)


def test_boundaries_agree_with_the_sentences_of_scifact(shared: Path) -> None:
    """SciFact's abstracts were split by another tool; we must find more than nine in ten of its boundaries."""
    found = wanted = 0
    with gzip.open(shared / "scifact" / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        for _, line in zip(range(300), lines, strict=False):
            parts = [part.strip() for part in json.loads(line)["abstract"]]
            ends, position = set(), -1
            for part in parts:
                position += 1 + len(part)
                ends.add(position)
            found += len(ends & {end for _, end in sentence_spans(" ".join(parts))})
            wanted += len(ends)
    assert found / wanted > 0.9


@each_row("word", ["cancer", "life", "found", "reports", "glaucoma", "hand"])
def test_words_that_are_also_parts_of_journal_titles_end_sentences(word: str) -> None:
    first, second = f"It is linked to {word}.", "Statins lower the risk."
    text = f"{first} {second}"
    assert [text[start:end] for start, end in sentence_spans(text)] == [first, second]
