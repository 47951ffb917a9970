"""The catalogue of a corpus as it is now, while updates replace its snapshots."""

import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

from medground.corpus.library import Library
from medground.errors import MedgroundError
from medground.faces.eutils.catalogue import SnapshotCatalogue, index_folder
from medground.values.steps import Progress, no_progress

_SECONDS = 1.0
"""Seconds between two looks for a new snapshot."""


class CurrentCatalogue:
    """Call it for the catalogue of the newest snapshot that has an index. Thread-safe.

    A reader keeps the catalogue that it got, whole, for as long as it works; a snapshot is replaced in one step.
    """

    def __init__(
        self,
        library: Library,
        name: str,
        home: Path,
        progress: Progress = no_progress,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._library, self._name, self._home, self._clock = library, name, home, clock
        self._state = library.state(name)
        self._catalogue = SnapshotCatalogue.open(library.open(name), home, progress)
        self._looked = clock()
        self._lock = threading.Lock()

    def __call__(self) -> SnapshotCatalogue:
        if self._clock() - self._looked >= _SECONDS and self._lock.acquire(blocking=False):
            try:
                self._renew()
            except MedgroundError:
                pass  # being replaced at this moment, or damaged: the snapshot that is open goes on
            finally:
                self._looked = self._clock()
                self._lock.release()
        return self._catalogue

    def _renew(self) -> None:
        state = self._library.state(self._name)
        if state != self._state and index_folder(self._library.info(self._name), self._home).is_dir():
            self._catalogue = SnapshotCatalogue.open(self._library.open(self._name), self._home)
            self._state = state


def prepare(library: Library, name: str, home: Path, progress: Progress) -> None:
    """Make the index of a corpus as it is now, so that its server takes it, and remove those of no snapshot."""
    with library.open(name) as snapshot:
        SnapshotCatalogue.open(snapshot, home, progress)
        parent = index_folder(snapshot.manifest, home).parent
    for index in parent.glob("[!.]*"):  # another process may be making a hidden one
        if not any(library.folder.glob(f"*/{index.name[:16]}*")):
            shutil.rmtree(index, ignore_errors=True)
