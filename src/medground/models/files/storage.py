"""Errors of a disk in words."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from medground.errors import StorageFailed


@contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    """Turn what a full or protected disk raises into one line.

    Raises:
        StorageFailed: there is no space, or no permission.
    """
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFailed(f"no space left in {folder}; free some and run the command again") from None
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST):
            raise StorageFailed(
                f"cannot write to {folder}: {error.strerror}; grant permission or change MEDGROUND_HOME"
            ) from None
        raise
