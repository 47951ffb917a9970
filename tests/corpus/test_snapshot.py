"""Names and locks of corpora; opening, searching and verifying a snapshot; its vectors; damage is reported."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from refusals import refused
from rows import each_row
from small_corpora import WordEmbedder, make_documents, make_input

from medground.corpus.build import add, build
from medground.corpus.library import Library
from medground.corpus.snapshot import Snapshot
from medground.corpus.vectors import FILE_NAME, INDEX_NAME, Vectors, VectorWriter, write_index
from medground.errors import ConfigError, SnapshotCorrupt, UsageError
from medground.values.query import Filters, Words


@each_row("name", ["", "../x", "a/b", "A", ".hidden", "-x", "x" * 65, "a b", "a\n", "ü", "a\x00", ".."])
def test_a_name_cannot_be_a_path(library, name):
    for call in (library.open, library.info, library.verify, library.remove, library.has):
        refused(UsageError, "is not a valid corpus name", call, name)
    refused(UsageError, "is not a valid corpus name", lambda: build(library, name, [make_input(make_documents(1))]))


def test_an_unknown_name_lists_the_existing_corpora(library):
    refused(UsageError, r"no corpus 'x' \(existing: none\)", library.open, "x")
    build(library, "b", [make_input(make_documents(1))])
    build(library, "a.1", [make_input(make_documents(1))])
    assert library.list() == ("a.1", "b")
    for call in (library.open, library.info, library.verify, library.remove):
        refused(UsageError, r"no corpus 'x' \(existing: a\.1, b\)", call, "x")


def test_a_damaged_pointer_is_reported_and_a_removed_corpus_is_gone(library):
    build(library, "a", [make_input(make_documents(1))])
    for content in (b"", b"../../etc", b"\xff\xfe", b"0123456789abcdef"):
        (library.folder_of("a") / "CURRENT").write_bytes(content)
        refused(SnapshotCorrupt, "CURRENT does not name a snapshot", library.open, "a")
    assert library.has("a")
    library.remove("a")
    assert not library.has("a")
    assert not library.folder_of("a").exists()


def test_a_damaged_corpus_is_fixed_by_rebuilding_it(library):
    first = build(library, "a", [make_input(make_documents(5))])
    victim = library.current("a") / "documents.sqlite"
    content = victim.read_bytes()
    victim.unlink()  # a new file: a reader may have the old one open or mapped
    victim.write_bytes(content[:-1] + b"!")
    with pytest.raises(SnapshotCorrupt):
        library.verify("a")
    second = build(library, "a", [make_input(make_documents(5))])
    assert second.hash == first.hash
    assert library.verify("a") == second


def test_two_builds_of_one_corpus_at_once(library):
    build(library, "a", [make_input(make_documents(1))])
    with library.lock("a"):
        for call in (build, add):
            with pytest.raises(UsageError, match="corpus a is being built by another process"):
                call(Library(library.folder.parent), "a", [make_input(make_documents(2))])
        refused(UsageError, "is being built", lambda: Library(library.folder.parent).remove("a"))
        build(library, "b", [make_input(make_documents(2))])
    build(library, "a", [make_input(make_documents(2))])


def put(path, content):
    """A new file: cutting one that the word index has mapped ends the process (SIGBUS)."""
    path.unlink(missing_ok=True)
    path.write_bytes(content)


@pytest.fixture
def built(library, embedder):
    """Folder of a finished snapshot."""
    build(library, "c", [make_input(make_documents(60))], embedder=embedder)
    return library.current("c")


def test_a_changed_byte_a_cut_and_a_missing_file_are_found(built):
    chance = random.Random(3)
    files = [built / name for name in json.loads((built / "manifest.json").read_text())["files"]]
    for path in [*files, built / "manifest.json"]:
        good = path.read_bytes()
        if not good:
            continue
        for place in {0, len(good) - 1, chance.randrange(len(good))}:
            put(path, good[:place] + bytes([good[place] ^ 0x20]) + good[place + 1 :])
            with pytest.raises((SnapshotCorrupt, ConfigError)) as caught, Snapshot.open(built) as snapshot:
                snapshot.verify()
            assert "\n" not in str(caught.value)
        put(path, good[:-2])
        with pytest.raises(SnapshotCorrupt):
            Snapshot.open(built)
        path.unlink()
        with pytest.raises(SnapshotCorrupt):
            Snapshot.open(built)
        put(path, good)
    with Snapshot.open(built) as snapshot:
        snapshot.verify()


def test_a_newer_manifest_format_is_distinguished_from_damage(built):
    from medground.corpus.manifest import _checksum

    path = built / "manifest.json"
    content = json.loads(path.read_text()) | {"format": 3}
    del content["checksum"]
    path.write_text(json.dumps({"checksum": _checksum(content), **content}))
    refused(ConfigError, "upgrade Medground", Snapshot.open, built)


@each_row("content", ["", "[]", "null", "{}", '{"checksum": 1}', "[" * 100_000])
def test_an_invalid_manifest(built, content):
    (built / "manifest.json").write_text(content)
    refused(SnapshotCorrupt, r"manifest\.json", Snapshot.open, built)


def test_dense_needs_vectors_and_applies_filters(library, built, embedder):
    [vector] = embedder.embed(["Study 3 of lung"])
    with library.open("c") as snapshot:
        free = snapshot.dense(vector, 60)
        some = snapshot.dense(vector, 60, Filters(year_from=1995, publication_types=("review",)))
        allowed = [h.passage for h in free if h.passage.year >= 1995 and "Review" in h.passage.publication_types]
        assert [hit.passage for hit in some] == allowed
        assert [hit.score for hit in some] == pytest.approx([h.score for h in free if h.passage in allowed], abs=1e-3)
        assert snapshot.dense(vector, 5, Filters(ids=("PMID:404",))) == ()
        refused(ConfigError, "length 3", lambda: snapshot.dense(vector[:3], 5))
    build(library, "w", [make_input(make_documents(2))])
    with library.open("w") as snapshot, pytest.raises(UsageError, match="built without vectors"):
        snapshot.dense(vector, 5)


@each_row("indexed", [False, True])
@each_row("limits", [Filters(year_from=1995), Filters(publication_types=("review",)), Filters(year_from=2018)])
def test_a_filter_finds_the_closest_of_all_that_it_allows(library, monkeypatch, indexed, limits):
    embedder = WordEmbedder(dimensions=96)
    monkeypatch.setattr("medground.corpus.vectors.EXACT_LIMIT", 0 if indexed else 10_000)
    build(library, "c", [make_input(make_documents(1500))], embedder=embedder)
    with library.open("c") as snapshot:
        for vector in embedder.embed([f"Study {n} of gene number {n}" for n in range(0, 1500, 300)]):
            scores = snapshot.vectors().search(vector, 1500, np.arange(1500))
            passages = zip(snapshot.passages([number for number, _ in scores]), scores, strict=True)
            allowed = {p.document_id: score for p, (_, score) in passages if fits(p, limits)}
            found = {hit.passage.document_id: hit.score for hit in snapshot.dense(vector, 10, limits)}
            assert found == pytest.approx({name: allowed[name] for name in found}, abs=1e-6)
            missed = [s for s in [*allowed.values()][:10] if s > min(found.values()) + 1e-6 and s not in found.values()]
            assert (len(found), len(missed) <= (2 if indexed else 0)) == (10, True)


def fits(passage, limits):
    types = [one.lower() for one in passage.publication_types]
    return passage.year >= (limits.year_from or 0) and all(one in types for one in limits.publication_types)


def test_documents_with_any_text_are_read_back_unchanged(library):
    from medground.values.document import Document, MeshHeading, Section

    odd = Document(
        id="X:1",
        title="\x00 NUL, \U0001f600, e\u0301 and \u202e",
        text="First \x00 part. \U0001f600 Second part with \u00e9\u0301.\r\nThird\u2028part.",
        sections=(Section(label="A \x00", start=0, end=13),),
        mesh=(MeshHeading(descriptor="\U0001f600"),),
        identifiers={"b": "2", "a": "1"},
    )
    build(library, "c", [make_input([odd, Document(id="X:2", text=" \n ")])])
    with library.open("c") as snapshot:
        assert snapshot.documents(["X:1", "X:2"])["X:1"] == odd
        for hit in snapshot.bm25(Words(text="part"), 10):
            assert odd.text[hit.passage.start : hit.passage.end] == hit.passage.text


def unit(count, dimensions, seed=0):
    centres = np.random.default_rng(seed).standard_normal((20, dimensions))
    noise = np.random.default_rng(seed + 1).standard_normal((count, dimensions))
    rows = centres[np.arange(count) % 20] + 0.6 * noise
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def write(folder, rows):
    folder.mkdir(exist_ok=True)
    writer = VectorWriter(folder, rows.shape[1], 0)
    writer.append(rows)
    writer.close()
    return Vectors(folder, rows.shape[1])


def test_exact_search_is_exact(tmp_path):
    rows = unit(3000, 48)
    vectors = write(tmp_path, rows)
    truth = rows.astype(np.float16).astype(np.float32)
    for query in unit(5, 48, seed=9):
        scores = truth @ query
        found = vectors.search(query, 10)
        assert [number for number, _ in found] == list(np.argsort(-scores)[:10])
        assert [score for _, score in found] == pytest.approx(np.sort(scores)[::-1][:10], abs=2e-3)
        allowed = np.arange(0, 3000, 7)
        best = allowed[np.argsort(-scores[allowed])[:10]]
        assert [number for number, _ in vectors.search(query, 10, allowed)] == list(best)


def test_the_index_finds_nearly_all_and_scores_exactly(tmp_path):
    rows = unit(600, 48)
    vectors = write(tmp_path, rows)
    write_index(tmp_path, 48)
    assert (tmp_path / INDEX_NAME).exists()
    indexed = Vectors(tmp_path, 48)
    seen = 0
    for query in unit(10, 48, seed=9):
        exact = dict(vectors.search(query, 10))
        found = dict(indexed.search(query, 10))
        seen += len(exact.keys() & found.keys())
        assert all(found[n] == pytest.approx(exact[n], abs=2e-3) for n in found.keys() & exact.keys())
    assert seen >= 90


def test_a_large_corpus_gets_an_index(library, embedder, monkeypatch):
    monkeypatch.setattr("medground.corpus.vectors.EXACT_LIMIT", 40)
    manifest = build(library, "c", [make_input(make_documents(60))], embedder=embedder)
    assert INDEX_NAME in manifest.files
    small = build(library, "d", [make_input(make_documents(20))], embedder=embedder)
    assert INDEX_NAME not in small.files
    with library.open("c") as snapshot:
        snapshot.verify()
        [vector] = embedder.embed(["Study 3 of lung"])
        assert snapshot.dense(vector, 5)[0].rank == 1


def test_writing_resumes_after_the_last_whole_row(tmp_path):
    rows = unit(10, 8)
    write(tmp_path, rows[:6])
    with (tmp_path / FILE_NAME).open("ab") as file:
        file.write(b"half")
    writer = VectorWriter(tmp_path, 8, 7)
    assert writer.rows == 6
    writer.append(rows[6:])
    writer.close()
    assert np.array_equal(Vectors(tmp_path, 8).take(np.arange(10)), rows.astype(np.float16))


def test_edge_cases(tmp_path):
    vectors = write(tmp_path, unit(3, 8))
    query = unit(1, 8)[0]
    assert len(vectors.search(query, 100)) == 3
    assert vectors.search(query, 0) == []
    assert vectors.search(query, 5, np.array([], dtype=np.int64)) == []
    assert write(tmp_path / "empty", np.empty((0, 8), dtype=np.float32)).search(query, 5) == []
    writer = VectorWriter(tmp_path, 8, 0)
    with pytest.raises(ConfigError, match="no finite vectors of length 8"):
        writer.append(np.full((1, 8), np.nan, dtype=np.float32))
    writer.close()
    rows = unit(10, 8)
    rows[4] *= 3000
    refused(SnapshotCorrupt, "not of length 1", lambda: write(tmp_path / "damaged", rows).search(rows[4] / 3000, 3))
