"""Measures the small ranker: quotes on BioASQ, and the order of abstracts on SciFact.

    python benchmarks/ranker.py bioasq DATA HOME BASE_FOLDER --model 0,1=RUN_A/ranker.safetensors --model 2,3,4=...
    python benchmarks/ranker.py scifact DATA HOME BASE_FOLDER --model all=ranker.safetensors

BioASQ (tasks 7b to 9b, hits by words and MiniLM): each question is answered by the model that did not see its fold, and
so are the weights of the linear choice (`scripts/train_reader.py`) that orders the sentences without it; questions of
folds without a model are left out. The ranker reads the first `DEPTH` sentences of that order. Rows: the linear choice,
the ranker, and both: the sum of the two scores, the ranker's times a weight that is chosen on the other folds. Figures
are those of `answers.py`: the first quote is from a paper that experts chose, and an exact answer is in three quotes.
The three quotes here are simply the first three sentences, so the rows are to be compared with each other only.

SciFact: development claims, the first `DEPTH` abstracts of BM25 and MiniLM by RRF, in that order and by the ranker.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from answers import share

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from marked import Marked, build_corpus, holds, lines, plain
from small.judge import Judge
from train_reader import FOLDS, Sample, folds, material

from medground.corpus.embedding import open_embedder
from medground.corpus.library import Library
from medground.query import Words
from medground.quoting.asked import asked
from medground.quoting.features import features
from medground.quoting.model import scored
from medground.rank.fuse import fuse

DEPTH = 20
PENALTY = 6e-3
WEIGHTS = (0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5)


class Pool(NamedTuple):
    """A question's first sentences: title, text and document of each, and the linear score."""

    one: Marked
    texts: Sequence[tuple[str, str]]
    from_gold: Sequence[bool]
    linear: np.ndarray


def pools(data: Path, home: Path, limit: int) -> Iterator[tuple[int, Pool]]:
    """The fold and the pool of some questions, by weights that never saw their fold."""
    embedder = open_embedder("minilm", home, threads=1)
    ours, others = material(data, home, embedder)
    sample = Sample([*ours, *others])
    fold = folds([one for one, _ in sample.kept if one.name == "bioasq"] + ours)
    drawn = {ours[i].id for i in np.random.default_rng(0).permutation(len(ours))[:limit]}
    for number in range(FOLDS):
        weights = sample.fit({group for group, n in fold.items() if n == number}, PENALTY)
        for one in ours:
            if fold[one.group] == number and one.id in drawn and one.candidates:
                yield number, _pool(one, weights)


def _pool(one: Marked, weights: Mapping[str, np.ndarray]) -> Pool:
    scores = scored(features(asked(one.question), one.candidates), weights)
    texts = [(c.title, s) for c in one.candidates for s in c.sentences]
    gold = dict.fromkeys(one.gold, True)
    documents = [d for d, c in zip(one.documents, one.candidates, strict=True) for _ in c.sentences]
    best = np.argsort(-scores)[:DEPTH]
    return Pool(one, [texts[i] for i in best], [documents[i] in gold for i in best], scores[best])


def measured(pool: Sequence[Pool], scores: Sequence[np.ndarray]) -> tuple[list[bool], list[bool]]:
    """Whether each first quote is from a chosen paper, and whether each exact answer is in three quotes."""
    first, exact = [], []
    for one, score in zip(pool, scores, strict=True):
        order = np.argsort(-score, kind="stable")
        first.append(one.from_gold[order[0]])
        if one.one.kind == "factoid" and one.one.answers:
            exact.append(any(holds(plain(one.texts[i][1]), one.one.answers) for i in order[:3]))
    return first, exact


