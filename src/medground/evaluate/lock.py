"""Files of results that only one process writes, a line at a time."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout
from pydantic import BaseModel

from medground.durable import make_folder
from medground.errors import StorageFailed, UsageError


def locked(path: Path) -> FileLock:
    """Acquire the lock of a file and create its folder.

    Raises:
        UsageError: another process is writing the file.
        StorageFailed: the file cannot be written.
    """
    lock = FileLock(path.with_name(f".{path.name}.lock"), timeout=0)
    try:
        make_folder(path.parent)
        lock.acquire()
    except Timeout:
        raise UsageError(
            f"{path} is being written by another run; wait for it to finish, or name another file"
        ) from None
    except OSError as error:
        raise StorageFailed(f"{path} cannot be written ({error.strerror or error}); name another file") from None
    return lock


class LockedLines:
    """A file of JSON Lines whose lock this process holds. Use it as a context manager; leaving it releases the lock."""

    def __init__(self, path: Path, lock: FileLock) -> None:
        self.path = path
        self._lock = lock

    def write(self, line: BaseModel) -> None:
        """Add a line; it is in the file on return.

        Raises:
            StorageFailed: the file cannot be written.
        """
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(line.model_dump_json(exclude_defaults=True) + "\n")
        except OSError as error:
            raise StorageFailed(
                f"{self.path} cannot be written ({error.strerror or error}); free some space, then run the same "
                "command to resume"
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._lock.release()
