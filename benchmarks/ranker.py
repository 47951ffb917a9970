"""Measures the shipped ranker: which sentence of BioASQ's papers comes first, and the order of SciFact's abstracts.

    python benchmarks/ranker.py DATA HOME FOLDER --held 0 1 [--name ranker] [--limit 1497] [--without-scifact] [--write]

FOLDER holds NAME.safetensors, whose network is made in HOME first. `--held` names the folds of BioASQ that it was not
trained on. HOME keeps the corpora, and has MiniLM in `models`.

BioASQ (tasks 7b to 9b, hits by words and MiniLM): the linear choice (`scripts/train_reader.py`), with weights that did
not see the question's fold, orders the sentences, and the ranker reads the first `SENTENCES` of them. Rows: the linear
choice; the ranker; both, that is the sum of their log-odds, the ranker's times a weight that is chosen on the other
held folds. Figures: the first sentence is from a paper that experts chose; an exact answer is in the first three.

SciFact: development claims, the first `DEPTH` hits of BM25 and MiniLM by RRF; in that order, by the ranker, and by RRF
of the two orders. Intervals are those of the paired difference to the first row, by the bootstrap, added to that row.
`--write` writes the measurements, and the weight that is best on all held folds, into the card.
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
from answers import PENALTY
from numpy.typing import NDArray
from shipped import made, write_card

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from marked import Marked, build_corpus, holds, lines, plain
from train_reader import FOLDS, Sample, folds, material

from medground.corpus.embedding import open_embedder
from medground.corpus.library import Library
from medground.models.pairs.network import PairNetwork
from medground.models.pairs.shipped import Proof
from medground.query import Words
from medground.quoting.asked import asked
from medground.quoting.features import features
from medground.quoting.model import scored
from medground.rank.fuse import fuse
from medground.rank.trained import TrainedReranker
from medground.read.weighed import SENTENCES
from medground.text.prose import is_prose

DEPTH = 40
WEIGHTS = (0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0)
Row = NDArray[np.float64]
"""One figure for each question."""


class Pool(NamedTuple):
    """A question's first sentences: their texts, whether experts chose the paper, and both scores of each."""

    one: Marked
    fold: int
    texts: Sequence[str]
    from_gold: Sequence[bool]
    linear: Row
    odds: Row

    def order(self, weight: float) -> NDArray[np.intp]:
        """The sentences, best first; an infinite weight is the ranker alone."""
        return np.argsort(-(self.odds if math.isinf(weight) else self.linear + weight * self.odds), kind="stable")

    def first(self, weight: float) -> bool:
        """Whether the first sentence is from a chosen paper."""
        return self.from_gold[self.order(weight)[0]]

    def exact(self, weight: float) -> bool:
        """Whether an exact answer is in the first three."""
        return any(holds(plain(self.texts[i]), self.one.answers) for i in self.order(weight)[:3])


def pools(data: Path, home: Path, held: Sequence[int], limit: int, ranker: TrainedReranker) -> Iterator[Pool]:
    """Questions of the held folds, at most `limit` drawn of all questions."""
    embedder = open_embedder("minilm", home, threads=1)
    ours, others = material(data, home, embedder)
    sample = Sample([*ours, *others])
    fold = folds([one for one in ours if len(one.values) and one.values.max() > 0])
    drawn = {ours[i].id for i in np.random.default_rng(0).permutation(len(ours))[:limit]}
    for number in held:
        weights = sample.fit({group for group, n in fold.items() if n == number}, PENALTY)
        for one in ours:
            if fold.get(one.group) == number and one.id in drawn and one.candidates:
                yield _pool(one, number, weights, ranker)


def _pool(one: Marked, fold: int, weights: Mapping[str, Row], ranker: TrainedReranker) -> Pool:
    scores = scored(features(asked(one.question), one.candidates), weights)
    rows = [(d, c.title, s) for d, c in zip(one.documents, one.candidates, strict=True) for s in c.sentences]
    best = [i for i in np.argsort(-scores) if is_prose(rows[i][2])][:SENTENCES]
    odds = ranker.log_odds(one.question, [rows[i][1:] for i in best])
    return Pool(one, fold, [rows[i][2] for i in best], [rows[i][0] in one.gold for i in best],
                scores[best], np.array(odds))  # fmt: skip


def compared(row: Row, without: Row) -> tuple[float, float]:
    """The 95 % interval of a figure: its mean without the ranker and the bootstrap of the paired difference."""
    rng = np.random.default_rng(0)
    difference = row - without
    means = difference[rng.integers(len(row), size=(5000, len(row)))].mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(without.mean() + low), float(without.mean() + high)


