"""The vectors of a snapshot: a plain file with one float16 row per passage, and an index if there are many."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medground.corpus.faults import reading
from medground.errors import ConfigError
from medground.home.files import link, replacing

FILE_NAME = "vectors.f16"
CHANGES_NAME = "vectors.changes"
"""What changed since an earlier snapshot, whose rows this one shares: each number, and its row."""
INDEX_NAME = "vectors.faiss"
EXACT_LIMIT = 100_000
"""Up to this many passages, every vector is compared; above it, an index selects the candidates to compare."""
_BLOCK = 8192
_CANDIDATES = 80
"""Candidates from the index per hit requested."""
_PROBED = 0.1
"""Share of the index's cells that is searched."""
_FEWEST = 16
"""Cells that are searched of a small index."""
_LARGEST_CHANGES = 8
"""Changed rows are at most this part of those that are shared."""
_LARGEST_GROWTH = 3
"""Times as many rows as an index was made of, for which it is trained anew."""
_TRAINED_ON = 64
"""Training vectors per cell of the index."""


class VectorWriter:
    """Appends rows to the file. An interrupted build resumes after the rows that are known to be `synced`: what the
    file holds beyond them is dropped.
    """

    def __init__(self, folder: Path, dimensions: int, synced: int) -> None:
        self._open(folder / FILE_NAME, np.dtype(("<f2", (dimensions,))), dimensions, synced)

    def _open(self, path: Path, kind: np.dtype[Any], dimensions: int, synced: int) -> None:
        self._dimensions = dimensions
        size = path.stat().st_size if path.exists() else 0
        self._file = path.open("ab")
        self.rows = min(size // kind.itemsize, synced)
        self._file.truncate(self.rows * kind.itemsize)

    def append(self, vectors: NDArray[np.floating[Any]]) -> None:
        """Add rows, shape (n, dimensions)."""
        check_vectors(vectors, self._dimensions)
        self._write(np.ascontiguousarray(vectors, dtype="<f2"))

    def _write(self, rows: NDArray[Any]) -> None:
        self._file.write(rows.tobytes())
        self._file.flush()
        self.rows += len(rows)

    def sync(self) -> None:
        """Flush the rows to disk, so that they survive a power failure."""
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class ChangeWriter(VectorWriter):
    """Appends what has changed since an earlier snapshot, whose file this one shares: rows with their numbers."""

    def __init__(self, folder: Path, dimensions: int, synced: int) -> None:
        self._kind = _changes(dimensions)
        self._open(folder / CHANGES_NAME, self._kind, dimensions, synced)

    def put(self, numbers: Sequence[int], vectors: NDArray[np.floating[Any]]) -> None:
        """Add rows, or replace those with these numbers."""
        check_vectors(vectors, self._dimensions)
        changed = np.empty(len(numbers), dtype=self._kind)
        changed["number"], changed["row"] = numbers, vectors
        self._write(changed)


def _changes(dimensions: int) -> np.dtype[Any]:
    return np.dtype([("number", "<i8"), ("row", "<f2", (dimensions,))])


def share(source: Vectors, folder: Path, new: int) -> bool:
    """Share the vectors of an earlier snapshot, of which so many change; False if so many have that it is renewed."""
    if source.changed + new > min(EXACT_LIMIT, source.shared // _LARGEST_CHANGES):
        return False
    for name in (CHANGES_NAME, INDEX_NAME, FILE_NAME):  # the last tells that the others are there
        if (source.folder / name).exists() and not (folder / name).exists():
            with replacing(folder / name) as unfinished:
                unfinished.unlink()
                (shutil.copyfile if name == CHANGES_NAME else link)(source.folder / name, unfinished)
    (folder / CHANGES_NAME).touch()
    return True


def check_vectors(vectors: NDArray[np.floating[Any]], dimensions: int) -> None:
    """Check what a model gave. Raises ConfigError: the vectors are not finite, or do not have this length."""
    if vectors.ndim != 2 or vectors.shape[1] != dimensions or not np.isfinite(vectors).all():
        raise ConfigError(f"the embedding model gave no finite vectors of length {dimensions}; use another model")


_Scored = tuple[NDArray[np.int64], NDArray[np.float32]]


class Vectors:
    """Finished vectors, mapped into memory. Cosine similarity is the dot product of unit rows.

    Raises SnapshotCorrupt: the file has changed since the build, or has not so many rows as are counted.
    """

    def __init__(self, folder: Path, dimensions: int, count: int | None = None) -> None:
        self.folder = folder
        self.dimensions = dimensions
        with reading(folder):
            self._rows: NDArray[np.float16] = _mapped(folder / FILE_NAME, np.dtype("<f2")).reshape(-1, dimensions)
            self._changes = _mapped(folder / CHANGES_NAME, _changes(dimensions))
            # the last row of each number counts
            self._numbers, at = np.unique(self._changes["number"][::-1], return_index=True)
            self._at = len(self._changes) - 1 - at
            have = max(len(self._rows), *(self._numbers[-1:] + 1), 0)
            self._count = have if count is None else count
            if self._count > have or (self._count < have and not (folder / CHANGES_NAME).exists()):
                raise ValueError(f"{have} vectors, not {count}")
        self.is_indexed = (folder / INDEX_NAME).exists()
        self.candidates = _CANDIDATES if self.is_indexed else 1
        """Rows that `nearest` gives for each that is asked for."""
        self._index: Any = None
        self._newer: Any = None
        self._opening = threading.Lock()

    def __len__(self) -> int:
        return self._count

    @property
    def shared(self) -> int:
        """Rows of the file that snapshots share."""
        return len(self._rows)

    @property
    def changed(self) -> int:
        """Rows that were added or changed since."""
        return len(self._changes)

    @property
    def only_grew(self) -> bool:
        """Whether none of the shared rows was changed."""
        return bool((self._numbers >= self.shared).all())

    def take(self, numbers: NDArray[np.int64]) -> NDArray[np.float16]:
        """Rows by number, in memory."""
        if not len(self._numbers):
            return np.asarray(self._rows[numbers])
        at = np.minimum(np.searchsorted(self._numbers, numbers), len(self._numbers) - 1)
        is_newer = self._numbers[at] == numbers
        found = np.empty((len(numbers), self.dimensions), dtype="<f2")
        found[is_newer] = self._changes["row"][self._at[at[is_newer]]]
        found[~is_newer] = self._rows[numbers[~is_newer]]
        return found

    def search(
        self, vector: NDArray[np.float32], limit: int, allowed: NDArray[np.int64] | None = None
    ) -> list[tuple[int, float]]:
        """Numbers and cosine similarities of the closest rows, best first, of all rows or of the allowed ones.

        Raises SnapshotCorrupt: a similarity is impossible for unit vectors.
        """
        vector = self._checked(vector)
        if limit < 1 or len(self) == 0 or (allowed is not None and len(allowed) == 0):
            return []
        with reading(self.folder):
            if allowed is not None:
                numbers, scores = self._compare(vector, allowed, limit)
            else:
                numbers, scores = self._scanned(vector, limit)
                if self.is_indexed:
                    numbers, scores = self._compare(vector, np.sort(numbers), limit)
            if not (np.abs(scores) <= 1.01).all():
                raise ValueError("vectors are not of length 1")
        order = np.lexsort((numbers, -scores))[:limit]
        return [(int(numbers[i]), float(scores[i])) for i in order]

    def nearest(self, vector: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
        """Numbers of the `limit` closest rows; or, from an index, of several times as many candidates for them."""
        with reading(self.folder):
            return self._scanned(self._checked(vector), limit)[0]

    def _checked(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        vector = np.ascontiguousarray(vector, dtype=np.float32).reshape(-1)
        if vector.shape != (self.dimensions,):
            raise ConfigError(
                f"the query vector has length {vector.size}, but the corpus has vectors of length {self.dimensions}; "
                "use the embedding model that built the corpus"
            )
        return vector

    def _compare(self, vector: NDArray[np.float32], numbers: NDArray[np.int64], limit: int) -> _Scored:
        """The closest of these rows, and perhaps others of them."""
        found = []
        for block in _blocks(numbers):
            at, scores = _searched(self._flat(block), vector, min(limit, len(block)))
            found.append((block[at], scores))
        return np.concatenate([each for each, _ in found]), np.concatenate([each for _, each in found])

    def _scanned(self, vector: NDArray[np.float32], limit: int) -> _Scored:
        """The closest rows with their similarities; of an index, candidates with what it takes them for."""
        with self._opening:  # only once, even if several threads arrive together
            if self._index is None:
                self._index = self._indexed() if self.is_indexed else self._flat(range(len(self)))
                self._newer = self._flat(self._numbers) if self.is_indexed else None
        most = min(limit * self.candidates, len(self))
        numbers, scores = _searched(self._index, vector, most)
        if not self.is_indexed or not self.changed:
            return numbers, scores
        known = (numbers < len(self)) & ~np.isin(numbers, self._numbers)
        at, newer = _searched(self._newer, vector, most)
        numbers, scores = np.concatenate([numbers[known], self._numbers[at]]), np.concatenate([scores[known], newer])
        within = numbers < len(self)
        return numbers[within], scores[within]

    def _flat(self, numbers: Sequence[int] | NDArray[np.int64]) -> Any:
        """Rows to compare all of. FAISS multiplies float16 directly; numpy would convert it to float32 each time."""
        faiss = _faiss()
        index = faiss.IndexScalarQuantizer(self.dimensions, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT)
        index.is_trained = True  # float16 needs no training
        for block in map(self.take, _blocks(numbers)):
            index.add_sa_codes(np.ascontiguousarray(block).view(np.uint8))
        return index

    def _indexed(self) -> Any:
        """Let the index select candidates, to compare with their float16 rows."""
        index = _faiss().read_index(str(self.folder / INDEX_NAME))
        index.nprobe = max(_FEWEST, round(index.nlist * _PROBED))
        return index


def _searched(index: Any, vector: NDArray[np.float32], limit: int) -> _Scored:
    _faiss().omp_set_num_threads(1)  # for one vector, others would only be waited for
    scores, numbers = index.search(vector[None], limit)
    found = numbers[0] >= 0
    return numbers[0][found], scores[0][found]


def write_index(folder: Path, dimensions: int, base: Path | None = None) -> None:
    """Write the index next to the vectors (inverted lists and product quantisation, fast scan).

    It is trained, unless the snapshot in the folder `base`, with the same vectors and fewer, has one to continue.
    """
    faiss = _faiss()
    rows = Vectors(folder, dimensions)
    index = faiss.read_index(str(base / INDEX_NAME)) if base and (base / INDEX_NAME).exists() else None
    if index is None or not len(rows) // _LARGEST_GROWTH <= index.ntotal <= len(rows):
        cells = max(1, min(4096, int(4 * len(rows) ** 0.5)))
        parts = next(size for size in (4, 3, 2, 1) if dimensions % size == 0)
        index = faiss.index_factory(dimensions, f"IVF{cells},PQ{dimensions // parts}x4fs", faiss.METRIC_INNER_PRODUCT)
        sample = np.linspace(0, len(rows) - 1, min(len(rows), cells * _TRAINED_ON), dtype=np.int64)
        index.train(rows.take(sample).astype(np.float32))
    for numbers in _blocks(range(index.ntotal, len(rows))):
        index.add(rows.take(numbers).astype(np.float32))
    with replacing(folder / INDEX_NAME) as unfinished:
        faiss.write_index(index, str(unfinished))


def copy_rows(source: Vectors, target: VectorWriter) -> None:
    """Append the rows of an earlier snapshot, except those that `target` already has."""
    for block in _blocks(range(target.rows, len(source))):
        target.append(source.take(block))


def _blocks(numbers: Sequence[int] | NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    firsts = range(0, len(numbers), _BLOCK)
    return (np.asarray(numbers[first : first + _BLOCK], dtype=np.int64) for first in firsts)


def _mapped(path: Path, kind: np.dtype[Any]) -> NDArray[Any]:
    """The rows of a file; none if it is empty, which cannot be mapped, or is not there."""
    return np.memmap(path, dtype=kind, mode="r") if path.exists() and path.stat().st_size else np.empty(0, dtype=kind)


def _faiss() -> Any:
    try:
        import faiss
    except ImportError:
        raise ConfigError('vector search needs the extra "dense"; run: pip install "medground[dense]"') from None
    return faiss
