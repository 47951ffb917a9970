"""Find the files in a folder that a reader accepts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from medground.errors import BadDocument


def files_below(folder: Path, suffixes: Sequence[str]) -> list[Path]:
    """Files at any depth in `folder` with one of these suffixes, sorted; hidden files are skipped.

    Raises:
        BadDocument: a link points outside the folder.
    """
    inside = folder.resolve()
    found = []
    for entry in sorted(folder.rglob("*")):
        if any(part.startswith(".") for part in entry.relative_to(folder).parts):
            continue
        if entry.is_symlink() and not entry.resolve().is_relative_to(inside):
            raise BadDocument("the link points outside the folder; copy its target into the folder", file=str(entry))
        if entry.name.lower().endswith(tuple(suffixes)) and entry.is_file():
            found.append(entry)
    return found
