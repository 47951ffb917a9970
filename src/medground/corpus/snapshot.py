"""An immutable state of a corpus, opened for reading."""

from __future__ import annotations

import os
import shutil
import sys
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from medground.corpus.database import Database
from medground.corpus.faults import corrupt, reading
from medground.corpus.lexical import Lexical
from medground.corpus.manifest import FILE_NAME, Manifest, check_files, read_manifest
from medground.corpus.records import count_waiting
from medground.corpus.reports import SourceReport, source_reports
from medground.corpus.store import NO_FILTERS, Store
from medground.values.document import Hit
from medground.values.query import Filters, Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from medground.corpus.vectors import Vectors


# States in use: a reader pins what it opened, and a build removes only what is not pinned.

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

    Raises SnapshotCorrupt: the state is not there, or is being removed.
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
        _unlink_unused(folder / FILE_NAME)  # from here on it cannot be opened
    except FileNotFoundError:
        pass
    except OSError:
        return
    shutil.rmtree(folder, ignore_errors=True)


def rank_together(stores: Sequence[Store]) -> None:
    """Let corpora in folders here rank by words as one collection would, so that scores of different ones compare."""
    opened = [store._lexical for store in stores if isinstance(store, Snapshot)]
    for lexical in opened:
        lexical.rank_with(opened)


LEXICAL = "lexical"
_SPARE = 2
"""How many times as many of the closest passages are looked at as are expected to hold enough that filters allow."""
_LISTED = 10
"""Allowed passages that are listed in the time in which one of the closest is looked up."""
_FEW = 200
"""Passages that an id is expected to be in. A search that may find all of a large corpus is slow."""


class Snapshot(Database, Store):
    """A snapshot in a folder, which other processes may read too. It also has what its build told."""

    def __init__(self, folder: Path, manifest: Manifest, lexical: Lexical, pin: Pin, name: str = "") -> None:
        Database.__init__(self, folder)
        Store.__init__(self, manifest, name)
        self._pin = pin
        self._lexical = lexical
        self._vectors: Vectors | None = None

    @classmethod
    def open(cls, folder: Path, base: Path | None = None, *, name: str = "") -> Self:
        """Open a snapshot once its files are found intact, and keep it from being removed until it is closed.

        `base`: another snapshot, whose files were found intact when it was opened; those that are the very same are.

        `name`: what answers call its corpus, if that is not the name that it was built with.

        Raises SnapshotCorrupt: it does not match its manifest; ConfigError: it was made by a newer Medground;
        StorageFailed: its folder is read-only, and so is every folder for temporary files.
        """
        pin = Pin(folder)
        try:
            manifest = read_manifest(folder)
            check_files(folder, manifest.files, base=base)
            lexical = Lexical(folder / LEXICAL)
            if lexical.passages != manifest.counts.passages:
                raise corrupt(folder, f"{LEXICAL} has {lexical.passages} of {manifest.counts.passages} passages")
            return cls(folder, manifest, lexical, pin, name)
        except BaseException:
            pin.release()
            raise

    def bm25(self, query: Query, limit: int, filters: Filters = NO_FILTERS) -> tuple[Hit, ...]:
        return self._scored("bm25", self._lexical.search(query, limit, filters))

    def dense(self, vector: NDArray[np.float32], limit: int, filters: Filters = NO_FILTERS) -> tuple[Hit, ...]:
        allowed = None if filters == NO_FILTERS or limit < 1 else self._allowed(vector, limit, filters)
        return self._scored("dense", self.vectors().search(vector, limit, allowed))

    def _allowed(self, vector: NDArray[np.float32], limit: int, filters: Filters) -> NDArray[np.int64]:
        """Numbers of passages that the filters allow, among which are the `limit` closest of all these.

        Where few are allowed, all are listed; otherwise they are looked for among the closest of all passages.
        """
        import numpy as np  # slow to import, and not every question needs it

        words, vectors = self._lexical, self.vectors()
        count, enough = words.count(filters), limit * max(1, vectors.candidates // 2)  # an index gives some to spare
        wanted = _SPARE * enough * len(vectors) // max(1, count)
        while count > _LISTED * wanted and wanted < len(vectors):
            near = vectors.nearest(vector, -(-wanted // vectors.candidates))
            allowed = np.intersect1d(near, np.array(words.numbers_of(self.holders(near.tolist()), filters), np.int64))
            if len(allowed) * wanted >= enough * len(near):
                return allowed
            wanted *= _SPARE
        return np.array(words.numbers(filters), dtype=np.int64)

    def size(self, filters: Filters = NO_FILTERS) -> int:
        if filters == NO_FILTERS:
            return self.manifest.counts.documents
        return len(self.holders(self._lexical.numbers(filters)))

    def _terms(self, field: str, start: str, limit: int) -> list[str]:
        return self._lexical.terms(field, start, limit)

    def _ids_of(self, query: Query) -> list[str]:
        hits = self._lexical.search(query, _FEW, NO_FILTERS)
        if len(hits) == _FEW:  # a long paper has many passages, and each has its ids
            hits = self._lexical.search(query, self._lexical.passages, NO_FILTERS)
        return self.holders([number for number, _ in hits])

    def unjoined(self, sources: Mapping[str, str]) -> int:
        """How many documents sources of records are still to be asked for, or sources that are not among them were.

        The sources are given by their names in provenance, each with its state; all wait for one that has changed.
        """
        before = {entry.source: entry.state for entry in self.manifest.enriched}
        if any(before.get(source, state) != state for source, state in sources.items()):
            return self.manifest.counts.documents
        with reading(self.folder), self._lock:
            return count_waiting(self._connection, [*sources])

    def source_reports(self) -> list[SourceReport]:
        """What became of its documents with each source of records that it remembers, in their order."""
        names = {entry.source: entry.name for entry in self.manifest.enriched}
        with reading(self.folder), self._lock:
            return [*source_reports(self._connection, names)]

    def attachment(self, name: str) -> Path | None:
        return self.folder / name if name in self.manifest.attachments else None

    def vectors(self) -> Vectors:
        """Its vectors, opened on first use; UsageError if it has none."""
        embedding = self.vectors_made()
        from medground.corpus.vectors import Vectors  # slow to import, and not every question needs them

        if self._vectors is None:
            self._vectors = Vectors(self.folder, embedding.dimensions, self.manifest.counts.passages)
        return self._vectors

    def verify(self) -> None:
        """Check every file against its SHA-256; the error names one that has changed."""
        check_files(self.folder, self.manifest.files, again=True)
        self.check()

    def close(self) -> None:
        """Close the files. Safe to call twice."""
        super().close()
        self._vectors = None
        self._pin.release()

    def _scored(self, ranker: str, scored: Sequence[tuple[int, float]]) -> tuple[Hit, ...]:
        passages = self.passages([number for number, _ in scored])
        return self._hits(ranker, zip(passages, (score for _, score in scored), strict=True))
