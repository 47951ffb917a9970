"""The vectors of a snapshot: a plain file with one float16 row per passage, and an index if there are many."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medground.corpus.faults import reading
from medground.errors import ConfigError
from medground.home.files import replacing

FILE_NAME = "vectors.f16"
INDEX_NAME = "vectors.faiss"
EXACT_LIMIT = 100_000
"""Up to this many passages, every vector is compared; above it, an index selects the candidates to compare."""
_BLOCK = 8192
_CANDIDATES = 20
"""Candidates from the index per hit requested."""
_PROBED = 0.1
"""Share of the index's cells that is searched."""
_TRAINED_ON = 64
"""Training vectors per cell of the index."""


class VectorWriter:
    """Appends rows to the file. An interrupted build resumes after the rows that are known to be `synced`: what the
    file holds beyond them is dropped.
    """

    def __init__(self, folder: Path, dimensions: int, synced: int) -> None:
        self._path = folder / FILE_NAME
        self._dimensions = dimensions
        row = 2 * dimensions
        size = self._path.stat().st_size if self._path.exists() else 0
        self._file = self._path.open("ab")
        self.rows = min(size // row, synced)
        self._file.truncate(self.rows * row)

    def append(self, vectors: NDArray[np.floating[Any]]) -> None:
        """Add rows, shape (n, dimensions)."""
        check_vectors(vectors, self._dimensions)
        self._file.write(np.ascontiguousarray(vectors, dtype="<f2").tobytes())
        self._file.flush()
        self.rows += len(vectors)

    def sync(self) -> None:
        """Flush the rows to disk, so that they survive a power failure."""
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def check_vectors(vectors: NDArray[np.floating[Any]], dimensions: int) -> None:
    """Check what a model gave. Raises ConfigError: the vectors are not finite, or do not have this length."""
    if vectors.ndim != 2 or vectors.shape[1] != dimensions or not np.isfinite(vectors).all():
        raise ConfigError(f"the embedding model gave no finite vectors of length {dimensions}; use another model")


_Scored = tuple[NDArray[np.int64], NDArray[np.float32]]
_Scan = Callable[[NDArray[np.float32], int], _Scored]
"""Finds the rows closest to a vector."""


class Vectors:
    """Finished vectors, mapped into memory. Cosine similarity is the dot product of unit rows.

    Raises SnapshotCorrupt: the file has changed since the build.
    """

    def __init__(self, folder: Path, dimensions: int) -> None:
        self._folder = folder
        self.dimensions = dimensions
        with reading(folder):
            path = folder / FILE_NAME
            # An empty file cannot be mapped.
            flat = np.memmap(path, dtype="<f2", mode="r") if path.stat().st_size else np.empty(0, dtype="<f2")
            self._rows: NDArray[np.float16] = flat.reshape(-1, dimensions)
        self._scan: _Scan | None = None
        self._opening = threading.Lock()

    def __len__(self) -> int:
        return len(self._rows)

    def take(self, numbers: NDArray[np.int64]) -> NDArray[np.float16]:
        """Rows by number, in memory."""
        return np.asarray(self._rows[numbers])

    def search(
        self, vector: NDArray[np.float32], limit: int, allowed: NDArray[np.int64] | None = None
    ) -> list[tuple[int, float]]:
        """Numbers and cosine similarities of the closest rows, best first, of all rows or of the allowed ones.

        Raises SnapshotCorrupt: a similarity is impossible for unit vectors.
        """
        vector = np.ascontiguousarray(vector, dtype=np.float32).reshape(-1)
        if vector.shape != (self.dimensions,):
            raise ConfigError(
                f"the query vector has length {vector.size}, but the corpus has vectors of length {self.dimensions}; "
                "use the embedding model that built the corpus"
            )
        if limit < 1 or len(self) == 0 or (allowed is not None and len(allowed) == 0):
            return []
        with reading(self._folder):
            if allowed is not None:
                numbers, scores = self._compare(vector, allowed)
            else:
                with self._opening:  # only once, even if several threads arrive together
                    if self._scan is None:
                        self._scan = self._indexed() if (self._folder / INDEX_NAME).exists() else self._exact()
                numbers, scores = self._scan(vector, min(limit, len(self)))
            if not (np.abs(scores) <= 1.01).all():
                raise ValueError("vectors are not of length 1")
        order = np.lexsort((numbers, -scores))[:limit]
        return [(int(numbers[i]), float(scores[i])) for i in order]

    def _compare(self, vector: NDArray[np.float32], numbers: NDArray[np.int64]) -> _Scored:
        blocks = [numbers[first : first + _BLOCK] for first in range(0, len(numbers), _BLOCK)]
        return numbers, np.concatenate([self._rows[block].astype(np.float32) @ vector for block in blocks])

    def _exact(self) -> _Scan:
        """Compare with every row. FAISS multiplies float16 directly; numpy would convert it to float32 each time."""
        faiss = _faiss()
        index = faiss.IndexScalarQuantizer(self.dimensions, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT)
        index.is_trained = True  # float16 needs no training
        for first in range(0, len(self), _BLOCK):
            index.add_sa_codes(np.ascontiguousarray(self._rows[first : first + _BLOCK]).view(np.uint8))

        def scan(vector: NDArray[np.float32], limit: int) -> _Scored:
            scores, numbers = index.search(vector[None], limit)
            return numbers[0], scores[0]

        return scan

    def _indexed(self) -> _Scan:
        """Let the index select candidates, then compare with their float16 rows."""
        faiss = _faiss()
        index = faiss.read_index(str(self._folder / INDEX_NAME))
        index.nprobe = max(1, round(index.nlist * _PROBED))

        def scan(vector: NDArray[np.float32], limit: int) -> _Scored:
            _, numbers = index.search(vector[None], min(limit * _CANDIDATES, len(self)))
            return self._compare(vector, np.sort(numbers[0][numbers[0] >= 0]))

        return scan


def write_index(folder: Path, dimensions: int) -> None:
    """Train the index and write it next to the vectors (inverted lists and product quantisation, fast scan)."""
    faiss = _faiss()
    rows = Vectors(folder, dimensions)
    cells = max(1, min(4096, int(4 * len(rows) ** 0.5)))
    parts = next(size for size in (4, 3, 2, 1) if dimensions % size == 0)
    index = faiss.index_factory(dimensions, f"IVF{cells},PQ{dimensions // parts}x4fs", faiss.METRIC_INNER_PRODUCT)
    sample = np.linspace(0, len(rows) - 1, min(len(rows), cells * _TRAINED_ON), dtype=np.int64)
    index.train(rows.take(sample).astype(np.float32))
    for numbers in _blocks(range(len(rows))):
        index.add(rows.take(numbers).astype(np.float32))
    with replacing(folder / INDEX_NAME) as unfinished:
        faiss.write_index(index, str(unfinished))


def copy_rows(source: Vectors, numbers: Iterable[int], target: VectorWriter) -> None:
    """Append rows of an earlier snapshot, except those that `target` already has."""
    skip = target.rows
    for block in _blocks(numbers):
        if skip < len(block):
            target.append(source.take(block[skip:]))
        skip = max(0, skip - len(block))


def _blocks(numbers: Iterable[int]) -> Iterator[NDArray[np.int64]]:
    block: list[int] = []
    for number in numbers:
        block.append(number)
        if len(block) == _BLOCK:
            yield np.array(block, dtype=np.int64)
            block = []
    if block:
        yield np.array(block, dtype=np.int64)


def _faiss() -> Any:
    try:
        import faiss
    except ImportError:
        raise ConfigError('vector search needs the extra "dense"; run: pip install "medground[dense]"') from None
    return faiss
