"""A build that is killed, stopped or fails to write leaves the old snapshot or none, and can be resumed."""

from __future__ import annotations

import errno
import shutil
import sqlite3
from dataclasses import replace

import pytest

from medground.corpus.build import add, build
from medground.corpus.library import Library
from medground.errors import StorageFailed, UsageError
from medground.values.query import Everything


def expect_whole(library: Library, allowed: set[str | None]) -> None:
    """The corpus is one of the allowed states, whole and readable."""
    if not library.has("c"):
        assert None in allowed
        with pytest.raises(UsageError, match="no corpus"):
            library.open("c")
        return
    manifest = library.verify("c")
    assert manifest.hash in allowed
    with library.open("c") as snapshot:
        assert len(snapshot.bm25(Everything(), 1000)) == manifest.counts.passages
        assert len(snapshot.vectors()) == manifest.counts.passages


class Stop(BaseException):
    """Stands for a kill at one exact moment."""


def test_a_build_resumes_after_any_step(library, make_documents, make_input, make_embedder, monkeypatch, tmp_path):
    """Stops at the first, second, third ... progress report, each time resuming from the last."""
    from medground.corpus import phases

    for name, size in (("_ITEMS", 10), ("_PASSAGES", 15), ("_TEXTS", 8)):
        monkeypatch.setattr(phases, name, size)
    starts, reports, embedders = [], [], []

    def read(skip):
        starts.append(skip)
        return iter(make_documents(40)[skip:])

    source = [replace(make_input([]), read=read)]
    whole = build(Library(tmp_path / "other"), "c", source, embedder=make_embedder())
    starts.clear()

    def stopping(step, done, total):
        reports.append((step, done))
        if reports.count((step, done)) == 1:
            raise Stop

    for _ in range(100):
        try:
            embedders.append(make_embedder())
            made = build(library, "c", source, embedder=embedders[-1], progress=stopping)
            break
        except Stop:
            assert not library.has("c")
    assert made.hash == whole.hash
    assert made.counts == whole.counts
    assert {step for step, _ in reports} >= {"read", "index", "embed", "finish"}
    assert starts == [0, 10, 20, 30, 40], "what was read is not read again"
    assert sum(one.embedded for one in embedders) == 40, "no vector is made twice"
    expect_whole(library, {whole.hash})


def test_the_journal_of_a_killed_copy_is_not_replayed_into_the_next(
    library, make_documents, make_input, embedder, tmp_path, caplog
):
    """A copy drops a table of its base. Its journal knows the pages that this freed, which a new copy still uses."""
    build(library, "c", [make_input(make_documents(60))], embedder=embedder)
    base = add(library, "c", [make_input(make_documents(400, 100), "more")], embedder=embedder)
    source = [make_input(make_documents(50, 480), "last")]

    def stopping(step, done, total):
        raise Stop

    with pytest.raises(Stop):
        add(library, "c", source, embedder=embedder, progress=stopping)
    [folder] = library.folder_of("c").glob("building-*")
    (folder / "documents.sqlite").unlink()
    other = tmp_path / "documents.sqlite"
    with library.open("c") as snapshot:
        shutil.copyfile(snapshot.folder / "documents.sqlite", other)
    connection = sqlite3.connect(other, isolation_level=None)
    connection.execute("DROP TABLE kept")
    connection.execute("PRAGMA cache_size=1")
    connection.execute("BEGIN")
    connection.execute("PRAGMA user_version=7")
    connection.execute("UPDATE documents SET id = id")
    shutil.copyfile(f"{other}-journal", folder / "documents.sqlite.part-journal")
    connection.close()
    made = add(library, "c", source, embedder=embedder)
    assert made.hash != base.hash
    assert not caplog.text
    expect_whole(library, {made.hash})


def test_no_space_for_an_attachment(library, make_documents, make_input):
    def full(path):
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(StorageFailed, match=r"No space left on device.*free some space"):
        build(library, "c", [make_input(make_documents(2))], attachments={"graph.sqlite": full})
    assert not library.has("c")


def test_memory_does_not_grow_with_the_corpus(library, make_documents, make_input):
    """Peak of Python's own memory while streaming 600 documents, compared with 200."""
    import tracemalloc

    def streamed(count):
        def read(skip):
            for first in range(skip, count, 100):
                yield from make_documents(100, first)

        return type(make_input([]))(name="a", reader="test", fingerprint=str(count), read=read)

    peaks = []
    for count in (200, 600):
        tracemalloc.start()
        build(library, "c", [streamed(count)])
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]
