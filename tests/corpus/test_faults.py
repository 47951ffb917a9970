"""Killed, out of space, failed by a sync or cut off from power, a command leaves the old state or the new, and repeats.

`benchmarks/faults.py` draws hundreds of such faults; here are a few of each kind.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import fault_jobs
import pytest
from failing_files import Fault, NoLayer, compiled, run
from fault_jobs import command, left, prepare, restore, seen
from power import Disk
from rows import each_row

from medground.corpus import library as library_module
from medground.corpus import tables
from medground.corpus.build import build
from medground.corpus.lexical_fields import LexicalWriter
from medground.corpus.library import Library
from medground.corpus.manifest import Manifest, describe_files, write_manifest
from medground.corpus.snapshot import LEXICAL
from medground.corpus.tables import PassageRow
from medground.errors import StorageFailed


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


@pytest.mark.slow
def test_every_change_of_a_file_is_seen(layer: Path, tmp_path: Path) -> None:
    """Made again from the notes alone, every file that Python, SQLite, Tantivy and FAISS wrote is as it is."""
    home = tmp_path / "home"
    home.mkdir()
    disk = Disk(home)
    ended = run(layer, command("build", home, tmp_path), home)
    assert ended.code == 0, ended.errors
    assert ended.changes > 500
    before = {path.relative_to(home): path.read_bytes() for path in home.rglob("*") if path.is_file()}
    assert {path.name for path in before} >= {"documents.sqlite", "vectors.f16", "vectors.faiss", "meta.json"}
    disk.follow(layer.with_name("changes.log"))
    disk.cut(names=1, content=1, seed=0)
    assert {path.relative_to(home): path.read_bytes() for path in home.rglob("*") if path.is_file()} == before
    # What was published is synced: without anything that was not, it is there all the same.
    disk.cut(names=0, content=0, seed=0)
    assert list(seen(home)) == ["corpus c"]


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """For each job, a folder with the state before it in `start`, and that after it in `after`."""
    made = {}
    for job in ("build", "sync"):
        folder = made[job] = tmp_path_factory.mktemp(job)
        prepare(job, folder / "home", folder / "inputs")
        restore(folder / "home", folder / "start")
        subprocess.run(command(job, folder / "home", folder / "inputs"), check=True, capture_output=True)
        (folder / "home").rename(folder / "after")
    return made


@pytest.mark.slow
@each_row(
    ("job", "fault"),
    [
        ("build", Fault("kill", 700)),
        ("sync", Fault("cut", 345, names=0.5, content=0, seed=1)),
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
    assert ended.code == -9 or ended.errors.startswith("StorageFailed: ")
    again = subprocess.run(command(job, home, inputs), capture_output=True, text=True)
    assert (again.returncode, seen(home), left(home)) == (0, new, []), again.stderr


@pytest.mark.slow
def test_a_full_disk_is_told_in_one_line_and_the_old_state_opens(layer: Path, states: dict[str, Path]) -> None:
    folder = states["build"]
    restore(folder / "start", folder / "home")
    old = seen(folder / "home")
    ended = run(layer, command("build", folder / "home", folder / "inputs"), folder / "home", Fault("full", 1100))
    [line] = [line for line in ended.errors.splitlines() if "WARNING clustering" not in line]  # FAISS: few vectors
    assert ended.code == 1
    assert line.startswith("StorageFailed: ") and "free some space" in line
    assert seen(folder / "home") == old


def test_a_word_index_ahead_of_its_passages_is_made_anew(
    library, make_documents, make_input, make_embedder, tmp_path, caplog
):
    """As a disk leaves them that forgets the passages and keeps the index."""

    class Stopped(make_embedder):
        def embed(self, texts):
            raise KeyboardInterrupt

    source, more = [make_input(make_documents(50))], make_documents(20, 50)
    whole = build(Library(tmp_path / "other"), "c", source, embedder=make_embedder())
    with pytest.raises(KeyboardInterrupt):
        build(library, "c", source, embedder=Stopped())
    [folder] = library.folder_of("c").glob("building-*")
    with LexicalWriter.open(folder / LEXICAL) as words:
        for number, document in enumerate(more, start=50):
            words.add(PassageRow(number, 0, 0, len(document.text), None), document)
        words.finish()
    assert build(library, "c", source, embedder=make_embedder()).hash == whole.hash
    assert "it is built from the start" in caplog.text
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
def test_a_damaged_new_state_is_never_published(
    tmp_path, make_documents, make_input, make_embedder, monkeypatch, damage
):
    library = Library(tmp_path)
    old = build(library, "c", [make_input(make_documents(20))], embedder=make_embedder())

    def damaged(folder: Path, manifest: Manifest) -> None:
        damage(folder)
        write_manifest(folder, manifest.model_copy(update={"files": describe_files(folder)}))

    with monkeypatch.context() as patch:
        patch.setattr(library_module, "write_manifest", damaged)
        with pytest.raises(StorageFailed, match="run the same command again to start over") as told:
            build(library, "c", [make_input(make_documents(40))], embedder=make_embedder())
    assert "\n" not in str(told.value)
    assert library.verify("c").hash == old.hash
    assert not list(library.folder_of("c").glob("building-*"))
    assert build(library, "c", [make_input(make_documents(40))], embedder=make_embedder()).counts.documents == 40


def test_names_are_synced_before_the_pointer_moves_and_old_states_go_last(
    library, make_documents, make_input, monkeypatch
):
    import os
    import stat

    for count in (5, 6):
        build(library, "c", [make_input(make_documents(count))])
    done: list[str] = []
    fsync, replace, rmtree = os.fsync, Path.replace, fault_jobs.shutil.rmtree

    def noted_fsync(handle):
        done.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        fsync(handle)

    def noted_replace(self, target):
        done.append("CURRENT" if target.name == "CURRENT" else "snapshot")
        return replace(self, target)

    def noted_rmtree(path, **options):
        done.append("remove")
        rmtree(path, **options)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(Path, "replace", noted_replace)
    monkeypatch.setattr(fault_jobs.shutil, "rmtree", noted_rmtree)
    build(library, "c", [make_input(make_documents(7))])
    moved = done.index("snapshot")
    assert done[moved:] == ["snapshot", "folder", "file", "CURRENT", "folder", "remove"]
    assert done[moved - 1] == "folder"
