"""Killed, out of space, failed by a sync, cut off from power or read-only: the old state or the new, and it repeats.

`benchmarks/faults.py` draws hundreds of such faults; here are a few of each kind.
"""

import contextlib
import errno
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from failing_files import Fault, NoLayer, compiled, run
from fault_jobs import JOBS, command, left, restore, seen, small
from rows import each_row
from small_corpora import WordEmbedder, make_documents, make_input

from medground.corpus import library as library_module
from medground.corpus import tables
from medground.corpus.build import add, build
from medground.corpus.lexical_fields import LexicalWriter
from medground.corpus.library import Library
from medground.corpus.manifest import CHECKED, Manifest, check_files, describe_files, read_manifest, write_manifest
from medground.corpus.snapshot import LEXICAL, Snapshot
from medground.corpus.tables import PassageRow
from medground.errors import SnapshotCorrupt, StorageFailed, UsageError
from medground.values.query import Everything, Words


@pytest.fixture(scope="module")
def layer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The failing file layer; without a C compiler, or where the kernel forbids it, these tests are skipped."""
    folder = tmp_path_factory.mktemp("layer")
    try:
        made = compiled(folder)
        run(made, ["true"], folder)
    except NoLayer as error:
        pytest.skip(f"faults in files are not tested: {error}")
    return made


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """For each job, a folder with the state before it in `start`, and that after it in `after`."""
    made = {}
    for job in ("build", "sync"):
        folder = made[job] = tmp_path_factory.mktemp(job)
        with pytest.MonkeyPatch.context() as patch:
            small(patch.setattr)
            JOBS[job].before(folder / "home", folder / "inputs")
            JOBS[job].change(folder / "inputs")
            restore(folder / "home", folder / "start")
            JOBS[job].do(folder / "home", folder / "inputs")
        (folder / "home").rename(folder / "after")
    return made


@pytest.mark.slow
@each_row(
    ("job", "fault"),
    [
        ("build", Fault("kill", 700)),
        ("build", Fault("full", 1100)),
        ("sync", Fault("cut", 230, names=0.5, content=0, seed=1)),
    ],
)
def test_after_a_fault_the_old_state_or_the_new_is_there_and_the_command_can_be_repeated(
    layer: Path, states: dict[str, Path], job: str, fault: Fault
) -> None:
    folder = states[job]
    home, inputs = folder / "home", folder / "inputs"
    restore(folder / "start", home)
    old, new = seen(home), seen(folder / "after")
    ended = run(layer, command(job, home, inputs), home, fault)
    assert seen(home) in (old, new)
    if ended.code != -9:
        [told] = [line for line in ended.errors.splitlines() if "WARNING clustering" not in line]  # FAISS: few vectors
        assert told.startswith("StorageFailed: ")
        assert ("free some space" in told) == (fault.kind == "full")
    again = subprocess.run(command(job, home, inputs), capture_output=True, text=True)
    assert (again.returncode, seen(home), left(home)) == (0, new, []), again.stderr


def test_a_word_index_ahead_of_its_passages_is_made_anew(library, tmp_path, caplog):
    """As a disk leaves them that forgets the passages and keeps the index."""

    class Stopped(WordEmbedder):
        def embed(self, texts):
            raise KeyboardInterrupt

    source, more = [make_input(make_documents(50))], make_documents(20, 50)
    whole = build(Library(tmp_path / "other"), "c", source, embedder=WordEmbedder())
    with pytest.raises(KeyboardInterrupt):
        build(library, "c", source, embedder=Stopped())
    [folder] = library.folder_of("c").glob("building-*")
    with LexicalWriter.open(folder / LEXICAL) as words:
        for number, document in enumerate(more, start=50):
            words.add(PassageRow(number, 0, 0, len(document.text), None), document)
        words.finish()
    assert build(library, "c", source, embedder=WordEmbedder()).hash == whole.hash
    assert "building from the start" in caplog.text
    with library.open("c") as snapshot:
        assert snapshot.manifest.counts.passages == 50


def _without_a_row_of_passages(folder: Path) -> None:
    import sqlite3

    with sqlite3.connect(folder / tables.FILE_NAME) as database:
        database.execute("DELETE FROM passages WHERE number = 7")
    database.close()


def _with_half_the_vectors(folder: Path) -> None:
    path = folder / "vectors.f16"
    path.write_bytes(path.read_bytes()[: 10 * 64])


def _with_an_empty_list_of_words(folder: Path) -> None:
    for path in (folder / LEXICAL).glob("*.term"):
        path.write_bytes(b"")


@each_row("damage", [_without_a_row_of_passages, _with_half_the_vectors, _with_an_empty_list_of_words])
def test_a_damaged_new_state_is_never_published(tmp_path, monkeypatch, damage):
    library = Library(tmp_path)
    old = build(library, "c", [make_input(make_documents(20))], embedder=WordEmbedder())

    def damaged(folder: Path, manifest: Manifest) -> None:
        damage(folder)
        write_manifest(folder, manifest.model_copy(update={"files": describe_files(folder)}))

    with monkeypatch.context() as patch:
        patch.setattr(library_module, "write_manifest", damaged)
        with pytest.raises(StorageFailed, match="run the same command again to start over") as told:
            build(library, "c", [make_input(make_documents(40))], embedder=WordEmbedder())
    assert "\n" not in str(told.value)
    assert library.verify("c").hash == old.hash
    assert not list(library.folder_of("c").glob("building-*"))
    assert build(library, "c", [make_input(make_documents(40))], embedder=WordEmbedder()).counts.documents == 40


def test_names_are_synced_before_the_pointer_moves_and_old_states_go_last(library, monkeypatch):
    import os
    import stat

    for count in (5, 6):
        build(library, "c", [make_input(make_documents(count))])
    done: list[str] = []

    def noted(owner, name, said):
        real = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *args, **named: (done.append(said(*args)), real(*args, **named))[1])

    noted(os, "fsync", lambda handle: "folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
    noted(Path, "replace", lambda _, target: "CURRENT" if target.name == "CURRENT" else "snapshot")
    noted(shutil, "rmtree", lambda *_: "remove")
    build(library, "c", [make_input(make_documents(7))])
    moved = done.index("snapshot")
    assert done[moved:] == ["snapshot", "folder", "file", "CURRENT", "folder", "remove"]
    assert done[moved - 1] == "folder"


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


def test_a_build_resumes_after_any_step(library, monkeypatch, tmp_path):
    """Stops at the first, second, third ... progress report, each time resuming from the last."""
    from medground.corpus import phases

    for name, size in (("_ITEMS", 10), ("_PASSAGES", 15), ("_TEXTS", 8)):
        monkeypatch.setattr(phases, name, size)
    starts, reports, embedders = [], [], []

    def read(skip):
        starts.append(skip)
        return iter(make_documents(40)[skip:])

    source = [replace(make_input([]), read=read)]
    whole = build(Library(tmp_path / "other"), "c", source, embedder=WordEmbedder())
    starts.clear()

    def stopping(step, done, total):
        reports.append((step, done))
        if reports.count((step, done)) == 1:
            raise Stop

    for _ in range(100):
        try:
            embedders.append(WordEmbedder())
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


def test_the_journal_of_a_killed_copy_is_not_replayed_into_the_next(library, embedder, tmp_path, caplog):
    build(library, "c", [make_input(make_documents(60))], embedder=embedder)
    base = add(library, "c", [make_input(make_documents(400, 100), "more")], embedder=embedder)
    source = [make_input(make_documents(50, 480), "last")]

    def stopping(step, done, total):
        raise Stop

    with pytest.raises(Stop):
        add(library, "c", source, embedder=embedder, progress=stopping)
    [folder] = library.folder_of("c").glob("building-*")
    (folder / tables.FILE_NAME).unlink()
    other = tmp_path / tables.FILE_NAME
    with library.open("c") as snapshot:
        for name in (tables.FILE_NAME, tables.LOG):
            shutil.copyfile(snapshot.folder / name, tmp_path / name)
    with contextlib.closing(sqlite3.connect(other, isolation_level=None)) as connection:
        connection.execute("DELETE FROM documents")
        shutil.copyfile(tmp_path / tables.LOG, folder / tables.LOG)
    made = add(library, "c", source, embedder=embedder)
    assert made.hash != base.hash
    assert not caplog.text
    expect_whole(library, {made.hash})


def test_no_space_for_an_attachment(library):
    def full(path):
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(StorageFailed, match=r"No space left on device.*free some space"):
        build(library, "c", [make_input(make_documents(2))], attachments={"graph.sqlite": full})
    assert not library.has("c")


def ranking(snapshot, embedder):
    [vector] = embedder.embed(["heart study"])
    return snapshot.bm25(Words(text="heart study"), 5), snapshot.dense(vector, 5)


@pytest.fixture
def built(library, embedder):
    build(library, "c", [make_input(make_documents(60))], embedder=embedder)
    return library.current("c")


def test_a_state_stays_until_nobody_reads_it(library, embedder, built):
    with library.open("c") as held, library.open("c") as other:
        before = ranking(held, embedder)
        for count in range(3):
            build(library, "c", [make_input(make_documents(10 + count), fingerprint=str(count))], embedder=embedder)
        assert ranking(held, embedder) == before
        held.close()
        build(library, "c", [make_input(make_documents(20), fingerprint="later")], embedder=embedder)
        assert len(other.vectors()) == sum(1 for _ in other.passage_texts()) > 0
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
        while not (built / name).is_dir():  # the watcher of a closing index may write its lock once more
            (built / name).unlink(missing_ok=True)
            with contextlib.suppress(FileExistsError):
                (built / name).mkdir()
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", os.fspath(temporary))
    with Snapshot.open(built) as snapshot:
        assert ranking(snapshot, embedder) == before
        snapshot.verify()
    assert not list(temporary.iterdir())


LIMITED = """
import resource, pathlib, medground.corpus.build, medground.corpus.lexical_fields
from medground.faces.cli.app import main
pages = int(pathlib.Path("/proc/self/statm").read_text().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (300 << 20),) * 2)
main()
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs the limits of Linux")
def test_an_index_without_memory_says_so_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Aspirin lowered the risk of stroke.", encoding="utf-8")
    command = [sys.executable, "-c", LIMITED, "corpus", "build", "papers", str(tmp_path / "a.txt"), "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"MEDGROUND_HOME": str(tmp_path)})
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "there is not enough memory" in done.stderr
