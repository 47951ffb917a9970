"""Measures the small critic: SciFact claims and their cited abstracts, planted errors, trials, statements alone.

    python benchmarks/critic.py DATA MODEL.onnx PAIRS [--part claims --part planted ...] [--split dev] [--per-kind 200]

MODEL is the output of `scripts/export_critic.py`, and PAIRS the output folder of `scripts/critic_pairs.py`, whose
training statements also train the critic that sees no premise. Each claim is compared with the sentences of the
abstract that share most words with it. The parts:

- `claims`: accuracy and macro-F1 on three labels, and SUPPORT against REFUTE (the more probable of `entails` and
  `contradicts`), next to the majority class. `--split shared` uses the training claims on abstracts that development
  claims also cite; choices were made on these.
- `planted`: sentences of held-out abstracts with and without an error, which is caught if `entails` is not the most
  likely label.
- `trials`: Evidence Inference's held-out prompts, the right template against the wrong ones.
- `blind`: a linear model over the words and word pairs of the statements alone, on the same claims and trials.

Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from planted import sentence_cases
from scipy.optimize import brentq
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score
from verification import confusion, share

from medground.text.sentences import sentence_spans

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from critic_pairs import claim_sets
from pairing.claims import judged
from pairing.lines import lines
from pairing.pair import Weights
from pairing.tokens import LABELS, arrays, open_tokenizer, rows
from pairing.trials import from_trials
from real_sentences import abstracts

SHOWN = {"entails": "SUPPORT", "contradicts": "REFUTE", "neutral": "NEI"}
PARTS = ("claims", "planted", "trials", "blind")
BATCH = 32


VIEWS = ((1, 64), (2, 64), (3, 64), (3, 90))
"""Maximum sentences and words of each view of a premise; log-probabilities are averaged over the views."""


class Case(NamedTuple):
    """A statement, views of its premise, and the truth: a label, or the kind of error."""

    statement: str
    views: tuple[str, ...]
    truth: str


class Model:
    """The exported network.

    Args:
        path: the ONNX file.
        shift: added to the log-odds of `contradicts` against `entails`.
    """

    def __init__(self, path: Path, shift: float) -> None:
        self._shift = np.array([-shift / 2, shift / 2, 0.0])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self._tokenizer = open_tokenizer()

    def __call__(self, cases: Sequence[Case]) -> NDArray[np.float64]:
        """Probabilities of `LABELS`, shape (cases, 3)."""
        owners = [i for i, case in enumerate(cases) for _ in case.views]
        texts = [(case.statement, view) for case in cases for view in case.views]
        logits = self._logits(texts)
        logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
        total = np.zeros((len(cases), len(LABELS)))
        np.add.at(total, owners, logits)
        total = total / np.bincount(owners, minlength=len(cases))[:, None] + self._shift
        powers = np.exp(total - total.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    def _logits(self, texts: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        tokens = rows(self._tokenizer, texts)
        order = sorted(range(len(tokens)), key=lambda i: len(tokens[i][0]))
        logits = np.zeros((len(tokens), len(LABELS)))
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            inputs = dict(zip(("ids", "kinds", "mask"), arrays([tokens[i] for i in places]), strict=True))
            logits[places] = self._session.run(["logits"], inputs)[0]
        return logits


def word_weights(data: Path) -> Weights:
    """Word weights from the SciFact abstracts that training may read."""
    return Weights(s for abstract in abstracts(data / "scifact", "train") for s in abstract.sentences)


def views(statement: str, sentences: Sequence[str], weights: Weights) -> tuple[str, ...]:
    """The distinct views of a premise that a statement is compared with."""
    chosen = (weights.best(statement, sentences, number, most) for number, most in VIEWS)
    return tuple(dict.fromkeys(" ".join(sentences[i] for i in places) for places in chosen))


def fitted_shift(cases: Sequence[Case], probabilities: NDArray[np.float64]) -> float:
    """The shift that makes the mean probability of `contradicts` equal its share among the cases with evidence."""
    two = np.array([case.truth != "neutral" for case in cases])
    share_of_it = sum(case.truth == "contradicts" for case in cases) / two.sum()
    odds = np.log(probabilities[two, 1]) - np.log(probabilities[two, 0])
    return float(brentq(lambda shift: float(np.mean(1 / (1 + np.exp(-odds - shift)))) - share_of_it, -9, 9))


def claim_cases(data: Path, split: str, weights: Weights) -> Iterator[Case]:
    """Claims, each with every abstract it cites."""
    corpus = {str(record["doc_id"]): record["abstract"] for record in lines(data / "scifact" / "corpus.jsonl.gz")}
    claims = claim_sets(data)[1] if split == "shared" else list(lines(data / "scifact" / "claims_dev.jsonl"))
    for claim in claims:
        for document in dict.fromkeys((*map(str, claim["cited_doc_ids"]), *claim["evidence"])):
            sentences = [" ".join(sentence.split()) for sentence in corpus[document]]
            yield Case(claim["claim"], views(claim["claim"], sentences, weights), judged(claim, document)[0])


def planted_cases(data: Path, per_kind: int, weights: Weights) -> Iterator[Case]:
    """Sentences of held-out abstracts, with and without an error."""
    for kind, statement, premise in sentence_cases(data, "held out", per_kind, 0):
        sentences = [premise[start:end] for start, end in sentence_spans(premise)]
        yield Case(statement, views(statement, sentences, weights), kind)


def trial_cases(data: Path) -> Iterator[Case]:
    """Statements about the trials of the test split."""
    prompts = lines(data / "evidence_inference" / "prompts_labelled.jsonl.gz")
    for pair in from_trials([p for p in prompts if p["split"] == "test"], random.Random(0)):
        yield Case(pair.statement, (pair.premise,), pair.label)


def report(name: str, cases: Sequence[Case], probabilities: NDArray[np.float64]) -> None:
    """Print the figures of labelled cases."""
    truth = [case.truth for case in cases]
    said = [LABELS[i] for i in probabilities.argmax(axis=1)]
    two = [(t, p[1] / (p[0] + p[1])) for t, p in zip(truth, probabilities, strict=True) if t != "neutral"]
    counts = Counter(t for t, _ in two)
    right = sum(a == b for a, b in zip(truth, said, strict=True))
    best = max(Counter(truth).values())
    print(f"\n{name}, {len(cases)} pairs\n\n| | this | majority class |\n| --- | --- | --- |")
    print(
        f"| entails against contradicts | {share(sum((t == 'contradicts') == (p > 0.5) for t, p in two), len(two))} "
        f"| {max(counts.values()) / len(two):.1%} |"
    )
    print(f"| three labels | {share(right, len(cases))} | {best / len(cases):.1%} |")
    auc = roc_auc_score([t == "contradicts" for t, _ in two], [p for _, p in two])
    print(f"| AUC of the two | {auc:.3f} | 0.500 |")
    print(f"| macro-F1 | {f1_score(truth, said, labels=list(LABELS), average='macro', zero_division=0):.3f} | |\n")
    print(confusion([SHOWN[t] for t in truth], [SHOWN[s] for s in said]))


def report_planted(name: str, cases: Sequence[Case], probabilities: NDArray[np.float64]) -> None:
    """Print the share of each kind of error that is caught."""
    alarms = defaultdict(list)
    for case, row in zip(cases, probabilities, strict=True):
        alarms[case.truth].append(row.argmax() != 0)
    print(f"\n{name}\n\n| kind | caught, or false alarm |\n| --- | --- |")
    for kind, hits in alarms.items():
        print(f"| {kind} | {share(sum(hits), len(hits))} |")


def blind(pairs: Path, seed: int = 0) -> tuple[TfidfVectorizer, LogisticRegression]:
    """A linear model of the labels that only sees the statements of the training pairs."""
    training = [json.loads(line) for line in (pairs / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=3, sublinear_tf=True)
    linear = LogisticRegression(C=2.0, max_iter=500, random_state=seed)
    linear.fit(words.fit_transform(p["statement"] for p in training), [LABELS.index(p["label"]) for p in training])
    return words, linear


def main() -> None:
    """Print the selected parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--part", action="append", choices=PARTS)
    parser.add_argument("--split", choices=("dev", "shared"), default="dev")
    parser.add_argument("--shift", type=float, default=0.0, help="as fitted with `--split shared`")
    parser.add_argument("--per-kind", type=int, default=200)
    arguments = parser.parse_args()
    parts = arguments.part or PARTS
    model, weights = Model(arguments.model, arguments.shift), word_weights(arguments.data)
    claims = list(claim_cases(arguments.data, arguments.split, weights)) if {"claims", "blind"} & set(parts) else []
    planted = list(planted_cases(arguments.data, arguments.per_kind, weights)) if "planted" in parts else []
    trials = list(trial_cases(arguments.data)) if {"trials", "blind"} & set(parts) else []
    if "claims" in parts:
        clock, cpu = time.perf_counter(), time.process_time()
        probabilities = model(claims)
        clock, cpu = time.perf_counter() - clock, time.process_time() - cpu
        report(f"claims, {arguments.split}", claims, probabilities)
        if arguments.split == "shared":
            print(f"\nshift {fitted_shift(claims, probabilities):+.3f}")
        print(f"\n{len(claims) / clock:.0f} pairs/s, {len(claims) / cpu:.0f} pairs/CPU s")
    if "planted" in parts:
        report_planted("planted errors, held out", planted, model(planted))
    if "trials" in parts:
        report("trials, held out", trials, model(trials))
    if "blind" in parts:
        words, linear = blind(arguments.pairs)
        for name, cases in (("claims", claims), ("trials", trials)):
            predicted = linear.predict_proba(words.transform([case.statement for case in cases]))
            report(f"statements alone: {name}", cases, predicted)


if __name__ == "__main__":
    main()
