"""Calibrate a reranker's mean score: `python scripts/train_evidence_score.py --data ../shared/data [--reranker NAME]`.

Reason and Verify rewrites a question when the mean score of its five passages is below 0.5, which only makes sense if
the score does. The keyless reranker's score is the probability that a passage is the one a claim's authors cite, so the
mean of five is near 0.2 even for good passages. A logistic regression on SciFact's training claims therefore maps the
mean to the probability that the five passages include a cited abstract; below 0.5 they more likely do not. The dev
claims are read once, after the fit, to check it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers.base import Input
from medground.corpus.snapshot import Snapshot
from medground.document import Document
from medground.query import Words
from medground.rank.base import Reranker
from medground.rank.rerank import open_reranker

OUT = Path(__file__).parent.parent / "src" / "medground" / "data" / "evidence_scores.json"
CANDIDATES, PASSAGES, THRESHOLD = 20, 5, 0.5


def main() -> None:
    """Fit, evaluate on the dev claims, and write the row of this reranker."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--reranker", default="keyless")
    arguments = parser.parse_args()
    reranker = open_reranker(arguments.reranker, Path())
    if reranker is None:
        raise SystemExit("a reranker is required; choose one with --reranker")
    folder = arguments.data / "scifact"
    with tempfile.TemporaryDirectory() as home:
        library = Library(Path(home))
        stored = documents(folder)
        build(library, "scifact", [Input("scifact", "script", "1", lambda skip: iter(stored[skip:]))])
        with library.open("scifact") as snapshot:
            train = measured(folder, "train", snapshot, reranker)
            dev = measured(folder, "dev", snapshot, reranker)
    model = LogisticRegression(C=1e6).fit(logit(train[0])[:, None], train[1])
    for name, (means, held) in (("train", train), ("dev", dev)):
        predicted = model.predict_proba(logit(means)[:, None])[:, 1]
        low = predicted < THRESHOLD
        print(f"{name}: {len(held)} claims, {held.mean():.1%} include a cited abstract, means {quartiles(means)}")
        print(f"  AUC {roc_auc_score(held, predicted):.3f}, mean of the calibrated score {predicted.mean():.3f}")
        print(f"  below {THRESHOLD}: {low.mean():.1%}, of which {held[low].mean() if low.any() else 0:.1%} include one")
    row = {
        "reranker": arguments.reranker,
        "intercept": round(float(model.intercept_[0]), 4),
        "slope": round(float(model.coef_[0, 0]), 4),
        "fitted_on": "SciFact training claims, BM25 20 candidates, 5 passages",
        "sets": len(train[1]),
    }
    rows = json.loads(OUT.read_text(encoding="utf-8")) if OUT.is_file() else []
    kept = [r for r in rows if r["reranker"] != arguments.reranker]
    OUT.write_text(json.dumps([*kept, row], indent=1) + "\n", encoding="utf-8")
    print(row)


def documents(folder: Path) -> list[Document]:
    """The abstracts."""
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [
            Document(id=f"S2:{r['doc_id']}", title=r["title"], text=" ".join(r["abstract"]))
            for r in map(json.loads, lines)
        ]


def measured(folder: Path, split: str, snapshot: Snapshot, reranker: Reranker) -> tuple[np.ndarray, np.ndarray]:
    """Mean score of each claim's passages, and whether they include a cited abstract; shape (claims,) each."""
    means, held = [], []
    with (folder / f"claims_{split}.jsonl").open(encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            passages = [hit.passage for hit in snapshot.bm25(Words(text=record["claim"]), CANDIDATES)]
            scores = reranker.score(record["claim"], passages)
            best = sorted(range(len(scores)), key=lambda i, s=scores: -s[i])[:PASSAGES]
            cited = {f"S2:{d}" for d in record["cited_doc_ids"]}
            means.append(np.mean([scores[i] for i in best]) if best else 0.0)
            held.append(any(passages[i].document_id in cited for i in best))
    return np.array(means), np.array(held)


def logit(means: np.ndarray) -> np.ndarray:
    """Log-odds of the means."""
    bounded = np.clip(means, 1e-6, 1 - 1e-6)
    return np.log(bounded / (1 - bounded))


def quartiles(means: np.ndarray) -> str:
    """The 5th, 25th, 50th, 75th and 95th percentiles in one line."""
    return " / ".join(f"{q:.3f}" for q in np.percentile(means, [5, 25, 50, 75, 95]))


if __name__ == "__main__":
    main()
