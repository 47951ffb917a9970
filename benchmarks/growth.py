"""Both stores from 10,000 to a million passages, beside raw Tantivy and bm25s: build, disk, memory, searches.

    python benchmarks/growth.py ../shared/data --basis SNAPSHOT/vectors.f16 --folder FOLDER [--size 10000 100000]
        [--solr solr+http://HOST:8983/solr --nodes PID ...] [--only JOB ...]

Passages are made of the sentences of SciFact's abstracts and of BioASQ's snippets, put together anew: a record has as
many sentences as a real abstract, an id of its own, and a year from 1926 to 2025; it is cut as any. Vectors are not
computed from these texts: they are mixtures of MiniLM's of a real corpus (`--basis`), each of two, weighted at random,
with a little noise. Questions are BioASQ's, with their real vectors. The peers index the same passages and are asked
the same questions.

Each job is done by a process of its own, which adds a line to `growth.jsonl` beside this script; a job that is there
is not done again. A cluster must run on this machine, and `--nodes` are its processes:
their CPU time and memory count.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import fmean, quantiles
from typing import Any

import numpy as np
import tantivy
from numpy.typing import NDArray

from medground.answering.rank.fuse import fuse
from medground.corpus.build import build
from medground.corpus.chunk import cuts
from medground.corpus.embedder import embed_queries
from medground.corpus.library import Library
from medground.corpus.readers.base import Input
from medground.corpus.snapshot import Snapshot
from medground.corpus.solr.client import Cluster
from medground.corpus.store import Store
from medground.corpus.vectors import FILE_NAME as VECTORS
from medground.models.embedders import open_embedder
from medground.values.document import Document, Hit
from medground.values.query import Filters, Words
from medground_evaluate.datasets.snippets import golden_files, golden_questions

RESULTS = Path(__file__).with_suffix(".jsonl")
LIMIT, ASKED, WARM = 10, 200, 20
DIMENSIONS, BLOCK = 384, 20_000
FILTERS = {
    "": Filters(),
    ", 30 %": Filters(year_from=1926, year_to=1955),
    ", 1 %": Filters(year_from=1990, year_to=1990),
}
Found = dict[str, Any]


def mixed(basis: NDArray[np.float32], count: int, seed: int) -> NDArray[np.float32]:
    """Mixtures of two rows each."""
    chance = np.random.default_rng(seed)
    one, other = (basis[chance.integers(0, len(basis), count)] for _ in range(2))
    rows = one + other * chance.uniform(0, 0.8, (count, 1)).astype(np.float32)
    rows += 0.01 * chance.standard_normal(rows.shape, dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def best(folder: Path, asked: NDArray[np.float32], allowed: NDArray[np.bool_] | None = None) -> list[list[int]]:
    """The ten closest rows of each question, of all or of the allowed ones."""
    stored = np.memmap(folder / VECTORS, dtype="<f2", mode="r").reshape(-1, DIMENSIONS)
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


class Made:
    """Records of real sentences."""

    def __init__(self, data: Path) -> None:
        with gzip.open(data / "scifact" / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
            papers = [[" ".join(s.split()) for s in json.loads(line)["abstract"]] for line in lines]
        self.lengths = [len(paper) for paper in papers]
        questions = [one for _, file in golden_files(data / "bioasq") for one in golden_questions(file)]
        snippets = [" ".join(s["text"].split()) for one in questions for s in one.get("snippets") or ()]
        self.sentences = [*dict.fromkeys([s for paper in papers for s in paper] + snippets)]
        self.questions = [*dict.fromkeys(str(one["body"]) for one in questions)]
        random.Random(7).shuffle(self.questions)

    def record(self, number: int) -> Document:
        chance = random.Random(number)
        text = " ".join(chance.choices(self.sentences, k=chance.choice(self.lengths)))
        return Document(id=f"PMID:{100_000_000 + number}", text=text, year=1926 + number % 100)

    def count(self, passages: int) -> int:
        """How many records have so many passages."""
        return round(passages / fmean(len([*cuts(self.record(number), 1000)]) for number in range(2000)))


class Mixtures:
    """Stands in for the model, which would take most of the time."""

    name, identity, dimensions = "mixtures", "mixtures@1", DIMENSIONS

    def __init__(self, basis: Path) -> None:
        self._basis = np.fromfile(basis, dtype="<f2").reshape(-1, DIMENSIONS).astype(np.float32)
        self._given = 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self._given += 1
        return mixed(self._basis, len(texts), self._given)


def cpu(nodes: Sequence[int] = ()) -> float:
    """CPU seconds of this process, of those that it waited for, and of the given ones."""
    clocks = (time.clock_gettime((~node << 3) | 2) for node in nodes)  # what Linux calls the CPU clock of a process
    return time.process_time() + sum(os.times()[2:4]) + sum(clocks)


class Meter:
    """Seconds and CPU seconds since the start."""

    def __init__(self, nodes: Sequence[int] = ()) -> None:
        self._nodes, self._began, self._before = nodes, time.perf_counter(), cpu(nodes)

    def read(self) -> tuple[float, float]:
        return time.perf_counter() - self._began, cpu(self._nodes) - self._before


def bytes_of(folder: Path) -> float:
    """Megabytes on disk."""
    files = [folder] if folder.is_file() else folder.rglob("*")
    return sum(path.stat().st_size for path in files if path.is_file()) / 1e6


def asked_of(made: Made, kind: str) -> list[str]:
    """Questions of one kind of search, first those to warm up with. Kinds share none, so no cache answers for them."""
    group = ("words", "vectors", "hybrid").index(kind)
    return made.questions[group * (ASKED + WARM) : (group + 1) * (ASKED + WARM)]


def timed(call: Callable[[Any], Any], asked: Sequence[Any], nodes: Sequence[int] = ()) -> tuple[Found, list[Any]]:
    """Median and 95th percentile of a call in milliseconds, as passed and of CPU time; and what it gave.

    Each is the least of three, as the machine is noisy; a cluster, which keeps what it found, is asked once.
    """
    for one in asked[:WARM]:
        call(one)
    rounds = []
    for _ in range(1 if nodes else 3):
        taken, given = [], []
        for one in asked[WARM:]:
            meter = Meter(nodes)
            given.append(call(one))
            taken.append(meter.read())
        rounds.append(taken)
    least = np.array(rounds).min(axis=0)
    cut = {name: quantiles(times, n=20) for name, times in zip(("", "cpu "), least.T.tolist(), strict=True)}
    places = {"p50": 9, "p95": 18}
    return {f"{n}{p}": round(cut[n][at] * 1000, 3) for n in cut for p, at in places.items()}, given


def held() -> Found:
    """Megabytes of this process: its own, and those of files, which the system may take back."""
    return {kind: resident(kind=kind) for kind in ("RssAnon", "RssFile")}


def library(options: argparse.Namespace) -> Library:
    return Library(options.folder / str(options.size))


def built(options: argparse.Namespace) -> Snapshot:
    return library(options).built("made")


def folder_of(options: argparse.Namespace) -> Path:
    return library(options).current("made")


def embedded_build(options: argparse.Namespace, made: Made) -> Found:
    count, making = made.count(options.size), 0.0

    def read(skip: int) -> Iterator[Document]:
        nonlocal making
        for number in range(skip, count):
            began = time.thread_time()
            record = made.record(number)
            making += time.thread_time() - began
            yield record

    phases: dict[str, float] = {}
    meter = Meter()

    def progress(phase: str, done: int, total: int | None) -> None:
        phases[f"until {phase}"] = meter.read()[1] - making

    source = Input(name="made", reader="made", fingerprint="1", read=read)
    build(library(options), "made", [source], embedder=Mixtures(options.basis), progress=progress)
    wall, used = meter.read()
    snapshot = built(options)
    snapshot, files = built(options), {path.name: bytes_of(path) for path in folder_of(options).iterdir()}
    return {
        "records": snapshot.manifest.counts.documents,
        "characters": sum(map(len, snapshot.passage_texts())),
        "build": {"wall": wall - making, "cpu": used - making, **phases},
        "disk": {"all": sum(files.values()), **files},
    }


def truth(options: argparse.Namespace, made: Made) -> Found:
    """The first ten of vectors and of both, by comparing all vectors: of all, and of those that a filter allows."""
    snapshot, model = built(options), open_embedder("minilm", options.home)
    asked = {kind: asked_of(made, kind) for kind in ("vectors", "hybrid")}
    vectors = {kind: embed_queries(model, questions) for kind, questions in asked.items()}
    keys: dict[str, dict[str, list[list[str]]]] = {"vectors": {}, "hybrid": {}}
    for name, filters in FILTERS.items():
        allowed = np.zeros(snapshot.manifest.counts.passages, dtype=bool)
        allowed[snapshot._lexical.numbers(filters) if name else slice(None)] = True
        for kind, questions in asked.items():
            nearest = best(snapshot.folder, vectors[kind], allowed)
            for question, numbers in zip(questions, nearest, strict=True):
                hits = snapshot._hits("dense", [(number, 0.0) for number in numbers])
                if kind == "hybrid":
                    hits = fuse([snapshot.bm25(Words(text=question), LIMIT, filters), hits])
                keys[kind].setdefault(name, []).append([hit.passage.key for hit in hits[:LIMIT]])
    (options.folder / f"{options.size}.json").write_text(json.dumps(keys))
    np.savez(options.folder / f"{options.size}.npz", **vectors)
    return {}


def searches(store: Store, options: argparse.Namespace, made: Made) -> Found:
    """Words, vectors and both, without a filter and with two, and the share found of what comparing all finds."""
    exact = json.loads((options.folder / f"{options.size}.json").read_text())
    vectors = np.load(options.folder / f"{options.size}.npz")
    found, some = Found(), slice(WARM + options.questions)
    for name, filters in FILTERS.items():

        def words(question: str, filters: Filters = filters) -> Sequence[Hit]:
            return store.bm25(Words(text=question), LIMIT, filters)

        found[f"words{name}"], _ = timed(words, asked_of(made, "words")[some], options.nodes)
    alone = held()
    for name, filters in FILTERS.items() if store.embedding else ():

        def near(vector: NDArray[np.float32], filters: Filters = filters) -> Sequence[Hit]:
            return store.dense(vector, LIMIT, filters)

        def both(asked: tuple[str, NDArray[np.float32]], filters: Filters = filters) -> Sequence[Hit]:
            return fuse([store.bm25(Words(text=asked[0]), LIMIT, filters), store.dense(asked[1], LIMIT, filters)])

        pairs = [*zip(asked_of(made, "hybrid"), vectors["hybrid"], strict=True)]
        for kind, call, asked in (("vectors", near, [*vectors["vectors"]]), ("hybrid", both, pairs)):
            figures, given = timed(call, asked[some], options.nodes)
            shares = [
                len({hit.passage.key for hit in hits[:LIMIT]} & {*ten}) / len(ten)
                for hits, ten in zip(given, exact[kind][name][some][WARM:], strict=True)
            ]
            found[f"{kind}{name}"] = {**figures, "recall": round(fmean(shares), 4)}
    return {**found, "memory": {"words": alone, "both": held()}}


def embedded(options: argparse.Namespace, made: Made) -> Found:
    options.nodes = []
    began = time.perf_counter()
    store = library(options).open("made")
    return {"open": (time.perf_counter() - began) * 1000, **searches(store, options, made)}


def solr_build(options: argparse.Namespace, made: Made, *, words: bool = False) -> Found:
    base, meter = built(options), Meter(options.nodes)
    if words:  # the same snapshot, as if it had no vectors
        base.manifest = base.manifest.model_copy(update={"embedding": None})
    library(options).at(f"{address(options, words)}?shards=1&replicas=1").push(base)
    wall, used = meter.read()
    return {"build": {"wall": wall, "cpu": used, "client": cpu()}}


def solr(options: argparse.Namespace, made: Made, *, words: bool = False) -> Found:
    began = time.perf_counter()
    store = library(options).at(address(options, words)).open()
    opened = (time.perf_counter() - began) * 1000
    found = searches(store, options, made)
    asked = {"group": "core", "prefix": "INDEX.sizeInBytes", "wt": "json"}
    status = Cluster(options.solr, "").ask("admin/metrics", asked)["metrics"]
    name = address(options, words).rpartition("/")[2]
    size = sum(core["INDEX.sizeInBytes"] for place, core in status.items() if f"-{name}.shard" in place)
    memory = sum(resident(node) for node in options.nodes)
    return {"open": opened, **found, "nodes": memory, "disk": {"all": size / 1e6}}


def solr_words_build(options: argparse.Namespace, made: Made) -> Found:
    return solr_build(options, made, words=True)


def solr_words(options: argparse.Namespace, made: Made) -> Found:
    return solr(options, made, words=True)


def address(options: argparse.Namespace, words: bool) -> str:
    return f"{options.solr}/{'words' if words else 'made'}-{options.size}"


def tantivy_index(options: argparse.Namespace) -> tantivy.Index:
    fields = tantivy.SchemaBuilder()
    fields.add_text_field("text", stored=True, tokenizer_name="en_stem")
    fields.add_integer_field("year", indexed=True, fast=True)
    folder = options.folder / f"{options.size}-tantivy"
    folder.mkdir(exist_ok=True)
    return tantivy.Index(fields.build(), path=str(folder))


def tantivy_build(options: argparse.Namespace, made: Made) -> Found:
    rows, meter = passages(options), Meter()
    index = tantivy_index(options)
    writer = index.writer(128_000_000, num_threads=1)
    for text, year in rows:
        writer.add_document(tantivy.Document(text=text, year=year))
    writer.commit()
    writer.wait_merging_threads()
    wall, used = meter.read()
    return {"build": {"wall": wall, "cpu": used}, "disk": {"all": bytes_of(options.folder / f"{options.size}-tantivy")}}


def tantivy_alone(options: argparse.Namespace, made: Made) -> Found:
    found, began = Found(), time.perf_counter()
    index = tantivy_index(options)
    searcher = index.searcher()
    opened = (time.perf_counter() - began) * 1000
    for name, filters in FILTERS.items():
        limits = tantivy.Query.range_query(
            index.schema, "year", tantivy.FieldType.Integer, filters.year_from or 0, filters.year_to or 9999
        )

        def words(question: str, limits: tantivy.Query | None = limits if name else None) -> list[str]:
            query = index.parse_query(" ".join(re.findall(r"\w+", question)), ["text"])
            if limits is not None:
                must = tantivy.Occur.Must
                query = tantivy.Query.boolean_query(
                    [(must, query), (must, tantivy.Query.const_score_query(limits, 0.0))]
                )
            return [searcher.doc(place)["text"][0] for _, place in searcher.search(query, LIMIT, count=False).hits]

        found[f"words{name}"], _ = timed(words, asked_of(made, "words"))
    return {"open": opened, **found, "memory": {"words": held()}}


def bm25s_build(options: argparse.Namespace, made: Made) -> Found:
    import bm25s

    texts, meter = [text for text, _ in passages(options)], Meter()
    index = bm25s.BM25()
    index.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)
    index.save(options.folder / f"{options.size}-bm25s")
    wall, used = meter.read()
    return {"build": {"wall": wall, "cpu": used}, "disk": {"all": bytes_of(options.folder / f"{options.size}-bm25s")}}


def bm25s_alone(options: argparse.Namespace, made: Made) -> Found:
    import bm25s

    began = time.perf_counter()
    index = bm25s.BM25.load(options.folder / f"{options.size}-bm25s")
    opened = (time.perf_counter() - began) * 1000

    def words(question: str) -> object:
        asked = bm25s.tokenize([question], stopwords="en", show_progress=False)
        return index.retrieve(asked, k=LIMIT, show_progress=False)

    found, _ = timed(words, asked_of(made, "words"))
    return {"open": opened, "words": found, "memory": {"words": held()}}


def passages(options: argparse.Namespace) -> Iterator[tuple[str, int]]:
    """Text and year of each passage, as the snapshot has them."""
    snapshot = built(options)
    for first in range(0, snapshot.manifest.counts.passages, 500):
        for one in snapshot.passages(range(first, min(first + 500, snapshot.manifest.counts.passages))):
            yield one.text, 1926 + int(one.document_id[-2:])


OURS = (embedded_build, truth, embedded, solr_build, solr, solr_words_build, solr_words)
PEERS = (tantivy_build, tantivy_alone, bm25s_build, bm25s_alone)
JOBS = {job.__name__: job for job in (*OURS, *PEERS)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--basis", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True, help="for all that is built; 15 GB for a million")
    parser.add_argument("--home", type=Path, default=Path.home() / ".medground", help="has the fetched model minilm")
    parser.add_argument("--size", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--solr")
    parser.add_argument("--nodes", type=int, nargs="*", default=[])
    parser.add_argument("--questions", type=int, default=ASKED, help=f"for each kind of search, at most {ASKED}")
    parser.add_argument("--only", choices=JOBS, nargs="*", default=[*JOBS])
    options = parser.parse_args()
    known = [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []
    measured = {(one["size"], one["job"]) for one in known}
    todo = [(size, job) for size in options.size for job in options.only if (size, job) not in measured]
    for size, job in todo:
        if "solr" in job and not options.solr:
            continue
        if len(todo) > 1:  # each in a process of its own
            again = [sys.executable, *sys.argv, "--size", str(size), "--only", job]
            subprocess.run(again, check=True)
            continue
        options.size, made = size, Made(options.data)
        load, started = os.getloadavg()[0], held()
        print(size, job, flush=True)
        found = JOBS[job](options, made)
        line = {
            "size": size,
            "job": job,
            "load": round(load, 1),
            "peak": resident(kind="VmHWM"),
            "started": started,
            **found,
        }
        with RESULTS.open("a") as file:
            file.write(json.dumps(line, default=float) + "\n")


if __name__ == "__main__":
    main()
