"""What it takes to add one record to a corpus, to revise one, and to open it then, as the corpus grows.

    python benchmarks/growth_add.py [--passages 40000 400000] [--vectors] [--keep FOLDER]

Texts of 60 to 110 words are drawn from a Zipf distribution over 50,000 made-up words, one passage per record; vectors
are random. Written is what the new snapshot does not share with the one before.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from medground.corpus.build import add, build
from medground.corpus.library import Library
from medground.corpus.readers.base import Input
from medground.values.document import Document

WORDS = 50_000
DIMENSIONS = 384


def texts(count: int) -> Iterator[str]:
    """Deterministic passages."""
    chance = np.random.default_rng(7)
    letters = random.Random(7)
    vocabulary = ["".join(letters.choices("abcdefghilmnoprstu", k=letters.randint(4, 11))) for _ in range(WORDS)]
    for _ in range(count):
        ranks = np.minimum(chance.zipf(1.15, chance.integers(60, 110)), WORDS) - 1
        yield " ".join(vocabulary[i] for i in ranks).capitalize() + "."


class RandomVectors:
    """Stands in for a model, so that only the store is timed."""

    name = "random"
    identity = "random@1"
    dimensions = DIMENSIONS

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.random.default_rng(len(texts[0])).standard_normal((len(texts), DIMENSIONS), dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def made(documents: Sequence[Document] | int, name: str) -> Input:
    def read(skip: int) -> Iterator[Document]:
        if isinstance(documents, int):
            for number, text in islice(enumerate(texts(documents)), skip, None):
                yield Document(id=f"PMID:{number + 1}", text=text, year=1990 + number % 30)
        else:
            yield from documents[skip:]

    return Input(name=name, reader="made", fingerprint="1", read=read)


def written(folder: Path) -> int:
    """Bytes of the files of a snapshot that no other shares."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and path.stat().st_nlink == 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, nargs="*", default=[40_000, 400_000])
    parser.add_argument("--vectors", action="store_true")
    parser.add_argument("--keep", type=Path, help="a folder for the corpora, used again if it has them")
    options = parser.parse_args()
    embedder = RandomVectors() if options.vectors else None
    print("| passages | change | s | CPU s | MB written | open, s |")
    with tempfile.TemporaryDirectory() as scratch:
        for count in options.passages:
            library = Library((options.keep or Path(scratch)) / f"{count}{'v' * options.vectors}")
            if not library.has("c"):
                build(library, "c", [made(count, "all")], embedder=embedder)
            library.open("c").close()
            for at in range(3):
                stamp = time.time_ns()
                for what, name in (("a new record", f"X:{stamp}"), ("a revision", f"PMID:{count // 2 + at}")):
                    record = [Document(id=name, text=f"A record of {what} about statins.")]
                    start, cpu = time.perf_counter(), time.process_time()
                    add(library, "c", [made(record, f"{what}{stamp}")], embedder=embedder)
                    taken, worked = time.perf_counter() - start, time.process_time() - cpu
                    start = time.perf_counter()
                    library.open("c").close()
                    opened, size = time.perf_counter() - start, written(library.current("c")) / 1e6
                    print(
                        f"| {count:,} | {what} | {taken:.2f} | {worked:.2f} | {size:.1f} | {opened:.3f} |", flush=True
                    )
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
