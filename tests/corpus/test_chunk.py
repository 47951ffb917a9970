"""Passages: exact slices, cut at sentence boundaries, within one section, nothing lost."""

from __future__ import annotations

import itertools
from typing import Literal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from medground.corpus.chunk import chunk
from medground.errors import UsageError
from medground.language.sentences import sentence_spans
from medground.values.document import Document, Section

WORDS = st.sampled_from(["The ", "cells ", "grew. ", "It was 3.5 ", "\n\n", "x" * 30, ". ", "β", "\u2028", " ", "? "])
TEXTS = st.one_of(st.text(max_size=300), st.lists(WORDS, max_size=80).map("".join))


@st.composite
def documents(draw: st.DrawFn) -> Document:
    text = draw(TEXTS)
    edges = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    sections = tuple(
        Section(label=f"S{number}", start=start, end=end)
        for number, (start, end) in enumerate(zip(edges[::2], edges[1::2], strict=False))
    )
    kind: Literal["research", "graph"] = draw(st.sampled_from(["research", "graph"]))
    return Document(id="T:1", text=text, sections=sections, kind=kind)


@given(documents(), st.integers(1, 120))
@settings(deadline=None, max_examples=150)
def test_every_visible_character_is_in_exactly_one_passage(document: Document, limit: int) -> None:
    last = 0
    for passage in chunk(document, limit):
        assert document.text[passage.start : passage.end] == passage.text
        assert 0 < len(passage.text) <= limit
        assert passage.text == passage.text.strip()
        assert passage.start >= last
        assert not document.text[last : passage.start].strip()
        last = passage.end
    assert not document.text[last:].strip()


@given(documents(), st.integers(1, 120))
@settings(deadline=None, max_examples=100)
def test_a_passage_stays_in_its_section(document: Document, limit: int) -> None:
    for passage in chunk(document, limit):
        assert passage.section == document.section_at(passage.start) == document.section_at(passage.end - 1)
        assert not any(passage.start < edge < passage.end for s in document.sections for edge in (s.start, s.end))


@given(documents(), st.integers(60, 200))
@settings(deadline=None, max_examples=100)
def test_sentences_that_fit_are_never_cut_and_passages_are_full(document: Document, limit: int) -> None:
    assume(document.kind != "graph")
    document = document.model_copy(update={"sections": ()})
    sentences = sentence_spans(document.text)
    passages = list(chunk(document, limit))
    for start, end in sentences:
        if end - start <= limit:
            assert sum(p.start <= start and end <= p.end for p in passages) == 1
    for one, two in itertools.pairwise(passages):
        first_of_two = next((end for start, end in sentences if start == two.start), None)
        if first_of_two is not None and first_of_two - two.start <= limit:
            assert first_of_two - one.start > limit


def test_a_long_sentence_is_cut_at_white_space_or_hard() -> None:
    spaced = Document(id="T:1", text="word " * 50)
    assert all(p.text.split() == ["word"] * 4 for p in list(chunk(spaced, 20))[:-1])
    solid = Document(id="T:1", text="A" * 45)
    assert [len(p.text) for p in chunk(solid, 20)] == [20, 20, 5]
    with pytest.raises(UsageError, match="at least 1 character"):
        list(chunk(solid, 0))


def test_passages_carry_the_metadata_of_their_document() -> None:
    document = Document(
        id="PMID:1",
        title="T",
        text="One. Two.",
        sections=(Section(label="AIM", start=0, end=9),),
        year=2001,
        kind="book",
        publication_types=("Review",),
        retraction="retracted",
    )
    (passage,) = chunk(document)
    assert (passage.title, passage.year, passage.kind, passage.section) == ("T", 2001, "book", "AIM")
    assert (passage.publication_types, passage.retraction, passage.key) == (("Review",), "retracted", "PMID:1#0-9")
