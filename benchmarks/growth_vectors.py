"""Dense search from 100,000 to a million vectors: recall, time, and what a filter costs.

    python benchmarks/growth_vectors.py --basis SNAPSHOT/vectors.f16 [--rows 1000000] [--keep FOLDER]

The rows are made of the real vectors of a corpus (MiniLM, 384 dimensions): each is a mixture of two of them, weighted
at random, with a little noise, so that they lie as real ones do. Questions are mixtures of others. Recall is that of
the ten rows that comparing all gives; the times are medians over 100 questions, on one thread.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from medground.corpus import vectors as tuned
from medground.corpus.vectors import FILE_NAME, INDEX_NAME, Vectors, VectorWriter, write_index

DIMENSIONS = 384
HELD_OUT = 500
BLOCK = 20_000


def mixed(basis: NDArray[np.float32], count: int, seed: int) -> NDArray[np.float32]:
    """Mixtures of two rows each."""
    chance = np.random.default_rng(seed)
    one, other = (basis[chance.integers(0, len(basis), count)] for _ in range(2))
    rows = one + other * chance.uniform(0, 0.8, (count, 1)).astype(np.float32)
    rows += 0.01 * chance.standard_normal(rows.shape, dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def blocks(basis: NDArray[np.float32], rows: int) -> Iterator[NDArray[np.float32]]:
    for at, first in enumerate(range(0, rows, BLOCK)):
        yield mixed(basis, min(BLOCK, rows - first), at)


def p50(call: Callable[[NDArray[np.float32]], object], asked: NDArray[np.float32]) -> float:
    seconds = []
    for vector in asked:
        start = time.perf_counter()
        call(vector)
        seconds.append(time.perf_counter() - start)
    return sorted(seconds)[len(seconds) // 2] * 1000


def best(folder: Path, asked: NDArray[np.float32], allowed: NDArray[np.bool_] | None = None) -> list[list[int]]:
    """The ten closest rows of each question, of all or of the allowed ones."""
    stored = np.memmap(folder / FILE_NAME, dtype="<f2", mode="r").reshape(-1, DIMENSIONS)
    found = [np.empty((len(asked), 0))] * 2
    for first in range(0, len(stored), BLOCK):
        scores = asked @ stored[first : first + BLOCK].astype(np.float32).T
        if allowed is not None:
            scores[:, ~allowed[first : first + BLOCK]] = -2
        top = np.argpartition(-scores, 10, axis=1)[:, :10]
        found = [np.hstack(both) for both in zip(found, (np.take_along_axis(scores, top, 1), top + first), strict=True)]
    order = np.argsort(-found[0], axis=1)[:, :10]
    rows: list[list[int]] = np.take_along_axis(found[1], order, 1).astype(int).tolist()
    return rows


def resident(process: int | str = "self", kind: str = "VmRSS") -> float:
    """Memory of a process in megabytes: what it holds now, or with `VmHWM` the most that it held."""
    lines = (line.split() for line in Path(f"/proc/{process}/status").read_text().splitlines())
    return next(int(line[1]) / 1000 for line in lines if line[0] == f"{kind}:")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--basis", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--keep", type=Path, help="a folder for the vectors and their index, used again if it has them")
    options = parser.parse_args()
    basis = np.fromfile(options.basis, dtype="<f2").reshape(-1, DIMENSIONS).astype(np.float32)
    asked = mixed(basis[:HELD_OUT], 100, 10**6)
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(exist_ok=True)
        if not (folder / INDEX_NAME).exists():
            writer = VectorWriter(folder, DIMENSIONS, 0)
            for block in blocks(basis[HELD_OUT:], options.rows):
                writer.append(block)
            writer.close()
            start, cpu = time.perf_counter(), time.process_time()
            write_index(folder, DIMENSIONS)
            print(f"index: {time.perf_counter() - start:.0f} s, {time.process_time() - cpu:.0f} CPU seconds")
        sizes = [f"{(folder / name).stat().st_size / 1e6:,.0f} MB" for name in (FILE_NAME, INDEX_NAME)]
        print(f"{options.rows:,} rows: {sizes[0]} of vectors, {sizes[1]} of index, load {os.getloadavg()[0]:.1f}")
        true = best(folder, asked)
        before = resident()
        print("| cells searched | candidates | recall@10 | p50, 10 hits, ms |")
        for probed, candidates in ((0.02, 40), (0.05, 40), (0.05, 80), (0.1, 40), (0.1, 80), (0.2, 80)):
            tuned._PROBED, tuned._CANDIDATES = probed, candidates
            search = partial(Vectors(folder, DIMENSIONS).search, limit=10)
            found = [{number for number, _ in search(vector)} for vector in asked]
            recall = sum(len(a & {*b}) for a, b in zip(found, true, strict=True)) / (10 * len(asked))
            print(f"| {probed:.0%} | {candidates} | {recall:.3f} | {p50(search, asked):.2f} |")
        print(f"resident beyond the start: {resident() - before:,.0f} MB")


if __name__ == "__main__":
    main()
