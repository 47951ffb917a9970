"""Building and adding: what ends up in a snapshot, and that the same documents give the same snapshot."""

from __future__ import annotations

import random
import sqlite3
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rows import each_row

from medground.corpus.build import add, build
from medground.corpus.library import Library
from medground.corpus.readers.base import Deleted, Retracts
from medground.errors import BadDocument, ConfigError, UsageError
from medground.values.document import Document
from medground.values.query import Everything, Term, Words


def found(library, query, name="c"):
    with library.open(name) as snapshot:
        return {hit.passage.document_id for hit in snapshot.bm25(query, 10_000)}


def test_all_documents_can_be_found_and_read_back(library, make_documents, make_input):
    documents = make_documents(50)
    manifest = build(library, "c", [make_input(documents)])
    assert (manifest.counts.documents, manifest.counts.passages) == (50, 50)
    with library.open("c") as snapshot:
        assert snapshot.documents([d.id for d in documents]) == {d.id: d for d in documents}
        assert sorted(d.id for d in snapshot.all_documents()) == sorted(d.id for d in documents)
        hits = snapshot.bm25(Everything(), 100)
        assert len({hit.passage.key for hit in hits}) == 50
    assert found(library, Term(value="PMID:7", field="id")) == {"PMID:7"}


def test_the_same_documents_give_the_same_hash_in_any_order_and_the_same_snapshot(library, make_documents, make_input):
    documents = make_documents(30)
    first = build(library, "c", [make_input(documents)])
    assert build(library, "c", [make_input(documents)]) == first
    assert len([p for p in library.folder_of("c").iterdir() if p.is_dir()]) == 1
    shuffled = random.Random(0).sample(documents, 30)
    second = build(library, "d", [make_input(shuffled[:10], "x"), make_input(shuffled[10:], "y")])
    assert first.hash == second.hash
    assert build(library, "e", [make_input(documents[:-1])]).hash != first.hash
    assert build(library, "f", [make_input(documents)], limit=50).hash != first.hash


def test_deletions_and_retractions_are_applied_and_bad_records_are_listed(library, make_documents, make_input):
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
def test_nothing_readable_leaves_nothing_behind(library, make_input, items):
    with pytest.raises(BadDocument, match="no readable document in made"):
        build(library, "c", [make_input(items)])
    assert library.list() == ()
    assert not library.folder_of("c").exists()


def test_a_damaged_file_keeps_what_was_read_of_it_and_strict_stops(library, make_documents, make_input):
    def broken(skip):
        yield from make_documents(3)
        raise BadDocument("not gzip", file="a.gz")

    def refused(skip):
        raise PermissionError(13, "Permission denied")
        yield

    source = replace(make_input([]), name="a.gz", read=broken)
    with pytest.raises(BadDocument, match=r"a\.gz: not gzip"):
        build(library, "c", [source], strict=True)
    with pytest.raises(BadDocument, match=r"a\.xml: cannot be read"):  # and no full disk
        build(library, "c", [replace(source, name="a.xml", read=refused)])
    assert library.list() == ()
    counts = build(library, "c", [source]).counts
    assert (counts.documents, counts.passed_over) == (3, 1)
    with library.open("c") as snapshot:
        assert [(file.name, file.reason) for file in snapshot.file_report().files] == [("a.gz", "not gzip")]


def test_invalid_calls(library, make_documents, make_input):
    with pytest.raises(UsageError, match="nothing to read"):
        build(library, "c", [])
    with pytest.raises(UsageError, match="at least 1 character"):
        build(library, "c", [make_input(make_documents(1))], limit=0)
    with pytest.raises(UsageError, match="no corpus 'c'"):
        add(library, "c", [make_input(make_documents(1))])
    with pytest.raises(UsageError, match="is not a valid attachment name"):
        build(library, "c", [make_input(make_documents(1))], attachments={"../x.sqlite": lambda path: None})


def test_adding_keeps_replaces_and_deletes(library, make_documents, make_input, embedder, make_embedder, vectors_fit):
    build(library, "c", [make_input(make_documents(20))], embedder=embedder)
    again = make_embedder()
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


def test_adding_with_another_model_is_refused_but_a_corpus_without_vectors_may_get_some(
    library, make_documents, make_input, embedder, make_embedder, vectors_fit
):
    first = build(library, "c", [make_input(make_documents(5))], embedder=embedder)
    for wrong in (None, make_embedder("other")):
        with pytest.raises(ConfigError, match="has vectors of words@1, but the embedding model is"):
            add(library, "c", [make_input(make_documents(1, first=9), "x")], embedder=wrong)
    assert library.verify("c") == first
    build(library, "c", [make_input(make_documents(5))])
    add(library, "c", [make_input(make_documents(2, first=5), "x")], embedder=embedder)
    vectors_fit(library, "c", embedder)


def test_attachments_are_part_of_the_snapshot(library, make_documents, make_input):
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


def test_a_damaged_unfinished_build_is_started_over(library, make_documents, make_input, embedder, caplog):
    def stop(texts):
        raise KeyboardInterrupt

    whole, embedder.embed = embedder.embed, stop
    with pytest.raises(KeyboardInterrupt):
        build(library, "c", [make_input(make_documents(300))], embedder=embedder)
    (unfinished,) = library.folder_of("c").glob("building-*")
    for path in unfinished.glob("documents.sqlite*"):
        path.unlink()  # a new file: SQLite may have mapped the old one, and cutting a mapped file ends the process
        path.write_bytes(b"rubbish" * 1000)
    embedder.embed = whole
    assert build(library, "c", [make_input(make_documents(300))], embedder=embedder).counts.documents == 300
    assert "it is built from the start" in caplog.text


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)
items = st.lists(
    st.one_of(
        st.builds(
            lambda n, text, title: Document(id=f"X:{n}", text=text, title=title), st.integers(0, 6), texts, texts
        ),
        st.builds(lambda n: Deleted((f"X:{n}",)), st.integers(0, 6)),
        st.builds(lambda n: Retracts((f"X:{n}",)), st.integers(0, 6)),
    ),
    max_size=12,
)


@pytest.mark.slow
@settings(
    max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(first=items, second=items)
def test_building_in_two_steps_is_building_at_once(tmp_path_factory, make_input, first, second):
    library = Library(tmp_path_factory.mktemp("home"))
    start = [Document(id="X:start", text="start"), *first]
    build(library, "steps", [make_input(start)])
    add(library, "steps", [make_input(second, "second")])
    whole = build(library, "whole", [make_input([*start, *second])])
    assert library.verify("steps").hash == whole.hash
    with library.open("steps") as steps, library.open("whole") as at_once:
        assert list(steps.all_documents()) == list(at_once.all_documents())
        query = Words(text="start a 0 é")
        assert _scores(steps, query) == _scores(at_once, query)


def _scores(snapshot, query):
    return {hit.passage.key: hit.score for hit in snapshot.bm25(query, 1000)}
