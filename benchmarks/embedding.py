"""Compares MiniLM in int8 and float32 on onnxruntime with float32 on torch: speed, and the quality lost by int8.

    python benchmarks/embedding.py SCIFACT_FOLDER [--threads 2] [--passages 96] [--corpus 800]

Speed: passages per wall second and per CPU second on the same SciFact abstracts. The engines take turns, so that a busy
machine slows all of them alike. Quality: dense search over the abstracts that a dev claim cites, plus others up to
`--corpus`. nDCG@10 is higher than on the whole corpus, so only the difference between the two rows is meaningful.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from medground.home.settings import Settings
from medground.models.catalogue import MINILM
from medground.models.embedders import open_embedder
from medground.models.wheels import require

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
ROUND = 16


def read_scifact(folder: Path) -> tuple[dict[str, str], dict[str, str], dict[str, set[str]]]:
    """Documents and dev claims by id, and the documents that each claim cites."""
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    documents = {str(r["doc_id"]): f"{r['title']} {' '.join(r['abstract'])}" for r in records}
    with (folder / "claims_dev.jsonl").open(encoding="utf-8") as lines:
        claims = {str(r["id"]): r["claim"] for r in map(json.loads, lines)}
    cited: dict[str, set[str]] = defaultdict(set)
    for line in (folder / "qrels_dev.tsv").read_text().splitlines():
        claim, *_, document, relevance = line.split("\t")
        if relevance.isdigit() and int(relevance) > 0:
            cited[claim].add(document)
    return documents, claims, {claim: cited[claim] for claim in claims if cited[claim]}


def engines(home: Path, threads: int) -> dict[str, Embed]:
    found: dict[str, Embed] = {
        "onnxruntime int8": open_embedder("minilm", home, threads=threads).embed,
        "onnxruntime fp32": open_embedder("minilm-fp32", home, threads=threads).embed,
    }
    folder = require(MINILM, home / "models")
    if importlib.util.find_spec("sentence_transformers") is not None:
        import torch
        from sentence_transformers import SentenceTransformer

        torch.set_num_threads(threads)
        model = SentenceTransformer(str(folder))
        model.max_seq_length = 256
        found["torch fp32"] = lambda texts: np.asarray(
            model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
        )
    return found


def speed(found: dict[str, Embed], texts: list[str]) -> None:
    wall: dict[str, float] = dict.fromkeys(found, 0.0)
    cpu: dict[str, float] = dict.fromkeys(found, 0.0)
    vectors: dict[str, list[NDArray[np.float32]]] = {name: [] for name in found}
    for embed in found.values():
        embed(texts[:2])
    for start in range(0, len(texts), ROUND):
        for name, embed in found.items():
            began, used = time.perf_counter(), time.process_time()
            vectors[name].append(embed(texts[start : start + ROUND]))
            wall[name] += time.perf_counter() - began
            cpu[name] += time.process_time() - used
    exact = np.vstack(vectors["onnxruntime fp32"])
    slowest = max(wall.values())
    print(f"{'engine':<20}{'passages/s':>12}{'per CPU s':>12}{'ratio':>8}{'cosine to fp32: mean':>22}{'least':>8}")
    for name in found:
        cosine = (np.vstack(vectors[name]) * exact).sum(1)
        row = f"{name:<20}{len(texts) / wall[name]:>12.1f}{len(texts) / cpu[name]:>12.1f}{slowest / wall[name]:>8.2f}"
        print(f"{row}{cosine.mean():>22.4f}{cosine.min():>8.4f}", flush=True)


def quality(embed: Embed, documents: dict[str, str], claims: dict[str, str], cited: dict[str, set[str]]) -> list[float]:
    """nDCG@10 of every claim."""
    ids = np.array(list(documents))
    vectors = embed(list(documents.values()))
    scores = embed([claims[claim] for claim in cited]) @ vectors.T
    return [
        ndcg(ids[np.argsort(-row, kind="stable")[:10]].tolist(), wanted)
        for row, wanted in zip(scores, cited.values(), strict=True)
    ]


def ndcg(ranked: list[str], wanted: set[str]) -> float:
    gain = sum(1 / np.log2(rank + 2) for rank, document in enumerate(ranked) if document in wanted)
    return float(gain / sum(1 / np.log2(rank + 2) for rank in range(min(len(wanted), len(ranked)))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scifact", type=Path)
    parser.add_argument("--threads", type=int, default=2, help="threads inside one operation")
    parser.add_argument("--passages", type=int, default=96)
    parser.add_argument("--corpus", type=int, default=800)
    options = parser.parse_args()
    documents, claims, cited = read_scifact(options.scifact)
    found = engines(Settings().home, options.threads)
    print(f"threads inside one operation: {options.threads}; {options.passages} SciFact abstracts, at most 256 tokens")
    speed(found, list(documents.values())[: options.passages])
    needed = set().union(*cited.values())
    others = [document for document in documents if document not in needed]
    kept = {d: documents[d] for d in [*sorted(needed), *others[: max(0, options.corpus - len(needed))]]}
    print(f"\ndense search, {len(kept)} abstracts, {len(cited)} dev claims")
    rows = {name: quality(found[name], kept, claims, cited) for name in ("onnxruntime fp32", "onnxruntime int8")}
    for name, values in rows.items():
        print(f"{name:<20} nDCG@10 {np.mean(values):.4f}")
    differences = np.subtract(rows["onnxruntime int8"], rows["onnxruntime fp32"])
    mean, half = differences.mean(), 1.96 * differences.std(ddof=1) / len(differences) ** 0.5
    print(f"{'int8 - fp32':<20} {mean:+.4f} (95 % interval {mean - half:+.4f} to {mean + half:+.4f})")


if __name__ == "__main__":
    main()
