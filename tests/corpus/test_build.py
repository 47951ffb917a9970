"""Building and adding: what ends up in a snapshot, how documents are cut, and equal documents give equal snapshots."""

import itertools
import random
import sqlite3
from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from refusals import refused
from rows import each_row
from small_corpora import WordEmbedder, make_documents, make_input, vectors_fit

from medground.corpus.build import add, build
from medground.corpus.chunk import chunk
from medground.corpus.readers.base import Deleted, Retracts
from medground.errors import BadDocument, ConfigError, UsageError
from medground.language.sentences import sentence_spans
from medground.values.document import Document, Section
from medground.values.query import Everything, Term, Words


def found(library, query, name="c"):
    with library.open(name) as snapshot:
        return {hit.passage.document_id for hit in snapshot.bm25(query, 10_000)}


def test_all_documents_can_be_found_and_read_back(library):
    documents = make_documents(50)
    manifest = build(library, "c", [make_input(documents)])
    assert (manifest.counts.documents, manifest.counts.passages) == (50, 50)
    with library.open("c") as snapshot:
        assert snapshot.documents([d.id for d in documents]) == {d.id: d for d in documents}
        assert sorted(d.id for d in snapshot.all_documents()) == sorted(d.id for d in documents)
        hits = snapshot.bm25(Everything(), 100)
        assert len({hit.passage.key for hit in hits}) == 50
    assert found(library, Term(value="PMID:7", field="id")) == {"PMID:7"}


def test_the_same_documents_give_the_same_hash_in_any_order_and_the_same_snapshot(library):
    documents = make_documents(30)
    first = build(library, "c", [make_input(documents)])
    assert build(library, "c", [make_input(documents)]) == first
    assert len([p for p in library.folder_of("c").iterdir() if p.is_dir()]) == 1
    shuffled = random.Random(0).sample(documents, 30)
    second = build(library, "d", [make_input(shuffled[:10], "x"), make_input(shuffled[10:], "y")])
    assert first.hash == second.hash
    assert build(library, "e", [make_input(documents[:-1])]).hash != first.hash
    assert build(library, "f", [make_input(documents)], limit=50).hash != first.hash


def test_deletions_and_retractions_are_applied_and_bad_records_are_listed(library):
    bad = BadDocument("no title", file="a.jsonl", position=7)
    items = [Retracts(("PMID:3",)), bad, *make_documents(5), Deleted(("PMID:2", "PMID:99")), Retracts(("PMID:4",)), bad]
    counts = build(library, "c", [make_input(items)]).counts
    assert (counts.documents, counts.deleted, counts.retracted, counts.skipped) == (4, 1, 2, 2)
    assert found(library, Everything()) == {"PMID:1", "PMID:3", "PMID:4", "PMID:5"}
    assert found(library, Term(value="retracted", field="retraction")) == {"PMID:3", "PMID:4"}
    with library.open("c") as snapshot:
        [skipped] = snapshot.skipped(1)
    assert (skipped.file, skipped.position, skipped.reason) == ("a.jsonl", 7, "no title")


@each_row("items", [[], [BadDocument("not JSON", file="a.jsonl", position=1)], [Deleted(("PMID:1",))]])
def test_nothing_readable_leaves_nothing_behind(library, items):
    refused(BadDocument, "no readable document in made", lambda: build(library, "c", [make_input(items)]))
    assert library.list() == ()
    assert not library.folder_of("c").exists()


def test_a_damaged_file_keeps_what_was_read_of_it_and_strict_stops(library):
    def broken(skip):
        yield from make_documents(3)
        raise BadDocument("not gzip", file="a.gz")

    def unreadable(skip):
        raise PermissionError(13, "Permission denied")
        yield

    source = replace(make_input([]), name="a.gz", read=broken)
    refused(BadDocument, r"a\.gz: not gzip", build, library, "c", [source], strict=True)
    with pytest.raises(BadDocument, match=r"a\.xml: cannot be read"):  # and no full disk
        build(library, "c", [replace(source, name="a.xml", read=unreadable)])
    assert library.list() == ()
    counts = build(library, "c", [source]).counts
    assert (counts.documents, counts.passed_over) == (3, 1)
    with library.open("c") as snapshot:
        assert [(file.name, file.reason) for file in snapshot.file_report().files] == [("a.gz", "not gzip")]


