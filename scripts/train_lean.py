"""Train the calibrated lean: `python scripts/train_lean.py --data ../shared/data`.

Reads the 500 records of PubMedQA's training split (276 yes, 169 no, 55 maybe; the official test split has the same
distribution), with their questions and abstract sections without the conclusion; and the labelled evidence spans of
Evidence Inference's training split, which teach what a sentence without a significant difference looks like. Articles
that are also in PubMedQA's test split are left out of the latter.

Everything is chosen by cross-validation within the training split: the block scales and the penalty (`GRID`), the
temperature, and the thresholds below which the lean is `not judged` (the median confidence of held-out folds). Only the
PMIDs of the test split are read here. `benchmarks/lean.py` reads the rest; it was run after everything was chosen, and
nothing was changed afterwards. (It was first run by mistake with outdated weights: 61.6 %, on the surest half 68.0 %,
calibration error 0.074.) The same data and library versions give the same weights.
"""

from __future__ import annotations

import argparse
import gzip
import json
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import product
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from medground.lean.cues import NAMES, last_third
from medground.lean.grams import inverse_frequencies, tfidf
from medground.lean.model import CLASSES, digest, features, softmax
from medground.text.sentences import sentence_spans

OUT = Path(__file__).parent.parent / "src" / "medground" / "data"
NULL_BUCKETS, QUESTION_BUCKETS, TEXT_BUCKETS = 8192, 2048, 4096
FOLDS, REPEATS = 10, 5
GRID = list(product((0.06, 0.12), (1.0, 1.5), (0.5, 1.0)))
"""Scale of the cues, scale of the words, inverse penalty."""
TEMPERATURES = np.linspace(0.6, 1.6, 101)

Weights = dict[str, np.ndarray]


def records(path: Path) -> list[dict]:
    """Records of a gzipped JSON Lines file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def null_model(data: Path, excluded: set[str]) -> tuple[Weights, int]:
    """Weights that detect a sentence without a significant difference, and the number of training spans."""
    texts, labels = [], []
    for prompt in records(data / "evidence_inference" / "prompts_labelled.jsonl.gz"):
        if prompt["split"] == "train" and prompt["pmid"] not in excluded:
            for annotation in prompt["annotations"]:
                span = " ".join(annotation["evidence"].split())
                if annotation["label_code"] in ("-1", "0", "1") and len(span.split()) > 5:
                    texts.append(span)
                    labels.append(annotation["label_code"] == "0")
    idf = inverse_frequencies(texts, NULL_BUCKETS)
    model = LogisticRegression(C=3.0, max_iter=2000).fit(csr_matrix(tfidf(texts, idf)), labels)
    weights = {"null idf": idf, "null coefficients": model.coef_[0], "null intercept": model.intercept_[0]}
    return {name: np.asarray(w) for name, w in weights.items()}, len(texts)


def held_out_logits(x: np.ndarray, y: np.ndarray, penalty: float, seed: int) -> np.ndarray:
    """Logits of each record, from a model that has not seen it; shape (records, 3)."""
    logits = np.zeros((len(y), len(CLASSES)))
    for train, held in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(x, y):
        model = fit(x[train], y[train], penalty)
        logits[held] = model.decision_function(x[held])
    return logits


def rotated(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows in a basis of their own span, and the basis. Gives the same model at a tenth of the cost."""
    left, size, basis = np.linalg.svd(x, full_matrices=False)
    return left * size, basis


def fit(x: np.ndarray, y: np.ndarray, penalty: float) -> LogisticRegression:
    """Fit the logistic model."""
    return LogisticRegression(C=penalty, max_iter=5000, tol=1e-6).fit(x, y)


def loss(logits: np.ndarray, y: np.ndarray) -> float:
    """Mean negative log-likelihood."""
    return float(-np.log(softmax(logits)[np.arange(len(y)), y]).mean())


def scaled(x: np.ndarray, cue_scale: float, word_scale: float) -> np.ndarray:
    """The features, with each block scaled."""
    return x * np.r_[np.full(len(NAMES), cue_scale), np.full(x.shape[1] - len(NAMES), word_scale)]


