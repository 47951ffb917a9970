"""A lock that lets only one process write a file of results."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock, Timeout

from medground.errors import StorageFailed, UsageError


def locked(path: Path) -> FileLock:
    """Acquire the lock of a file and create its folder.

    Raises:
        UsageError: another process is writing the file.
        StorageFailed: the file cannot be written.
    """
    lock = FileLock(path.with_name(f".{path.name}.lock"), timeout=0)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise UsageError(
            f"{path} is being written by another run; wait for it to finish, or name another file"
        ) from None
    except OSError as error:
        raise StorageFailed(f"{path} cannot be written ({error.strerror or error}); name another file") from None
    return lock