def test_invalid_calls(library):
    refused(UsageError, "nothing to read", build, library, "c", [])
    refused(UsageError, "at least 1 character", lambda: build(library, "c", [make_input(make_documents(1))], limit=0))
    refused(UsageError, "no corpus 'c'", lambda: add(library, "c", [make_input(make_documents(1))]))
    with pytest.raises(UsageError, match="is not a valid attachment name"):
        build(library, "c", [make_input(make_documents(1))], attachments={"../x.sqlite": lambda path: None})


def test_adding_keeps_replaces_and_deletes(library, embedder):
    build(library, "c", [make_input(make_documents(20))], embedder=embedder)
    again = WordEmbedder()
    changed = Document(id="PMID:3", title="Changed", text="A giraffe replaces the third study.")
    items = [changed, Deleted(("PMID:5",)), *make_documents(2, first=30), *make_documents(4)[3:]]
    manifest = add(library, "c", [make_input(items, "more", "2")], embedder=again)
    assert manifest.counts.documents == 21
    assert again.embedded == 3, "vectors of unchanged documents are reused"
    assert [entry.name for entry in manifest.inputs] == ["made", "more"]
    ids = {f"PMID:{n}" for n in (*range(1, 21), 31, 32)} - {"PMID:5"}
    assert found(library, Everything()) == ids
    assert found(library, Words(text="giraffe")) == {"PMID:3"}
    vectors_fit(library, "c", again)
    library.verify("c")


def test_adding_with_another_model_is_refused_but_a_corpus_without_vectors_may_get_some(library, embedder):
    first = build(library, "c", [make_input(make_documents(5))], embedder=embedder)
    for wrong in (None, WordEmbedder("other")):
        with pytest.raises(ConfigError, match="has vectors of words@1, but the embedding model is"):
            add(library, "c", [make_input(make_documents(1, first=9), "x")], embedder=wrong)
    assert library.verify("c") == first
    build(library, "c", [make_input(make_documents(5))])
    add(library, "c", [make_input(make_documents(2, first=5), "x")], embedder=embedder)
    vectors_fit(library, "c", embedder)


def test_attachments_are_part_of_the_snapshot(library):
    write = {"graph.sqlite": lambda path: sqlite3.connect(path).executescript("CREATE TABLE t (x)").connection.close()}
    with_graph = build(library, "c", [make_input(make_documents(2))], attachments=write)
    assert with_graph.attachments == ("graph.sqlite",)
    assert "graph.sqlite" in with_graph.files
    added = add(library, "c", [make_input(make_documents(1, first=2), "x")])
    assert added.attachments == ("graph.sqlite",)
    with library.open("c") as snapshot:
        assert snapshot.attachment("graph.sqlite").is_file()
        assert snapshot.attachment("other.sqlite") is None
    assert build(library, "d", [make_input(make_documents(2))]).hash != with_graph.hash


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
@settings(deadline=None, max_examples=100)
def test_every_visible_character_is_in_exactly_one_passage_of_its_section(document: Document, limit: int) -> None:
    last = 0
    for passage in chunk(document, limit):
        assert document.text[passage.start : passage.end] == passage.text
        assert 0 < len(passage.text) <= limit
        assert passage.text == passage.text.strip()
        assert passage.start >= last
        assert not document.text[last : passage.start].strip()
        last = passage.end
        assert passage.section == document.section_at(passage.start) == document.section_at(last - 1)
        assert not any(passage.start < edge < last for s in document.sections for edge in (s.start, s.end))
    assert not document.text[last:].strip()


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
    refused(UsageError, "at least 1 character", lambda: list(chunk(solid, 0)))


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
