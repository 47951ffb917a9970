"""States that are in use, damaged, or on a disk that cannot be written to."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from medground.corpus.build import build
from medground.corpus.manifest import CHECKED, check_files, read_manifest
from medground.corpus.snapshot import Snapshot
from medground.errors import SnapshotCorrupt
from medground.values.query import Words

HOLDER = """
import sys
from pathlib import Path
from medground.corpus.library import Library
with Library(Path(sys.argv[1])).open("c") as snapshot:
    print("open", flush=True)
    sys.stdin.readline()
    print(len(snapshot.vectors()), sum(1 for _ in snapshot.passage_texts()), flush=True)
"""


def ranking(snapshot, embedder):
    [vector] = embedder.embed(["heart study"])
    return snapshot.bm25(Words(text="heart study"), 5), snapshot.dense(vector, 5)


@pytest.fixture
def built(library, make_documents, make_input, embedder):
    build(library, "c", [make_input(make_documents(60))], embedder=embedder)
    return library.current("c")


@pytest.mark.slow
def test_a_state_that_this_or_another_process_holds_stays_until_nobody_reads_it(
    library, make_documents, make_input, embedder, built
):
    command = [sys.executable, "-c", HOLDER, str(library.folder.parent)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdin and holder.stdout and holder.stdout.readline() == "open\n"
        with library.open("c") as held:
            before = ranking(held, embedder)
            for count in range(3):
                build(library, "c", [make_input(make_documents(10 + count), fingerprint=str(count))], embedder=embedder)
            assert ranking(held, embedder) == before
        holder.stdin.write("\n")
        holder.stdin.flush()
        vectors, passages = map(int, holder.stdout.readline().split())
        assert vectors == passages > 0
    build(library, "c", [make_input(make_documents(30), fingerprint="last")], embedder=embedder)
    assert not built.exists()


def test_what_was_compared_is_not_compared_again_for_a_day_unless_a_file_is_another(built):
    files = read_manifest(built).files
    now = (built / "manifest.json").stat().st_mtime + 100
    check_files(built, files, now=lambda: now)
    assert json.loads((built / CHECKED).read_text())["at"] == now
    lie = {name: entry.model_copy(update={"sha256": "0" * 64}) for name, entry in files.items()}
    with pytest.raises(SnapshotCorrupt):
        check_files(built, lie, now=lambda: now + 1)  # remembered only of these sums
    check_files(built, files, now=lambda: now + 90_000)
    assert json.loads((built / CHECKED).read_text())["at"] == now + 90_000


def test_what_is_remembered_may_be_damaged(built):
    for content in ("", "[]", "{", '{"mark": 1, "at": "x"}', "[" * 100_000):
        (built / CHECKED).write_text(content)
        Snapshot.open(built).close()


def test_a_state_is_read_where_nothing_can_be_written(built, embedder, monkeypatch, tmp_path):
    """Folders stand where files would be written: that stops the superuser too."""
    with Snapshot.open(built) as snapshot:
        before = ranking(snapshot, embedder)
    for name in ("lexical/.tantivy-meta.lock", CHECKED):
        (built / name).unlink(missing_ok=True)
        (built / name).mkdir()
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", os.fspath(temporary))
    with Snapshot.open(built) as snapshot:
        assert ranking(snapshot, embedder) == before
        snapshot.verify()
    assert not list(temporary.iterdir())
