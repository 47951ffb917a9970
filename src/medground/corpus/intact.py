"""Whether the files of a state are as its build left them.

Every byte of them is compared with the manifest before anything is read, once: what was found is remembered with the
identity of each file, so that opening the same state again only looks at names, sizes and times. After a day it is
compared again, because a disk can change a byte without changing a time.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from medground.corpus.faults import corrupt, reading
from medground.corpus.manifest import CHECKED, FileEntry, hash_file

_REMEMBERED = 86_400.0
"""Seconds."""
_SETTLED = 1.0
"""Seconds since the last change of a file, before which a further change may leave its time as it is."""
_unwritten: dict[Path, tuple[str, float]] = {}
"""What this process found in folders that it cannot write to."""


def check_files(
    folder: Path, files: Mapping[str, FileEntry], *, again: bool = False, now: Callable[[], float] = time.time
) -> None:
    """Compare every file with its size and SHA-256, unless that was done less than a day ago.

    Args:
        folder: the folder of the state.
        files: its files, by their path in the folder.
        again: compare them even then.
        now: clock that returns seconds since 1970.

    Raises:
        SnapshotCorrupt: a file is missing or has changed; the message names it.
    """
    began = now()
    mark, changed = _identity(folder, files)
    if not again and _is_remembered(folder, mark, began):
        return
    for name, entry in files.items():
        with reading(folder, name):
            found = hash_file(folder / name)
        if found != entry.sha256:
            raise corrupt(folder, f"{name} does not match its SHA-256 in the manifest")
    if changed < began - _SETTLED:
        _remember(folder, mark, began)


def _identity(folder: Path, files: Mapping[str, FileEntry]) -> tuple[str, float]:
    """A hash of what the files are to be and of which files they are, and when the last of them was changed."""
    digest, changed = hashlib.sha256(), 0.0
    for name, entry in files.items():
        with reading(folder, name):
            found = (folder / name).stat()
        if found.st_size != entry.size:
            raise corrupt(folder, f"{name} has {found.st_size} bytes instead of {entry.size}")
        digest.update(f"{name}\0{entry.sha256}\0{found.st_ino} {found.st_mtime_ns} {found.st_ctime_ns}\0".encode())
        changed = max(changed, found.st_mtime, found.st_ctime)
    return digest.hexdigest(), changed


def _is_remembered(folder: Path, mark: str, now: float) -> bool:
    try:
        stored = json.loads((folder / CHECKED).read_bytes())
        found = stored["mark"], float(stored["at"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        found = _unwritten.get(folder, ("", 0.0))
    return found[0] == mark and 0 <= now - found[1] < _REMEMBERED


def _remember(folder: Path, mark: str, at: float) -> None:
    try:
        (folder / CHECKED).write_text(json.dumps({"mark": mark, "at": at}))  # half of it is as good as none
    except OSError:  # reading needs no write
        _unwritten[folder] = mark, at
