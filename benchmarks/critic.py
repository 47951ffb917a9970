"""Measures a shipped critic as it is used, and writes the measurements into its card.

    python benchmarks/critic.py DATA HOME FOLDER [--name critic] [--domain TEXT] [--judges-from P] [--pairs PAIRS]
        [--set scifact ...] [--most 900] [--search CORPUS] [--plot SVG] [--write]

FOLDER holds NAME.safetensors, whose int8 network is made in HOME first. `critic_cases.py` has the sets: texts, in which
the critic finds the sentences to read by itself. Per set, beside the majority class and, with PAIRS (the output folder
of `scripts/critic_pairs.py`), a linear model of the statements alone that is trained on them:

- SUPPORT against REFUTE, by the more probable of the two, and its AUC; three labels, and macro-F1;
- judged: where the critic says `entails` or `contradicts` with at least the probability of the file's `abstain_below`
  and of `--judges-from`, and how often each of the two is right among all texts, with those that are neither;
- calibration: the mean probability of what it says beside how often that is right, in five bins; `--plot` draws it.

Planted errors are caught if `entails` is not the most likely label. `--search`: see `shipped.py`. `--write` writes the
card; it needs all sets. `deciding.py` then adds when it may answer questions. Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
from critic_cases import LABELS, SETS, TITLES, Array, Case, read, stacked
from reliability import Bin, binned, diagram
from shipped import SHOWN, made, searched, searched_kept, write_card
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score
from verification import confusion, share

from medground.models.catalogue import Proof
from medground.models.pair_network import PairNetwork
from medground_evaluate.statistics import wilson

Model = Callable[[Sequence[Case]], Array]


def blind(pairs: Path) -> Model:
    """A linear model that only sees the statements of the training pairs."""
    rows = [
        json.loads(line)
        for name in ("general", "medical", "further")
        for line in (pairs / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    rows = [row for row in rows if row["label"] in LABELS]
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=3, sublinear_tf=True)
    linear = LogisticRegression(C=2.0, max_iter=500, random_state=0)
    linear.fit(words.fit_transform(r["statement"] for r in rows), [LABELS.index(r["label"]) for r in rows])
    return lambda cases: np.asarray(linear.predict_proba(words.transform([c.statement for c in cases])))


def of_two(cases: Sequence[Case], found: Array) -> list[tuple[str, str, float]]:
    """Truth, what is said, and the probability of `contradicts`, on cases that are one of the two."""
    rows = [(c.truth, p[1] / (p[0] + p[1])) for c, p in zip(cases, found, strict=True) if c.truth != "neutral"]
    return [(truth, LABELS[int(p > 0.5)], p) for truth, p in rows]


def cells(cases: Sequence[Case], found: Array) -> Iterator[str]:
    """The cells of a row: the two labels, AUC, three labels, macro-F1."""
    truth, said = [case.truth for case in cases], [LABELS[i] for i in found.argmax(axis=1)]
    two = of_two(cases, found)
    yield share(sum(t == s for t, s, _ in two), len(two))
    yield f"{roc_auc_score([t == 'contradicts' for t, _, _ in two], [p for *_, p in two]):.3f}"
    if "neutral" in truth:
        yield share(sum(a == b for a, b in zip(truth, said, strict=True)), len(cases))
        yield f"{f1_score(truth, said, labels=list(LABELS), average='macro', zero_division=0):.3f}"


def judged(cases: Sequence[Case], found: Array, least: float) -> Iterator[str]:
    """What the critic says with at least this probability, and how often it is right."""
    said, sure = found[:, :2].argmax(axis=1), found[:, :2].max(axis=1) >= max(least, 0.5)
    yield f"judged: {share(int(sure.sum()), len(cases))}"
    for number, name in enumerate(LABELS[:2]):
        right = [case.truth == name for case, s, p in zip(cases, said, sure, strict=True) if p and s == number]
        yield f"{name}: right {share(sum(right), len(right))}" if right else f"{name}: never said"


def calibration(cases: Sequence[Case], found: Array) -> list[Bin]:
    """Mean probability and share right of each fifth of the cases, from the least sure."""
    right = np.array([LABELS[i] == case.truth for i, case in zip(found.argmax(axis=1), cases, strict=True)])
    return binned(found.max(axis=1), right)


def report(name: str, cases: Sequence[Case], found: Array, alone: Model | None, least: float) -> Proof:
    """Print the tables of a labelled set; returns the proof."""
    counts = Counter(case.truth for case in cases)
    print(f"\n{name}, {len(cases)} texts ({dict(counts)})\n")
    print("| | SUPPORT against REFUTE | AUC | three labels | macro-F1 |\n| --- | --- | --- | --- | --- |")
    print(f"| critic | {' | '.join(cells(cases, found))} |")
    if alone is not None:
        print(f"| statements alone | {' | '.join(cells(cases, alone(cases)))} |")
    majority = max(counts["entails"], counts["contradicts"]) / (counts["entails"] + counts["contradicts"])
    print(f"| majority class | {majority:.1%} | 0.500 | {max(counts.values()) / len(cases):.1%} | |\n")
    print("\n".join(judged(cases, found, least)))
    bins = calibration(cases, found)
    print(f"calibration: {', '.join(f'{one.probability:.2f} → {one.right / one.of:.2f}' for one in bins)}\n")
    print(confusion([SHOWN[c.truth] for c in cases], [SHOWN[LABELS[i]] for i in found.argmax(axis=1)]), flush=True)
    two = of_two(cases, found)
    right = sum(t == s for t, s, _ in two)
    low, high = wilson(right, len(two))
    return Proof(
        dataset=name, pairs=len(two), accuracy=right / len(two), low=low, high=high, majority=round(majority, 6)
    )


def report_planted(cases: Sequence[Case], found: Array) -> None:
    """Print the share of each kind of error that is caught."""
    alarms = defaultdict(list)
    for case, row in zip(cases, found, strict=True):
        alarms[case.truth].append(row.argmax() != 0)
    print("\nplanted errors\n\n| kind | caught, or false alarm |\n| --- | --- |")
    for kind, hits in alarms.items():
        print(f"| {kind} | {share(sum(hits), len(hits))} |", flush=True)


class Measured(NamedTuple):
    """The proof of a labelled set, and its calibration."""

    proof: Proof | None
    bins: Sequence[Bin] = ()


def measured(name: str, cases: Sequence[Case], network: PairNetwork, alone: Model | None, least: float) -> Measured:
    """Print the tables of a set."""
    clock, cpu = time.perf_counter(), time.process_time()
    rows = read(network, cases)
    pairs = sum(len(row.windows) for row in rows)
    clock, cpu = time.perf_counter() - clock, time.process_time() - cpu
    if name == "planted":
        report_planted(cases, stacked(rows))
        found = Measured(None)
    else:
        said = stacked(rows)
        found = Measured(report(TITLES.get(name, name), cases, said, alone, least), calibration(cases, said))
    print(f"\n{pairs} pairs: {pairs / clock:.1f} a second, {pairs / cpu:.1f} a CPU second", flush=True)
    return found


def main() -> None:
    """Print the measurements and write the card."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("home", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--name", default="critic")
    parser.add_argument("--domain", default="claims about English abstracts")
    parser.add_argument("--licence", default="Apache-2.0")
    parser.add_argument("--judges-from", type=float, default=0.0, metavar="PROBABILITY")
    parser.add_argument("--pairs", type=Path)
    parser.add_argument("--set", nargs="+", choices=tuple(SETS), default=[*TITLES, "planted"])
    parser.add_argument("--most", type=int, default=900, help="texts of a large set")
    parser.add_argument("--search", default="")
    parser.add_argument("--search-kept", default="", metavar="CORPUS", help="the same for claims kept to choose on")
    parser.add_argument("--limit", type=int, help="only the first claims, for a trial")
    parser.add_argument("--plot", type=Path, metavar="SVG", help="draw the calibration")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if arguments.write and (arguments.limit or not set(TITLES) <= set(arguments.set)):
        parser.error("a card needs all sets without a limit; leave out --write, --set or --limit")
    data, home, name = arguments.data, arguments.home, arguments.name
    about = f"judges statements against sentences of abstracts ({arguments.licence})"
    card, folder = made(arguments.folder, name, home, about, arguments.domain, arguments.judges_from)
    network = PairNetwork.open(name, folder)
    alone = blind(arguments.pairs) if arguments.pairs else None
    least = max(network.about.abstain_below, card.judges_from)
    print(f"{name}: {asdict(network.about)}; says nothing below {least}")
    tables = {one: measured(one, list(SETS[one](data, arguments.most)), network, alone, least) for one in arguments.set}
    proofs = [table.proof for table in tables.values() if table.proof]
    if arguments.plot:
        diagram({TITLES.get(one, one): table.bins for one, table in tables.items() if table.bins}, arguments.plot)
    if arguments.search and (proof := asyncio.run(searched(data, home, arguments.search, name, arguments.limit))):
        proofs.append(proof)
    if arguments.search_kept:
        asyncio.run(searched_kept(data, home, arguments.search_kept, name, arguments.limit))
    if arguments.write:
        write_card(arguments.folder, name, card, proofs, network)


if __name__ == "__main__":
    main()
