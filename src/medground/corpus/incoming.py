"""Documents from a pipe: kept as a file in the folder of their corpus, for as long as the corpus holds them.

A build that was stopped can so resume, and a sync can read them again, as it can every other file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from medground.corpus.readers.detect import detect
from medground.durable import put, unfinished_in
from medground.errors import BadDocument, UsageError

_CHUNK = 1 << 20
_FOLDER = "incoming"


def receive(stream: BinaryIO, corpus: Path) -> Path:
    """Store all of a stream in the folder of a corpus. The same content is the same file, unchanged, by its name.

    What no reader recognises is taken for plain text.

    Args:
        stream: what to read to its end.
        corpus: the folder of the corpus.

    Raises:
        UsageError: there is nothing in the stream.
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
        name = folder / (digest.hexdigest()[:16] + _suffix(found))
        if not name.is_file():
            put(found, name)
    return name


def forget_others(corpus: Path, kept: Sequence[Path]) -> None:
    """Remove what `receive` stored for an earlier build of a corpus, but for these files."""
    for path in (corpus / _FOLDER).glob("*"):
        if path not in kept:
            path.unlink(missing_ok=True)


def _suffix(path: Path) -> str:
    try:
        detect(path)
    except BadDocument:
        with path.open("rb") as stored:
            return "" if b"\x00" in stored.read(_CHUNK) else ".txt"
    return ""
