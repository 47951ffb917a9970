"""Walk a folder as people have it: every file is either a candidate or passed over with a reason."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from medground.errors import BadDocument

_HIDDEN = "a hidden file"
_OUTSIDE = "the link points outside the folder; copy its target into the folder"
_INSIDE = "a link to a file or folder that is read where it is"
_BROKEN = "the link is broken"
_MISNAMED = "the name is not UTF-8, so it cannot be stored; rename it"
_NOTES = ("readme", "license", "licence", "changelog", "contributing")
_SYSTEM = frozenset(["desktop.ini", "thumbs.db"])


def walk(folder: Path) -> Iterator[Path | BadDocument]:
    """Every file at any depth, in the order of names. Links are not followed, so a circle of links does no harm.

    A hidden folder, and a folder that cannot be read, is passed over as one.
    """
    yield from _walk(folder, folder.resolve())


def refused_name(path: Path) -> BadDocument | None:
    """Why a path with bytes in its name that are not UTF-8 is passed over, with these bytes written out; else None."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        return BadDocument(_MISNAMED, file=os.fsencode(path).decode("utf-8", "backslashreplace"))
    return None


def is_beside_the_point(refusal: BadDocument) -> bool:
    """Whether a file was passed over for being no document at all: hidden, or notes of the folder itself."""
    return refusal.reason.startswith((_HIDDEN, _INSIDE, "notes on the folder", "a file of the system"))


def _walk(folder: Path, inside: Path) -> Iterator[Path | BadDocument]:
    reason: str | None
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        reason = f"the folder cannot be read ({error.strerror or error}); check its permissions"
        yield BadDocument(reason, file=str(folder), passing=True)
        return
    for entry in entries:
        path = Path(entry.path)
        if misnamed := refused_name(path):
            yield misnamed
        elif reason := _beside(entry) or _link(entry, path, inside):
            yield BadDocument(reason, file=entry.path)
        elif entry.is_dir(follow_symlinks=False):
            yield from _walk(path, inside)
        elif entry.is_file(follow_symlinks=False):
            yield path
        else:
            yield BadDocument("not a file: a pipe, a socket or a device", file=entry.path)


def _beside(entry: os.DirEntry[str]) -> str | None:
    name = entry.name.lower()
    if name.startswith("."):
        return _HIDDEN + (", a folder" if entry.is_dir(follow_symlinks=False) else "")
    if name in _SYSTEM:
        return "a file of the system"
    if name.partition(".")[0] in _NOTES and entry.is_file(follow_symlinks=False):
        return "notes on the folder; name the file to read it"
    return None


def _link(entry: os.DirEntry[str], path: Path, inside: Path) -> str | None:
    if not entry.is_symlink():
        return None
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):  # it leads nowhere, or in a circle
        return _BROKEN
    return _INSIDE if target.is_relative_to(inside) else _OUTSIDE
