"""Documents from a pipe: kept as a file until a corpus has been built, so that a build that was stopped can resume."""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from pathlib import Path
from typing import BinaryIO

from medground.corpus.readers.detect import detect
from medground.errors import BadDocument, UsageError

_CHUNK = 1 << 20


def receive(stream: BinaryIO, home: Path) -> Path:
    """Store all of a stream in the home folder, named by its content: the same content is the same file, unchanged.

    What no reader recognises is taken for plain text.

    Args:
        stream: what to read to its end.
        home: the home folder.

    Raises:
        UsageError: there is nothing in the stream.
    """
    folder = home / "incoming"
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".partial", delete=False) as partial:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
            partial.write(chunk)
        size = partial.tell()
    found = Path(partial.name)
    if not size:
        found.unlink()
        raise UsageError("standard input is empty; pipe documents into the command")
    name = folder / (digest.hexdigest()[:16] + _suffix(found))
    if name.is_file():
        found.unlink()
    else:
        found.replace(name)
    return name


def forget(path: Path, home: Path) -> None:
    """Remove a file that `receive` stored; any other stays."""
    if path.parent == home / "incoming":
        with contextlib.suppress(FileNotFoundError):
            path.unlink()


def _suffix(path: Path) -> str:
    try:
        detect(path)
    except BadDocument:
        with path.open("rb") as stored:
            return "" if b"\x00" in stored.read(_CHUNK) else ".txt"
    return ""
