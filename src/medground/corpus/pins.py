"""States in use: a reader pins what it opened, and a build removes only what nobody has pinned.

A pin is a shared lock on the manifest of a state. It needs no write, so that it works in a read-only folder too, and
it ends with its process, however that ends.
"""

from __future__ import annotations

import os
import shutil
import sys
import weakref
from pathlib import Path

from medground.corpus.faults import corrupt
from medground.corpus.manifest import FILE_NAME

if sys.platform == "win32":

    def _hold(handle: int) -> bool:
        """Nothing to do: Windows does not delete a file that is open."""
        return True

    def _unlink_unused(path: Path) -> None:
        path.unlink()

else:
    import fcntl

    def _hold(handle: int) -> bool:
        """Lock an open file together with other readers; False where it is being removed."""
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return os.fstat(handle).st_nlink > 0
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks, on which nothing can be built either
            return True

    def _unlink_unused(path: Path) -> None:
        handle = os.open(path, os.O_RDWR)  # network file systems lock a file alone only if it is open for writing
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
        finally:
            os.close(handle)


class Pin:
    """Keeps a state from being removed until it is released, or is no longer referred to.

    Raises:
        SnapshotCorrupt: the state is not there, or is being removed.
    """

    def __init__(self, folder: Path) -> None:
        try:
            handle = os.open(folder / FILE_NAME, os.O_RDONLY)
        except OSError:
            raise corrupt(folder, f"{FILE_NAME} is missing or damaged") from None
        self.release = weakref.finalize(self, os.close, handle)
        if not _hold(handle):
            self.release()
            raise corrupt(folder, "a build has replaced it")


def remove_unused(folder: Path) -> None:
    """Delete a state unless it is pinned. What cannot be deleted now stays until the next time."""
    try:
        _unlink_unused(folder / FILE_NAME)  # from here on nobody can open it
    except FileNotFoundError:
        pass
    except OSError:
        return
    shutil.rmtree(folder, ignore_errors=True)
