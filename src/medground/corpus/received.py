"""Documents that came by a pipe or an upload: kept next to their corpus for as long as it holds them."""

import hashlib
import secrets
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from medground.corpus.faults import writing
from medground.corpus.library import Library
from medground.corpus.readers.every import detect
from medground.errors import BadDocument, UsageError
from medground.home.files import private_folder, put, unfinished_in

_CHUNK = 1 << 20
_FOLDER = "incoming"


def receive(stream: BinaryIO, corpus: Path) -> Path:
    """Store all of a stream in the folder of a corpus. The same content is the same file, unchanged, by its name.

    What no reader recognises is taken for plain text.

    Raises UsageError: there is nothing in the stream.
    """
    folder = corpus / _FOLDER
    digest = hashlib.sha256()
    with unfinished_in(folder) as found:
        with found.open("wb") as file:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
                file.write(chunk)
            size = file.tell()
        if not size:
            raise UsageError("standard input is empty; pipe documents into the command")
        suffix = ""
        try:
            detect(found)
        except BadDocument:
            with found.open("rb") as file:
                suffix = "" if b"\x00" in file.read(_CHUNK) else ".txt"
        name = folder / (digest.hexdigest()[:16] + suffix)
        if not name.is_file():
            put(found, name)
    return name


def forget_others(corpus: Path, kept: Sequence[Path]) -> None:
    """Remove what `receive` stored for an earlier build of a corpus, but for these files."""
    for path in (corpus / _FOLDER).glob("*"):
        if path not in kept:
            path.unlink(missing_ok=True)


_UPLOADS = "uploaded"


def keep(library: Library, name: str, received: Path) -> Path:
    """Move a folder of received files into that of a corpus, which may not exist yet. Returns where it is now.

    Raises UsageError: the name is not valid; StorageFailed: writing to disk failed.
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


def forget_other_uploads(corpus: Path, kept: Path | None) -> None:
    """Delete what was uploaded for an earlier build of a corpus, which a new build has replaced."""
    for folder in (corpus / _UPLOADS).glob("*"):
        if folder != kept:
            shutil.rmtree(folder, ignore_errors=True)
