"""Measures retrieval on SciFact dev and PubMedQA, with bm25s in the same run for comparison.

    python benchmarks/retrieval.py [--data ../shared/data] [--embed minilm|none]

SciFact: 300 claims, 5,183 abstracts; document-level nDCG@10 and recall@100 of the cited abstracts. PubMedQA: each of
1,000 questions against all abstracts; recall@1 of its own abstract. The title of a PubMedQA record is the question
itself, so only the rows without titles are meaningful.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import bm25s

from medground.answering.rank.fuse import fuse
from medground.corpus.build import build
from medground.corpus.embedder import Embedder
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.corpus.readers.base import Input, Item
from medground.corpus.snapshot import Snapshot
from medground.home.settings import Settings
from medground.models.embedders import open_embedder
from medground.values.document import Document, Hit
from medground.values.query import Words

DEPTH = 200
Search = Callable[[str], list[str]]
"""Maps a question to document ids, best first."""


def documents_of(hits: Sequence[Hit]) -> list[str]:
    return list(dict.fromkeys(hit.passage.document_id for hit in hits))


def ndcg(ranked: Sequence[str], relevant: set[str], depth: int = 10) -> float:
    gain = sum(1 / math.log2(i + 2) for i, document in enumerate(ranked[:depth]) if document in relevant)
    return gain / sum(1 / math.log2(i + 2) for i in range(min(depth, len(relevant))))


def recall(ranked: Sequence[str], relevant: set[str], depth: int) -> float:
    return len(set(ranked[:depth]) & relevant) / len(relevant)


def searches(snapshot: Snapshot, embedder: Embedder | None) -> dict[str, Search]:
    """The search methods for one snapshot."""

    def bm25(text: str) -> list[str]:
        return documents_of(snapshot.bm25(Words(text=text), DEPTH))

    if embedder is None:
        return {"Medground BM25": bm25}
    model = embedder

    def dense(text: str) -> list[str]:
        return documents_of(snapshot.dense(model.embed([text])[0], DEPTH))

    def hybrid(text: str) -> list[str]:
        near = snapshot.dense(model.embed([text])[0], DEPTH)
        return documents_of(fuse([snapshot.bm25(Words(text=text), DEPTH), near]))

    return {"Medground BM25": bm25, f"Medground dense ({model.name})": dense, "Medground hybrid (RRF, K = 60)": hybrid}


def peer(documents: Sequence[Document]) -> Search:
    """bm25s with its own English stop words, over whole records."""
    index = bm25s.BM25()
    texts = [f"{d.title} {d.text}" for d in documents]
    index.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)
    ids = [d.id for d in documents]

    def search(text: str) -> list[str]:
        words = bm25s.tokenize([text], stopwords="en", show_progress=False)
        found, _ = index.retrieve(words, k=min(DEPTH, len(ids)), show_progress=False)
        return [ids[i] for i in found[0]]

    return search


def without_titles(source: Input) -> Input:
    """The same input without titles."""

    def read(skip: int) -> Iterator[Item]:
        for item in source.read(skip):
            yield item.model_copy(update={"title": ""}) if isinstance(item, Document) else item

    return replace(source, fingerprint=f"{source.fingerprint} without titles", read=read)


def opened(library: Library, name: str, inputs: Sequence[Input], embedder: Embedder | None) -> Snapshot:
    build(library, name, inputs, embedder=embedder)
    return library.open(name)


def scifact(data: Path, library: Library, embedder: Embedder | None) -> Iterator[str]:
    snapshot = opened(library, "scifact", find_inputs([data / "scifact" / "corpus.jsonl.gz"]), embedder)
    documents = list(snapshot.all_documents())
    by_number = {d.id.rpartition(":")[2]: d.id for d in documents}
    relevant: dict[str, set[str]] = defaultdict(set)
    with (data / "scifact" / "qrels_dev.tsv").open(encoding="utf-8") as lines:
        for row in csv.reader(lines, delimiter="\t"):
            if row[1] in by_number:
                relevant[row[0]].add(by_number[row[1]])
    claims = read_claims(data / "scifact" / "claims_dev.jsonl")
    counts = snapshot.manifest.counts
    yield f"SciFact dev: {len(relevant)} claims, {counts.documents} documents, {counts.passages} passages"
    yield ""
    yield "| system | nDCG@10 | recall@10 | recall@100 |"
    yield "| --- | --- | --- | --- |"
    for name, search in {**searches(snapshot, embedder), "bm25s": peer(documents)}.items():
        found = {number: search(claims[number]) for number in relevant}
        row = (
            mean(ndcg(found[n], relevant[n]) for n in relevant),
            mean(recall(found[n], relevant[n], 10) for n in relevant),
            mean(recall(found[n], relevant[n], 100) for n in relevant),
        )
        yield f"| {name} | {row[0]:.3f} | {row[1]:.3f} | {row[2]:.3f} |"


def read_claims(path: Path) -> Mapping[str, str]:
    with path.open(encoding="utf-8") as lines:
        return {str(record["id"]): record["claim"] for record in map(json.loads, lines)}


def pubmedqa(data: Path, library: Library, embedder: Embedder | None) -> Iterator[str]:
    inputs = find_inputs([data / "pubmedqa" / "pqa_l.jsonl.gz"])
    whole = opened(library, "pubmedqa", inputs, embedder)
    bare = opened(library, "pubmedqa-bare", [without_titles(i) for i in inputs], embedder)
    questions = {d.id: d.title for d in whole.all_documents()}
    yield f"PubMedQA: {len(questions)} questions, own abstract among {whole.manifest.counts.documents}"
    yield ""
    yield "| system | searched | recall@1 | recall@10 |"
    yield "| --- | --- | --- | --- |"
    for searched, snapshot in (("title = question, and text", whole), ("text only", bare)):
        ways = {**searches(snapshot, embedder), "bm25s": peer(list(snapshot.all_documents()))}
        for name, search in ways.items():
            found = {document: search(question) for document, question in questions.items()}
            row = [mean(recall(found[d], {d}, depth) for d in questions) for depth in (1, 10)]
            yield f"| {name} | {searched} | {row[0]:.3f} | {row[1]:.3f} |"


def mean(values: Iterator[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers)


def main() -> None:
    parser = argparse.ArgumentParser(description="Retrieval quality.")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--embed", default="minilm")
    options = parser.parse_args()
    embedder = None if options.embed == "none" else open_embedder(options.embed, Settings.load().home)
    with tempfile.TemporaryDirectory() as folder:
        for table in (scifact, pubmedqa):
            for line in table(options.data, Library(Path(folder)), embedder):
                print(line, flush=True)
            print()


if __name__ == "__main__":
    main()
