"""A file that replaces another is whole, private where asked, flushed in the right order, and leaves nothing behind."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from medground.home.files import make_folder, remove_unfinished, replacing, write_whole


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The syncs and renames of the test, in order, by the name of what they are about."""
    noted: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def noted_fsync(handle: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
        noted.append("sync folder" if is_folder else "sync file")
        fsync(handle)

    def noted_replace(self: Path, target: Path) -> Path:
        noted.append(f"rename to {target.name}")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(Path, "replace", noted_replace)
    return noted


def test_content_is_flushed_before_it_gets_its_name_and_the_name_after(tmp_path: Path, calls: list[str]) -> None:
    write_whole(tmp_path / "state", "new")
    assert calls == ["sync file", "rename to state", "sync folder"]
    calls.clear()
    make_folder(tmp_path / "one" / "two")
    make_folder(tmp_path / "one" / "two")
    assert calls == ["sync folder", "sync folder"], "names of new folders are flushed too"
    calls.clear()
    write_whole(tmp_path / "deep" / "reply", b"new", synced=False)
    assert calls == ["rename to reply"], "a cache is whole without being flushed"
    assert (tmp_path / "deep" / "reply").read_bytes() == b"new"


def test_a_failure_leaves_the_old_content_and_no_other_file(tmp_path: Path) -> None:
    write_whole(tmp_path / "state", "old")
    (tmp_path / "full" / "folder").mkdir(parents=True)
    with pytest.raises(RuntimeError), replacing(tmp_path / "state") as unfinished:
        unfinished.write_text("half")
        raise RuntimeError
    with pytest.raises(OSError):
        write_whole(tmp_path / "full", "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["full", "state"]
    assert (tmp_path / "state").read_text() == "old"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_private_file_is_private_from_its_first_byte_and_others_as_the_user_asked(tmp_path: Path) -> None:
    with replacing(tmp_path / "answers" / "one.json", private=True) as unfinished:
        assert mode(unfinished) == 0o600
    assert mode(tmp_path / "answers" / "one.json") == 0o600
    assert mode(tmp_path / "answers") == 0o700
    before = os.umask(0o022)
    try:
        write_whole(tmp_path / "report.md", "text")
    finally:
        os.umask(before)
    assert mode(tmp_path / "report.md") == 0o644


def test_what_a_killed_process_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    write_whole(tmp_path / "state", "old")
    (tmp_path / ".a.part").write_text("of the user")
    with pytest.raises(RuntimeError), replacing(tmp_path / "state") as unfinished:
        left = (tmp_path / unfinished.name, tmp_path / f"{unfinished.name}-journal")
        raise RuntimeError
    for path in left:
        path.write_text("half")
    remove_unfinished(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".a.part", "state"]
