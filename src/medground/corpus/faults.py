"""Turn errors of the disk, SQLite and Tantivy into Medground's own."""

import contextlib
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path

from medground.errors import OUT_OF_MEMORY, SnapshotCorrupt, StorageFailed, first_line, is_of_memory


def corrupt(folder: Path | str, what: str) -> SnapshotCorrupt:
    """The error for a snapshot that has changed since its build."""
    return SnapshotCorrupt(f"{folder}: {what}; restore the folder from a backup or rebuild the corpus")


class UnfinishedDamaged(StorageFailed):
    """What a build has made so far cannot be used: it must start over."""

    def __init__(self, folder: Path, why: str) -> None:
        super().__init__(
            f"{folder}: the unfinished build is damaged ({why}) and was not published; the corpus is as it was; "
            "run the same command again to start over, and check the disk if it happens again"
        )


@contextlib.contextmanager
def reading(folder: Path, name: str = "") -> Iterator[None]:
    """Treat any error while reading a finished snapshot, or one file of it, as damage to it: SnapshotCorrupt."""
    try:
        yield
    except (sqlite3.DatabaseError, ValueError, OSError, EOFError, RuntimeError, MemoryError, zlib.error) as error:
        if is_of_memory(error):
            raise StorageFailed(f"{folder}: {OUT_OF_MEMORY}") from error
        raise corrupt(folder, f"{name} cannot be read ({first_line(error)})".lstrip()) from error
    except BaseException as error:
        # A failed assertion inside Tantivy arrives as pyo3's PanicException, which is not an Exception and cannot
        # be imported.
        if type(error).__name__ != "PanicException":
            raise
        raise corrupt(folder, "the word index is damaged") from error


@contextlib.contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn the errors that a full or read-only disk causes into StorageFailed."""
    try:
        yield
    except (OSError, sqlite3.OperationalError, ValueError, MemoryError) as error:
        if is_of_memory(error):
            raise StorageFailed(f"{folder}: {OUT_OF_MEMORY}; then run the same command again") from error
        # Tantivy's Python binding has no exception class for I/O errors.
        if not isinstance(error, OSError | sqlite3.OperationalError) and not _from_tantivy(error):
            raise
        raise StorageFailed(
            f"cannot write to {folder} ({first_line(error)}); "
            "free some space or check the permissions, then run the same command again"
        ) from error


@contextlib.contextmanager
def resuming(folder: Path) -> Iterator[None]:
    """Tell a damaged word index, UnfinishedDamaged, from a disk that cannot be written, while a build is resumed."""
    try:
        yield
    except ValueError as error:
        if _from_tantivy(error):
            raise
        raise UnfinishedDamaged(folder, first_line(error)) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # as in `reading`
            raise
        raise UnfinishedDamaged(folder, "its word index is damaged") from error


def _from_tantivy(error: BaseException) -> bool:
    text = str(error).lower()
    return "os error" in text or "io error" in text or "ioerror" in text or "an error occurred in a thread" in text
