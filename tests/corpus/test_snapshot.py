"""Opening, searching and verifying a snapshot; damage is reported, and never shown as text."""

from __future__ import annotations

import json
import random
import threading

import pytest
from rows import each_row

from medground.corpus.build import build
from medground.corpus.snapshot import Snapshot
from medground.errors import ConfigError, SnapshotCorrupt, UsageError
from medground.values.query import Filters, Words


def put(path, content):
    """Replace a file by a new one: a thread of the word index may still read the file it has mapped, and truncating a
    mapped file ends the process (SIGBUS)."""
    path.unlink(missing_ok=True)
    path.write_bytes(content)


@pytest.fixture
def built(library, make_documents, make_input, embedder):
    """Folder of a finished snapshot."""
    build(library, "c", [make_input(make_documents(60))], embedder=embedder)
    return library.current("c")


def test_a_changed_byte_in_any_file_is_found(built):
    chance = random.Random(3)
    files = [built / name for name in json.loads((built / "manifest.json").read_text())["files"]]
    for path in [*files, built / "manifest.json"]:
        good = path.read_bytes()
        if not good:
            continue
        for place in {0, len(good) - 1, chance.randrange(len(good))}:
            bad = bytearray(good)
            bad[place] ^= 0x20
            put(path, bad)
            with pytest.raises((SnapshotCorrupt, ConfigError)) as caught, Snapshot.open(built) as snapshot:
                snapshot.verify()
            assert "\n" not in str(caught.value)
        put(path, good)
    with Snapshot.open(built) as snapshot:
        snapshot.verify()


def test_missing_and_truncated_files_are_found_on_opening(built):
    for path in [p for p in built.rglob("*") if p.is_file() and p.suffix != ".lock" and p.stat().st_size]:
        good = path.read_bytes()
        for damage in (lambda path=path, good=good: put(path, good[:-2]), path.unlink):
            damage()
            with pytest.raises(SnapshotCorrupt):
                Snapshot.open(built)
        put(path, good)


def test_a_newer_manifest_format_is_distinguished_from_damage(built):
    from medground.corpus.manifest import _checksum

    path = built / "manifest.json"
    content = json.loads(path.read_text()) | {"format": 2}
    del content["checksum"]
    path.write_text(json.dumps({"checksum": _checksum(content), **content}))
    with pytest.raises(ConfigError, match="upgrade Medground"):
        Snapshot.open(built)


@each_row("content", ["", "[]", "null", "{}", '{"checksum": 1}', "[" * 100_000])
def test_an_invalid_manifest(built, content):
    (built / "manifest.json").write_text(content)
    with pytest.raises(SnapshotCorrupt, match=r"manifest\.json"):
        Snapshot.open(built)


def test_two_snapshots_and_several_threads(library, built, make_documents, make_input, embedder):
    build(library, "d", [make_input(make_documents(30, first=100))], embedder=embedder)
    failures = []
    with library.open("c") as one, library.open("d") as two:
        expected = [one.bm25(Words(text="heart"), 10), two.bm25(Words(text="heart"), 10)]
        [vector] = embedder.embed(["gene trial"])
        near = one.dense(vector, 10)

        def work():
            for _ in range(20):
                same = [one.bm25(Words(text="heart"), 10), two.bm25(Words(text="heart"), 10)] == expected
                if not same or one.dense(vector, 10) != near:
                    failures.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failures


def test_dense_needs_vectors_and_applies_filters(library, built, make_documents, make_input, embedder):
    [vector] = embedder.embed(["Study 3 of lung"])
    with library.open("c") as snapshot:
        free = snapshot.dense(vector, 60)
        some = snapshot.dense(vector, 60, Filters(year_from=1995, publication_types=("review",)))
        allowed = [h.passage for h in free if h.passage.year >= 1995 and "Review" in h.passage.publication_types]
        assert [hit.passage for hit in some] == allowed
        assert [hit.score for hit in some] == pytest.approx([h.score for h in free if h.passage in allowed], abs=1e-3)
        assert snapshot.dense(vector, 5, Filters(ids=("PMID:404",))) == ()
        with pytest.raises(ConfigError, match="length 3"):
            snapshot.dense(vector[:3], 5)
    build(library, "w", [make_input(make_documents(2))])
    with library.open("w") as snapshot, pytest.raises(UsageError, match="built without vectors"):
        snapshot.dense(vector, 5)


def test_documents_with_any_text_are_read_back_unchanged(library, make_input):
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