def on_bioasq(data: Path, home: Path, models: Mapping[str, Judge], limit: int) -> None:
    """Print the rows."""
    by_model: dict[str, list[tuple[Pool, np.ndarray]]] = {held: [] for held in models}
    began = pairs = 0.0
    for number, pool in list(pools(data, home, limit)):
        held = next((h for h in models if str(number) in h.split(",")), None)
        if held is None:
            continue
        start = time.perf_counter()
        read = [(f"{title}\n{text}" if title else text, pool.one.question) for title, text in pool.texts]
        by_model[held].append((pool, models[held].logits(read)[:, 0]))
        began, pairs = began + time.perf_counter() - start, pairs + len(read)
    rows: dict[str, tuple[list[bool], list[bool]]] = {name: ([], []) for name in ("linear", "ranker", "both")}
    for held, found in by_model.items():
        rest = [x for other, some in by_model.items() if other != held for x in some]
        best = max(WEIGHTS, key=lambda w: sum(_first(rest, w)))
        print(f"folds {held}: weight {best}, {len(found)} questions")
        ways = {"linear": 0.0, "ranker": math.inf, "both": best}
        for name, weight in ways.items():
            for kept, new in zip(rows[name], _rows(found, weight), strict=True):
                kept += new
    for name, (first, exact) in rows.items():
        print(f"{name:8} first from a chosen paper {share(first)}   exact answer in three {share(exact)}", flush=True)
    print(f"{pairs / began:.0f} pairs/s")


def _rows(found: Sequence[tuple[Pool, np.ndarray]], weight: float) -> tuple[list[bool], list[bool]]:
    scores = [logit if math.isinf(weight) else pool.linear + weight * logit for pool, logit in found]
    return measured([pool for pool, _ in found], scores)


def _first(found: Sequence[tuple[Pool, np.ndarray]], weight: float) -> list[bool]:
    return _rows(found, weight)[0]


def ndcg(ranked: Sequence[str], relevant: frozenset[str], depth: int = 10) -> float:
    """nDCG with binary relevance."""
    gain = sum(1 / math.log2(place + 2) for place, key in enumerate(ranked[:depth]) if key in relevant)
    return gain / sum(1 / math.log2(place + 2) for place in range(min(len(relevant), depth)))


def on_scifact(data: Path, home: Path, model: Judge) -> None:
    """Print the mean nDCG@10 of each order."""
    embedder = open_embedder("minilm", home, threads=1)
    claims = list(lines(data / "scifact" / "claims_dev.jsonl"))
    found: dict[str, list[float]] = {"hybrid": [], "ranker": [], "both": []}
    with Library(home).open(build_corpus("scifact", data, home, embedder)) as snapshot:
        for claim, vector in zip(claims, embedder.embed([c["claim"] for c in claims]), strict=True):
            relevant = frozenset(f"SCIFACT:{d}" for d in claim["cited_doc_ids"])
            hits = fuse([snapshot.bm25(Words(text=claim["claim"]), 100), snapshot.dense(vector, 100)])
            first = {hit.passage.document_id: hit.passage for hit in reversed(list(hits)[:DEPTH])}
            ids = list(dict.fromkeys(hit.passage.document_id for hit in list(hits)[:DEPTH]))
            logits = model.logits([(f"{first[i].title}\n{first[i].text}", claim["claim"]) for i in ids])[:, 0]
            places = np.arange(len(ids))
            orders = {"hybrid": places, "ranker": np.argsort(-logits)}
            orders["both"] = np.argsort(-(1 / (10 + places) + 1 / (10 + np.argsort(orders["ranker"]))))
            for name, order in orders.items():
                found[name].append(ndcg([ids[i] for i in order], relevant))
    for name, values in found.items():
        spread = 1.96 * np.std(values) / math.sqrt(len(values))
        print(f"{name:8} nDCG@10 {np.mean(values):.4f} (± {spread:.3f}), {len(values)} claims", flush=True)


def main() -> None:
    """Print the rows of one set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=("bioasq", "scifact"))
    parser.add_argument("data", type=Path)
    parser.add_argument("home", type=Path)
    parser.add_argument("base", type=Path)
    parser.add_argument("--model", action="append", required=True, help="FOLDS=FILE")
    parser.add_argument("--limit", type=int, default=400, help="BioASQ questions, chosen at random")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    named = dict(text.split("=", 1) for text in arguments.model)
    models = {held: Judge(Path(path), arguments.base) for held, path in named.items()}
    if arguments.set == "bioasq":
        on_bioasq(arguments.data, arguments.home, models, arguments.limit)
    else:
        on_scifact(arguments.data, arguments.home, next(iter(models.values())))


if __name__ == "__main__":
    main()
