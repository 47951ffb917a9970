"""Measures the critic on sets that it never saw, beside the majority class and a model of the statements alone.

    python benchmarks/critic.py DATA MODEL.safetensors BASE_FOLDER PAIRS [--set scifact --set covid ...] [--most 900]

MODEL is the shipped file and BASE_FOLDER its base's checkpoint, joined here through torch (`scripts/small`). PAIRS is
the output folder of `scripts/critic_pairs.py`, whose statements train the row of the statements alone: words and word
pairs, logistic regression. `critic_cases.py` has the sets. Per set:

- SUPPORT against REFUTE, by the more probable of the two, and its AUC; three labels, and macro-F1;
- judged: the share of pairs where the critic says `entails` or `contradicts` with at least the probability of the
  file's `abstain_below`, and how often each of the two is right;
- calibration: the mean probability of what it says beside how often that is right, in five bins.

Planted errors are caught if `entails` is not the most likely label. Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from critic_cases import SETS, Case, word_weights
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score
from verification import confusion, share

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from small.judge import Judge
from train_critic import LABELS

SHOWN = {"entails": "SUPPORT", "contradicts": "REFUTE", "neutral": "NEI", "unsupported": "NEI"}
Array = NDArray[np.float64]
Model = Callable[[Sequence[Case]], Array]


def by_views(judge: Judge) -> Model:
    """A model of cases: the mean of the log-probabilities of each case's views."""

    def model(cases: Sequence[Case]) -> Array:
        owners = [i for i, case in enumerate(cases) for _ in case.views]
        found = np.log(judge([(view, case.statement) for case in cases for view in case.views]))
        total = np.zeros((len(cases), len(LABELS)))
        np.add.at(total, owners, found)
        total /= np.bincount(owners, minlength=len(cases))[:, None]
        powers = np.exp(total - total.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    return model


def blind(pairs: Path) -> Model:
    """A linear model that only sees the statements of the training pairs."""
    rows = [
        json.loads(line)
        for name in ("general", "medical")
        for line in (pairs / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    rows = [row for row in rows if row["label"] in LABELS]
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=3, sublinear_tf=True)
    linear = LogisticRegression(C=2.0, max_iter=500, random_state=0)
    linear.fit(words.fit_transform(r["statement"] for r in rows), [LABELS.index(r["label"]) for r in rows])
    return lambda cases: np.asarray(linear.predict_proba(words.transform([c.statement for c in cases])))


def labelled(cases: Sequence[Case], found: Array) -> Iterator[str]:
    """The cells of a row: the two labels, AUC, three labels, macro-F1."""
    truth = [case.truth for case in cases]
    said = [LABELS[i] for i in found.argmax(axis=1)]
    two = [(t == "contradicts", p[1] / (p[0] + p[1])) for t, p in zip(truth, found, strict=True) if t != "neutral"]
    yield share(sum(t == (p > 0.5) for t, p in two), len(two))
    yield f"{roc_auc_score([t for t, _ in two], [p for _, p in two]):.3f}"
    if "neutral" in truth:
        yield share(sum(a == b for a, b in zip(truth, said, strict=True)), len(cases))
        yield f"{f1_score(truth, said, labels=list(LABELS), average='macro', zero_division=0):.3f}"


def judged(cases: Sequence[Case], found: Array, least: float) -> Iterator[str]:
    """What the critic says with at least this probability, and how often it is right."""
    said, sure = found.argmax(axis=1), found.max(axis=1) >= least
    for number, name in enumerate(LABELS[:2]):
        right = [case.truth == name for case, s, p in zip(cases, said, sure, strict=True) if p and s == number]
        yield f"{name}: {len(right)} of {len(cases)} judged, right {share(sum(right), len(right))}"


def calibration(cases: Sequence[Case], found: Array, bins: int = 5) -> Iterator[str]:
    """Mean probability and share right of each fifth of the cases, from the least sure."""
    right = np.array([LABELS[i] == case.truth for i, case in zip(found.argmax(axis=1), cases, strict=True)])
    for places in np.array_split(found.max(axis=1).argsort(), bins):
        yield f"{found.max(axis=1)[places].mean():.2f} → {right[places].mean():.2f}"


def report(name: str, cases: Sequence[Case], model: Model, alone: Model, least: float) -> None:
    """Print the tables of a labelled set."""
    began, cpu = time.perf_counter(), time.process_time()
    found = model(cases)
    began, cpu = time.perf_counter() - began, time.process_time() - cpu
    counts = Counter(case.truth for case in cases)
    two = [counts["entails"], counts["contradicts"]]
    print(f"\n{name}, {len(cases)} pairs ({dict(counts)})\n")
    print("| | SUPPORT against REFUTE | AUC | three labels | macro-F1 |\n| --- | --- | --- | --- | --- |")
    print(f"| critic | {' | '.join(labelled(cases, found))} |")
    print(f"| statements alone | {' | '.join(labelled(cases, alone(cases)))} |")
    print(f"| majority class | {max(two) / sum(two):.1%} | 0.500 | {max(counts.values()) / len(cases):.1%} | |\n")
    print("\n".join(judged(cases, found, least)))
    print(f"calibration: {', '.join(calibration(cases, found))}")
    print(f"{len(cases) / began:.1f} pairs/s, {len(cases) / cpu:.1f} pairs/CPU s\n")
    print(confusion([SHOWN[c.truth] for c in cases], [SHOWN[LABELS[i]] for i in found.argmax(axis=1)]), flush=True)


def report_planted(cases: Sequence[Case], model: Model) -> None:
    """Print the share of each kind of error that is caught."""
    alarms = defaultdict(list)
    for case, row in zip(cases, model(cases), strict=True):
        alarms[case.truth].append(row.argmax() != 0)
    print("\nplanted errors\n\n| kind | caught, or false alarm |\n| --- | --- |")
    for kind, hits in alarms.items():
        print(f"| {kind} | {share(sum(hits), len(hits))} |", flush=True)


def main() -> None:
    """Print the selected sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("base", type=Path)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--set", action="append", choices=tuple(SETS))
    parser.add_argument("--most", type=int, default=900, help="pairs of a large set")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    judge = Judge(arguments.model, arguments.base)
    model, alone, weights = by_views(judge), blind(arguments.pairs), word_weights(arguments.data)
    for name in arguments.set or [name for name in SETS if name != "shared"]:
        cases = list(SETS[name](arguments.data, weights, arguments.most))
        if name == "planted":
            report_planted(cases, model)
        else:
            report(name, cases, model, alone, judge.least)


if __name__ == "__main__":
    main()