def train(training: list[dict], weights: Weights) -> tuple[Weights, dict]:
    """Complete the weights, and report what cross-validation chose and measured."""
    y = np.array([CLASSES.index(r["final_decision"]) for r in training])
    x = np.stack([features(r["question"], "\n\n".join(r["contexts"]), weights) for r in training])
    means, scales = x[:, : len(NAMES)].mean(axis=0), x[:, : len(NAMES)].std(axis=0)
    scales[scales == 0] = 1.0
    x[:, : len(NAMES)] = (x[:, : len(NAMES)] - means) / scales

    def repeated(choice: tuple[float, float, float]) -> list[np.ndarray]:
        rows, _ = rotated(scaled(x, *choice[:2]))
        return [held_out_logits(rows, y, choice[2], seed) for seed in range(REPEATS)]

    tried = {choice: repeated(choice) for choice in GRID}
    for choice, runs in tried.items():
        print(
            choice,
            f"loss {np.mean([loss(r, y) for r in runs]):.4f}",
            *[round(measure(r, y), 3) for r in runs],
            flush=True,
        )
    best = min(GRID, key=lambda c: np.mean([loss(r, y) for r in tried[c]]))
    logits, repeated_y = np.concatenate(tried[best]), np.tile(y, REPEATS)
    temperature = float(min(TEMPERATURES, key=lambda t: loss(logits / t, repeated_y)))
    probabilities = softmax(logits / temperature)
    two = probabilities[:, 1:] / probabilities[:, 1:].sum(axis=1, keepdims=True)
    rows, basis = rotated(scaled(x, *best[:2]))
    final = fit(rows, y, best[2])
    blocks = scaled(np.ones((1, x.shape[1])), *best[:2])[0]
    weights |= {
        "cue means": means,
        "cue scales": scales,
        "coefficients": final.coef_ @ basis * blocks,
        "intercepts": final.intercept_,
        "temperature": np.array(temperature),
        "threshold yes-no-maybe": np.array(np.median(probabilities.max(axis=1))),
        "threshold yes-no": np.array(np.median(two[repeated_y > 0].max(axis=1))),
    }
    found = {
        "cue scale, word scale, inverse penalty": best,
        "temperature": round(temperature, 3),
        "cross-validated loss": round(loss(logits / temperature, repeated_y), 4),
        "cross-validated accuracy": round(measure(logits, repeated_y), 4),
    }
    return weights, found


def measure(logits: np.ndarray, y: np.ndarray) -> float:
    """Accuracy."""
    return float((logits.argmax(axis=1) == y).mean())


def main() -> None:
    """Train, and write `lean.npz` and `lean.json`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    everything = records(data / "pubmedqa" / "pqa_l.jsonl.gz")
    training = [r for r in everything if r["split"] != "test"]
    weights, spans = null_model(data, {r["pmid"] for r in everything if r["split"] == "test"})
    ends = []
    for record in training:
        text = "\n\n".join(record["contexts"])
        ends.append(" ".join(last_third([text[a:b] for a, b in sentence_spans(text)])))
    weights["question idf"] = inverse_frequencies([r["question"] for r in training], QUESTION_BUCKETS)
    weights["text idf"] = inverse_frequencies(ends, TEXT_BUCKETS)
    weights["cue means"], weights["cue scales"] = np.zeros(len(NAMES)), np.ones(len(NAMES))
    weights, found = train(training, weights)
    stored = {name: np.asarray(w, dtype=np.float32) for name, w in weights.items()}
    np.savez_compressed(OUT / "lean.npz", **stored)
    about = {
        "about": "weights of medground.lean.model; made by scripts/train_lean.py",
        "trained on": {
            "PubMedQA PQA-L, training split, sections without the conclusion": len(training),
            "Evidence Inference 2.0, training split, evidence spans": spans,
        },
        "chosen by cross-validation": found,
        "shapes": {name: list(w.shape) for name, w in sorted(stored.items())},
        "date": datetime.now(UTC).date().isoformat(),
        "scikit-learn": version("scikit-learn"),
        "numpy": version("numpy"),
        "sha256": digest(stored),
    }
    (OUT / "lean.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(about, indent=2))
    print(f"{(OUT / 'lean.npz').stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