def on_bioasq(found: Sequence[Pool]) -> tuple[list[Proof], float]:
    """Print the rows; returns the proof of the sum, and the weight that is best on all questions."""
    held = sorted({pool.fold for pool in found})
    others = {n: [p for p in found if p.fold != n] or list(found) for n in held}
    weight = {n: _best(others[n]) for n in held}
    ways = {"linear": dict.fromkeys(held, 0.0), "ranker": dict.fromkeys(held, math.inf), "both": weight}
    asked_exactly = [p for p in found if p.one.kind == "factoid" and p.one.answers]
    first = {name: np.array([p.first(way[p.fold]) for p in found], float) for name, way in ways.items()}
    exact = {name: np.array([p.exact(way[p.fold]) for p in asked_exactly], float) for name, way in ways.items()}
    print(f"\nBioASQ, folds {held}, weights {weight}\n")
    print(f"| | first from a chosen paper ({len(found)}) | exact answer in three ({len(asked_exactly)}) |")
    print("| --- | --- | --- |")
    for name in ways:
        print(f"| {name} | {_cell(first[name], first['linear'])} | {_cell(exact[name], exact['linear'])} |", flush=True)
    return [
        _proof(f"BioASQ 7b to 9b, held folds, {what}", "sentences", row["both"], row["linear"])
        for what, row in (("first quote from a chosen paper", first), ("exact answer in three", exact))
    ], _best(found)


def _best(found: Sequence[Pool]) -> float:
    return max(WEIGHTS, key=lambda weight: sum(p.first(weight) for p in found) + sum(
        p.exact(weight) for p in found if p.one.kind == "factoid" and p.one.answers))  # fmt: skip


def _cell(row: Row, without: Row) -> str:
    low, high = compared(row, without)
    return f"{row.mean():.3f} ({low:.3f} to {high:.3f})"


def _proof(name: str, of: str, row: Row, without: Row) -> Proof:
    low, high = compared(row, without)
    figures = {"accuracy": float(row.mean()), "low": low, "high": high, "majority": float(without.mean())}
    return Proof.model_validate({"dataset": name, "of": of, "pairs": len(row), **figures})


def ndcg(ranked: Sequence[str], relevant: frozenset[str], depth: int = 10) -> float:
    """nDCG with binary relevance."""
    gain = sum(1 / math.log2(place + 2) for place, key in enumerate(ranked[:depth]) if key in relevant)
    return gain / sum(1 / math.log2(place + 2) for place in range(min(len(relevant), depth)))


def on_scifact(data: Path, home: Path, ranker: TrainedReranker) -> list[Proof]:
    """Print the mean nDCG@10 of each order; returns the proof of the ranker's."""
    embedder = open_embedder("minilm", home, threads=1)
    claims = list(lines(data / "scifact" / "claims_dev.jsonl"))
    found: dict[str, list[float]] = {"hybrid": [], "ranker": [], "both": []}
    with Library(home).open(build_corpus("scifact", data, home, embedder)) as snapshot:
        for claim, vector in zip(claims, embedder.embed([c["claim"] for c in claims]), strict=True):
            relevant = frozenset(f"SCIFACT:{d}" for d in claim["cited_doc_ids"])
            fused = fuse([snapshot.bm25(Words(text=claim["claim"]), 100), snapshot.dense(vector, 100)])
            hits = list(fused)[:DEPTH]
            scores = np.array(ranker.score(claim["claim"], [hit.passage for hit in hits]))
            places, own = np.arange(len(hits)), np.argsort(np.argsort(-scores, kind="stable"))
            ways = {"hybrid": places, "ranker": own, "both": -1 / (10 + places) - 1 / (10 + own)}
            for name, key in ways.items():
                ids = dict.fromkeys(hits[i].passage.document_id for i in np.argsort(key, kind="stable"))
                found[name].append(ndcg(list(ids), relevant))
    rows = {name: np.array(values) for name, values in found.items()}
    print(f"\n| SciFact dev, {len(claims)} claims | nDCG@10 |\n| --- | --- |")
    for name, row in rows.items():
        print(f"| {name} | {_cell(row, rows['hybrid'])} |", flush=True)
    return [_proof("SciFact dev, nDCG@10", "passages", rows["ranker"], rows["hybrid"])]


def main() -> None:
    """Print the rows and write the card."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("home", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--held", type=int, nargs="+", default=list(range(FOLDS)))
    parser.add_argument("--name", default="ranker")
    parser.add_argument("--domain", default="questions about English abstracts")
    parser.add_argument("--licence", default="Apache-2.0")
    parser.add_argument("--limit", type=int, default=10_000, help="BioASQ questions, chosen at random of all")
    parser.add_argument("--without-scifact", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    data, home = arguments.data, arguments.home
    about = f"orders passages and sentences by how well they answer ({arguments.licence})"
    card, folder = made(arguments.folder, arguments.name, home, about, arguments.domain)
    network = PairNetwork.open(arguments.name, folder)
    ranker = TrainedReranker(network, card)
    clock, cpu = time.perf_counter(), time.process_time()
    found = list(pools(data, home, arguments.held, arguments.limit, ranker))
    proofs, mix = on_bioasq(found)
    proofs += [] if arguments.without_scifact else on_scifact(data, home, ranker)
    print(f"\nmix {mix}; {time.perf_counter() - clock:.0f} s, {time.process_time() - cpu:.0f} CPU s")
    if arguments.write:
        write_card(arguments.folder, arguments.name, card.model_copy(update={"mix": mix}), proofs, network)


if __name__ == "__main__":
    main()
