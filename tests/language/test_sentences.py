"""Sentence boundaries: exact offsets for any text, the abbreviations of biomedicine, and no address or name cut."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rows import each_row, tables

from medground.language.sentences import sentence_spans

Linear = Callable[[Callable[[int], object], int], None]

# Pieces that make boundaries hard to find: full stops, brackets, odd white space, characters outside the BMP.
_PIECES = (
    '. |.|? |!! |\n|\n\n|\r\n\r\n|\t| |\u2028|\x85|\x1f|\x00|"|)|3.5 |vit. |C |E. coli |p = 0.05|Fig. 2|i.v. |et al. |'
    "The |We saw|(P<.001).|Results:|\U0001f9ec|β-cell|- item\n|e\u0301"
)
PIECES = st.sampled_from(_PIECES.split("|"))
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


@each_row("expected", tables(__file__)["sentences"])
def test_boundaries_of_biomedical_texts(expected: list[str]) -> None:
    joined = "\n".join(expected) if "doi:" in expected[0] else " ".join(expected)
    assert sentences(joined) == expected


def test_boundaries_without_a_space_are_found() -> None:
    expected = ["It rose (P<.001).", "Conclusion: it works.", "The end."]
    assert sentences("".join(expected)) == expected


def test_headings_and_list_items_are_sentences_of_their_own() -> None:
    found = sentences("Dosage\n\nTake one:\n- in the morning\n- at night")
    assert found == ["Dosage", "Take one:", "- in the morning", "- at night"]


@pytest.mark.slow
@each_row("piece", ["\n", '."', "\r\n", ". ", "A. ", "\u2028", " \n\t", "vit. "])
def test_repetition_takes_no_more_than_linear_time(piece: str, linear: Linear) -> None:
    linear(lambda count: sentence_spans(piece * count), 6_000)


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
    assert sentences(f"{first} {second}") == [first, second]


_HOSTS = "www.ncbi.nlm.nih.gov https://doi.org http://mobyle.rpbs.univ-paris.fr www.It-works.org ftp://ftp.ebi.ac.uk"
_PARTS = "geo Results.The index.php?id=3&The=4 q?A!B 10.1002/(SICI)1097 j.cell.2014.05.001 #In.We v1.0 a,b;c:d (2)x"
HOSTS, PARTS = st.sampled_from(_HOSTS.split()), st.sampled_from(_PARTS.split())
ADDRESSES = st.one_of(
    st.builds(lambda host, parts: "/".join([host, *parts, "end"]), HOSTS, st.lists(PARTS, max_size=4)),
    st.sampled_from(["sohrab.Saraei@utu.fi", "jane.In.The@x-y.ac.uk", "doi:10.1016/S0140-6736(20)30183-5"]),
)
BEFORE = st.sampled_from(["", "The data are at ", "It rose (P<.001). See (", "Others agree, e.g. Jones; "])
AFTER = st.sampled_from(["", ".", ").", " and elsewhere.", ". The cells grew.", "). We saw it.", ", too."])


@given(BEFORE, ADDRESSES, AFTER)
def test_no_address_is_cut(before: str, address: str, after: str) -> None:
    text = before + address + after
    first, last = len(before), len(before) + len(address)
    assert not [end for _, end in sentence_spans(text) if first < end < last]


def test_an_address_ends_at_a_boundary_without_a_space_and_at_a_new_line() -> None:
    assert sentences("It is at (www.x.org).The cells grew.") == ["It is at (www.x.org).", "The cells grew."]
    assert sentences("See www.ncbi.\nnlm.nih.gov/geo") == ["See www.ncbi.", "nlm.nih.gov/geo"]
