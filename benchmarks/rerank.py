"""Measures how the keyless reranker changes BM25's order on SciFact: nDCG@10 before and after.

    python benchmarks/rerank.py SCIFACT_FOLDER [--claims dev]

One passage per abstract, the 20 best hits of each claim. The reranker's weights were fitted on the training claims.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import tempfile
from collections.abc import Sequence
from pathlib import Path

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers.base import Input
from medground.document import Document
from medground.query import Words
from medground.rank.keyless import KeylessReranker

DEPTH = 20


def documents(folder: Path) -> list[Document]:
    """The abstracts."""
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [
            Document(id=f"S2:{r['doc_id']}", title=r["title"], text=" ".join(r["abstract"]))
            for r in map(json.loads, lines)
        ]


def claims(folder: Path, name: str) -> list[tuple[str, frozenset[str]]]:
    """Claims, each with the abstracts it cites."""
    with (folder / f"claims_{name}.jsonl").open(encoding="utf-8") as lines:
        return [(r["claim"], frozenset(f"S2:{d}" for d in r["cited_doc_ids"])) for r in map(json.loads, lines)]


def ndcg(ranked: Sequence[str], relevant: frozenset[str], depth: int = 10) -> float:
    """nDCG with binary relevance."""
    gain = sum(1 / math.log2(place + 2) for place, key in enumerate(ranked[:depth]) if key in relevant)
    return gain / sum(1 / math.log2(place + 2) for place in range(min(len(relevant), depth)))


def main() -> None:
    """Print the two rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--claims", choices=("train", "dev"), default="dev")
    arguments = parser.parse_args()
    stored = documents(arguments.folder)
    before, after, changes = [], [], [0, 0]
    with tempfile.TemporaryDirectory() as home:
        library = Library(Path(home))
        source = Input("scifact", "benchmark", "1", lambda skip: iter(stored[skip:]))
        build(library, "scifact", [source], limit=100_000)
        with library.open("scifact") as snapshot:
            for claim, relevant in claims(arguments.folder, arguments.claims):
                passages = [hit.passage for hit in snapshot.bm25(Words(text=claim), DEPTH)]
                scores = KeylessReranker().score(claim, passages)
                order = sorted(range(len(scores)), key=lambda i, s=scores: -s[i])
                before.append(ndcg([p.document_id for p in passages], relevant))
                after.append(ndcg([passages[i].document_id for i in order], relevant))
                changes[0] += after[-1] > before[-1]
                changes[1] += after[-1] < before[-1]
    n = len(before)
    print(f"{n} {arguments.claims} claims, BM25 top {DEPTH}")
    print(f"BM25 order         nDCG@10 {sum(before) / n:.4f}")
    print(f"keyless reranker   nDCG@10 {sum(after) / n:.4f}   better {changes[0]}, worse {changes[1]}")


if __name__ == "__main__":
    main()
