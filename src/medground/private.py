"""Files that hold questions and answers: their owner alone may read them, and each is written whole or not at all."""

from __future__ import annotations

import logging
import os
from functools import cache
from pathlib import Path
from typing import IO

from medground.durable import write_whole

log = logging.getLogger(__name__)

_FOLDER = 0o700
_FILE = 0o600


def private_folder(path: Path) -> None:
    """Make a folder that its owner alone may open, unless it is there.

    Raises:
        OSError: it cannot be made.
    """
    path.mkdir(parents=True, exist_ok=True, mode=_FOLDER)


def open_private(path: Path, *, append: bool = False) -> IO[str]:
    """Open a text file for writing that its owner alone may read; its folder is made where it is missing.

    Raises:
        OSError: it cannot be opened.
    """
    private_folder(path.parent)
    flags = os.O_WRONLY | os.O_CREAT | (os.O_APPEND if append else os.O_TRUNC)
    return os.fdopen(os.open(path, flags, _FILE), "a" if append else "w", encoding="utf-8")


def private_opener(path: str, flags: int) -> int:
    """For `open`: a file that it makes is for its owner alone.

    Raises:
        OSError: it cannot be opened.
    """
    return os.open(path, flags, _FILE)


def keep_private(path: Path, text: str) -> None:
    """Write a file in place of what is there, whole or not at all. It is not flushed to disk, which would take a third
    of the time of an answer: what a power failure takes within seconds is asked again.

    Raises:
        OSError: it cannot be written.
    """
    write_whole(path, text, private=True, synced=False)


def tell_not_kept(path: Path, error: OSError) -> None:
    """Log that a file in a folder of the home folder cannot be kept: once, whatever files follow. An answer is worth
    more than its copy."""
    _tell_once(path.parents[1], error.strerror or str(error))


@cache
def _tell_once(home: Path, reason: str) -> None:
    log.warning("answers and their traces are not kept: %s cannot be written to (%s)", home, reason)
