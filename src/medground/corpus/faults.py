"""What the disk and the engines raise, said in Medground's own errors."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from medground.errors import SnapshotCorrupt, StorageFailed


def corrupt(folder: Path, what: str) -> SnapshotCorrupt:
    """The error for a snapshot that is not what its build left."""
    return SnapshotCorrupt(f"{folder}: {what}; restore this folder from a copy or build the corpus again")


@contextlib.contextmanager
def reading(folder: Path) -> Iterator[None]:
    """Anything that goes wrong while a finished snapshot is read means that it has changed since its build.

    Raises:
        SnapshotCorrupt: instead of what the engines raise.
    """
    try:
        yield
    except (sqlite3.DatabaseError, ValueError, OSError, EOFError, RuntimeError) as error:
        raise corrupt(folder, f"cannot be read ({_first_line(error)})") from error
    except BaseException as error:
        # A failed assertion inside of Tantivy arrives as pyo3's PanicException, which is not an Exception and cannot
        # be imported.
        if type(error).__name__ != "PanicException":
            raise
        raise corrupt(folder, "the word index is damaged") from error


@contextlib.contextmanager
def writing(folder: Path) -> Iterator[None]:
    """What a full or read-only disk makes the engines raise.

    Raises:
        StorageFailed: instead of it.
    """
    try:
        yield
    except (OSError, sqlite3.OperationalError) as error:
        raise _refused(folder, error) from error
    except ValueError as error:
        # Tantivy's Python binding has no class of its own for input and output errors.
        if not _from_tantivy(error):
            raise
        raise _refused(folder, error) from error


def _from_tantivy(error: ValueError) -> bool:
    text = str(error).lower()
    return "io error" in text or "ioerror" in text or "an error occurred in a thread" in text


def _refused(folder: Path, error: Exception) -> StorageFailed:
    return StorageFailed(
        f"cannot write to {folder} ({_first_line(error)}); "
        "free some space or check the permissions, then run the same command again"
    )


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
