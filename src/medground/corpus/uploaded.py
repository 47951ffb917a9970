"""Files that were uploaded to a server: kept in the folder of their corpus, for as long as the corpus holds them."""

from __future__ import annotations

import secrets
import shutil
from pathlib import Path

from medground.corpus.faults import writing
from medground.corpus.library import Library
from medground.private import private_folder

_UPLOADS = "uploaded"


def keep(library: Library, name: str, received: Path) -> Path:
    """Move a folder of received files into that of a corpus, which may not exist yet. Returns where it is now.

    Raises:
        UsageError: the name is not valid.
        StorageFailed: writing to disk failed.
    """
    place = library.folder_of(name) / _UPLOADS / secrets.token_hex(8)
    with writing(place.parent):
        private_folder(place.parent)
        received.rename(place)
    return place


def drop(place: Path) -> None:
    """Delete what was kept for a build that came to nothing, and a corpus folder in which nothing else is."""
    shutil.rmtree(place, ignore_errors=True)
    for folder in (place.parent, place.parent.parent):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def forget_other_uploads(corpus: Path, kept: Path | None = None) -> None:
    """Delete what was uploaded for an earlier build of a corpus, which a new build has replaced."""
    for folder in (corpus / _UPLOADS).glob("*"):
        if folder != kept:
            shutil.rmtree(folder, ignore_errors=True)
