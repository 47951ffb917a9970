"""Train the keyless critic's probability: `python scripts/train_keyless_critic.py --data ../shared/data`.

Reads only SciFact's 809 training claims and the abstracts they cite. A pair is evidence if the abstract supports or
contradicts the claim. Every pair is used twice: with the whole abstract, and with a short quote as in answers (the
rationale sentences, or without evidence the sentence nearest to the claim, which is the hardest quote). The penalty is
chosen by cross-validation that keeps all pairs of a claim in one fold. The threshold keeps `KEPT` of the pairs with
evidence, by the same held-out probabilities. The same data and versions give the same weights.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import GroupKFold

from medground.models.operators.compare import Sentence, Statement, features, nearest, read_statement, sentences

OUT = Path(__file__).parent.parent / "src" / "medground" / "data" / "keyless_critic.json"
FOLDS = 10
PENALTIES = (0.03, 0.1, 0.3, 1.0, 3.0)
"""Inverse penalty strengths to try."""
KEPT = 0.95

Pair = tuple[str, int, bool, dict[str, float]]
"""Form of the premise, claim, whether it is evidence, features."""


def pairs(folder: Path) -> Iterator[Pair]:
    """Every training claim with each abstract it cites, in both forms."""
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
        corpus = {str(record["doc_id"]): record["abstract"] for record in map(json.loads, file)}
    for line in (folder / "claims_train.jsonl").read_text(encoding="utf-8").splitlines():
        claim = json.loads(line)
        for document in dict.fromkeys((*map(str, claim["cited_doc_ids"]), *claim["evidence"])):
            abstract = [" ".join(sentence.split()) for sentence in corpus[document]]
            stated, whole = read_statement(claim["claim"]), sentences(" ".join(abstract))
            evidence = claim["evidence"].get(document)
            yield "abstract", claim["id"], bool(evidence), features(stated, whole)
            short = quote(stated, whole, abstract, evidence)
            yield "quote", claim["id"], bool(evidence), features(stated, short)


def quote(
    claim: Statement, whole: Sequence[Sentence], abstract: Sequence[str], evidence: list[dict[str, Any]] | None
) -> Sequence[Sentence]:
    """The first rationale of a pair, or the nearest sentence if there is none."""
    if not evidence:
        return (whole[nearest(claim, whole)],)
    return sentences(" ".join(abstract[i] for i in evidence[0]["sentences"] if i < len(abstract)))


def held_out(x: np.ndarray, y: np.ndarray, claims: Sequence[int], penalty: float) -> np.ndarray:
    """The probability of each pair, from a model that has not seen its claim."""
    found = np.zeros(len(y))
    for train, held in GroupKFold(FOLDS).split(x, y, claims):
        found[held] = fit(x[train], y[train], penalty).predict_proba(x[held])[:, 1]
    return found


def fit(x: np.ndarray, y: np.ndarray, penalty: float) -> LogisticRegression:
    """Fit the logistic model."""
    return LogisticRegression(C=penalty, max_iter=5000, tol=1e-8).fit(x, y)


def main() -> None:
    """Train and write `keyless_critic.json`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    read = list(pairs(parser.parse_args().data / "scifact"))
    names = list(read[0][3])
    x = np.array([[seen[name] for name in names] for *_, seen in read])
    y = np.array([evidence for _, _, evidence, _ in read])
    claims = [claim for _, claim, _, _ in read]
    tried = {penalty: held_out(x, y, claims, penalty) for penalty in PENALTIES}
    best = min(PENALTIES, key=lambda penalty: log_loss(y, tried[penalty]))
    chances = tried[best]
    forms = np.array([form for form, *_ in read])
    final = fit(x, y, best)
    about = {
        "about": "weights of medground.models.operators.compare; made by scripts/train_keyless_critic.py",
        "trained on": {
            "SciFact training claims": len(set(claims)),
            "pairs, each as abstract and as quote": len(read) // 2,
            "of them evidence": int(y.sum()) // 2,
        },
        "cross-validated": {
            "inverse penalty": best,
            "AUC, abstract": round(float(roc_auc_score(y[forms == "abstract"], chances[forms == "abstract"])), 4),
            "AUC, quote": round(float(roc_auc_score(y[forms == "quote"], chances[forms == "quote"])), 4),
            "log loss": round(float(log_loss(y, chances)), 4),
        },
        "weights": {name: round(float(w), 6) for name, w in zip(names, final.coef_[0], strict=True)},
        "intercept": round(float(final.intercept_[0]), 6),
        "threshold": round(float(np.quantile(chances[y], 1 - KEPT)), 4),
        "scikit-learn": version("scikit-learn"),
    }
    OUT.write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    for penalty, probabilities in tried.items():
        print(f"inverse penalty {penalty:5} log loss {log_loss(y, probabilities):.4f}")
    print(json.dumps(about, indent=2))


if __name__ == "__main__":
    main()
