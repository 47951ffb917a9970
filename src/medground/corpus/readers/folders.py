"""The files of a folder that a reader may take."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from medground.errors import BadDocument


def files_below(folder: Path, suffixes: Sequence[str]) -> list[Path]:
    """Files below `folder` with one of these endings, sorted; hidden ones are left out.

    Raises:
        BadDocument: a link leads out of the folder.
    """
    inside = folder.resolve()
    found = []
    for entry in sorted(folder.rglob("*")):
        if any(part.startswith(".") for part in entry.relative_to(folder).parts):
            continue
        if entry.is_symlink() and not entry.resolve().is_relative_to(inside):
            raise BadDocument("the link leads out of the folder; copy what it points to", file=str(entry))
        if entry.name.lower().endswith(tuple(suffixes)) and entry.is_file():
            found.append(entry)
    return found
