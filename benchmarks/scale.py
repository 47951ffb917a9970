"""Measures speed and memory on synthetic passages, with bm25s in the same run for comparison.

    python benchmarks/scale.py [--passages 100000] [--queries 200]

Texts of 60 to 110 words are drawn from a Zipf distribution over 50,000 made-up words, one passage per document. Vectors
are random unit vectors of 384 dimensions. Each system runs in its own process. Resident memory is that of the process
after the queries, minus what it was after importing the library.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

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


def questions(count: int, passages: int) -> list[str]:
    """Questions of 5 to 12 random words of the corpus, each at least 5 letters long."""
    chance = random.Random(9)
    words = sorted({w for text in texts(min(2000, passages)) for w in text[:-1].lower().split() if len(w) > 4})
    return [" ".join(chance.choices(words, k=chance.randint(5, 12))) for _ in range(count)]


class RandomVectors:
    """Stands in for a model, so that only the store is timed."""

    name = "random"
    identity = "random@1"
    dimensions = DIMENSIONS

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.random.default_rng(len(texts[0])).standard_normal((len(texts), DIMENSIONS), dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def resident() -> float:
    """Resident memory in megabytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1000
    raise OSError("no VmRSS in /proc/self/status")


def p50(call: Callable[[str], object], asked: Sequence[str]) -> float:
    """Median time of a call in milliseconds."""
    seconds = []
    for question in [*asked[:20], *asked]:
        start = time.perf_counter()
        call(question)
        seconds.append(time.perf_counter() - start)
    return sorted(seconds[20:])[len(asked) // 2] * 1000


def medground_build(folder: Path, count: int, asked: list[str]) -> dict[str, float]:
    from medground.corpus.build import build
    from medground.corpus.library import Library
    from medground.corpus.readers.base import Input
    from medground.values.document import Document

    made = [Document(id=f"X:{n}", text=text, year=1990 + n % 30) for n, text in enumerate(texts(count))]
    source = Input(name="made", reader="made", fingerprint="1", read=lambda skip: iter(made[skip:]))
    start, cpu = time.perf_counter(), time.process_time()
    build(Library(folder), "words", [source])
    taken, worked = time.perf_counter() - start, time.process_time() - cpu
    build(Library(folder), "both", [source], embedder=RandomVectors())
    return {"build": count / taken, "build_cpu": count / worked}


def medground_search(folder: Path, count: int, asked: list[str]) -> dict[str, float]:
    from medground.answering.rank.fuse import fuse
    from medground.corpus.library import Library
    from medground.values.query import Filters, Words

    before = resident()
    start = time.perf_counter()
    words = Library(folder).open("words")
    open_time = (time.perf_counter() - start) * 1000
    ten = p50(lambda q: words.bm25(Words(text=q), 10), asked)
    hundred = p50(lambda q: words.bm25(Words(text=q), 100), asked)
    filtered = p50(lambda q: words.bm25(Words(text=q), 10, Filters(year_from=2000, year_to=2010)), asked)
    alone = resident() - before
    both = Library(folder).open("both")
    vectors = dict(zip(asked, RandomVectors().embed(asked), strict=True))
    hybrid = p50(lambda q: fuse([both.bm25(Words(text=q), 10), both.dense(vectors[q], 10)]), asked)
    deep = p50(lambda q: fuse([both.bm25(Words(text=q), 100), both.dense(vectors[q], 100)]), asked)
    return {
        "open": open_time,
        "p50_10": ten,
        "p50_100": hundred,
        "p50_filtered": filtered,
        "resident": alone,
        "hybrid_10": hybrid,
        "hybrid_100": deep,
        "resident_hybrid": resident() - before,
        "process": resident(),
    }


def bm25s_all(folder: Path, count: int, asked: list[str]) -> dict[str, float]:
    import bm25s

    made = list(texts(count))
    start, cpu = time.perf_counter(), time.process_time()
    index = bm25s.BM25()
    index.index(bm25s.tokenize(made, stopwords="en", show_progress=False), show_progress=False)
    index.save(folder / "bm25s")
    taken, worked = time.perf_counter() - start, time.process_time() - cpu
    return {"build": count / taken, "build_cpu": count / worked}


def bm25s_search(folder: Path, count: int, asked: list[str]) -> dict[str, float]:
    import bm25s

    before = resident()
    start = time.perf_counter()
    index = bm25s.BM25.load(folder / "bm25s")
    open_time = (time.perf_counter() - start) * 1000

    def search(limit: int) -> Callable[[str], object]:
        def one(question: str) -> object:
            words = bm25s.tokenize([question], stopwords="en", show_progress=False)
            return index.retrieve(words, k=limit, show_progress=False)

        return one

    ten, hundred = p50(search(10), asked), p50(search(100), asked)
    return {"open": open_time, "p50_10": ten, "p50_100": hundred, "resident": resident() - before}


JOBS = {job.__name__: job for job in (medground_build, medground_search, bm25s_all, bm25s_search)}
ROWS = {
    "build, passages/s": "build",
    "build, passages per CPU second": "build_cpu",
    "open, ms": "open",
    "BM25 p50, 10 hits, ms": "p50_10",
    "BM25 p50, 100 hits, ms": "p50_100",
    "BM25 p50, 10 hits, years 2000 to 2010, ms": "p50_filtered",
    "hybrid p50, 10 hits of each, ms": "hybrid_10",
    "hybrid p50, 100 hits of each, ms": "hybrid_100",
    "resident, words, MB": "resident",
    "resident, words and vectors, MB": "resident_hybrid",
    "resident, whole process, MB": "process",
}


def run(job: str, folder: Path, options: argparse.Namespace) -> dict[str, float]:
    command = [sys.executable, __file__, "--job", job, "--folder", str(folder)]
    command += ["--passages", str(options.passages), "--queries", str(options.queries)]
    result: dict[str, float] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed and memory.")
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--job", choices=JOBS)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    if options.job:
        asked = questions(options.queries, options.passages)
        print(json.dumps(JOBS[options.job](options.folder, options.passages, asked)))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ours = run("medground_build", folder, options) | run("medground_search", folder, options)
        theirs = run("bm25s_all", folder, options) | run("bm25s_search", folder, options)
    print(f"{options.passages:,} passages, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print("| measure | Medground | bm25s | ratio |")
    print("| --- | --- | --- | --- |")
    for title, key in ROWS.items():
        if key in theirs:
            print(f"| {title} | {ours[key]:,.1f} | {theirs[key]:,.1f} | {ours[key] / theirs[key]:.2f} |")
        else:
            print(f"| {title} | {ours[key]:,.1f} | - | - |")


if __name__ == "__main__":
    main()
