"""The vectors of a snapshot: a plain file with one float16 row per passage, and an index if there are many."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
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
_FEWEST = 16
"""Cells that are searched of a small index."""
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
        self.is_indexed = (folder / INDEX_NAME).exists()
        self._index: Any = None
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
        vector = self._checked(vector)
        if limit < 1 or len(self) == 0 or (allowed is not None and len(allowed) == 0):
            return []
        with reading(self._folder):
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
        with reading(self._folder):
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
        for first in range(0, len(numbers), _BLOCK):
            block = numbers[first : first + _BLOCK]
            at, scores = _searched(self._flat([self._rows[block]]), vector, min(limit, len(block)))
            found.append((block[at], scores))
        return np.concatenate([each for each, _ in found]), np.concatenate([each for _, each in found])

    def _scanned(self, vector: NDArray[np.float32], limit: int) -> _Scored:
        """The closest rows with their similarities; of an index, candidates with what it takes them for."""
        with self._opening:  # only once, even if several threads arrive together
            if self._index is None:
                blocks = range(0, len(self), _BLOCK)
                exact = (self._rows[first : first + _BLOCK] for first in blocks)
                self._index = self._indexed() if self.is_indexed else self._flat(exact)
        return _searched(self._index, vector, min(limit * (_CANDIDATES if self.is_indexed else 1), len(self)))

    def _flat(self, blocks: Iterable[NDArray[np.float16]]) -> Any:
        """Rows to compare all of. FAISS multiplies float16 directly; numpy would convert it to float32 each time."""
        faiss = _faiss()
        index = faiss.IndexScalarQuantizer(self.dimensions, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT)
        index.is_trained = True  # float16 needs no training
        for block in blocks:
            index.add_sa_codes(np.ascontiguousarray(block).view(np.uint8))
        return index

    def _indexed(self) -> Any:
        """Let the index select candidates, to compare with their float16 rows."""
        index = _faiss().read_index(str(self._folder / INDEX_NAME))
        index.nprobe = max(_FEWEST, round(index.nlist * _PROBED))
        return index


def _searched(index: Any, vector: NDArray[np.float32], limit: int) -> _Scored:
    _faiss().omp_set_num_threads(1)  # for one vector, others would only be waited for
    scores, numbers = index.search(vector[None], limit)
    found = numbers[0] >= 0
    return numbers[0][found], scores[0][found]


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
