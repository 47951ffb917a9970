"""Train the choice of sentences to quote: `python scripts/train_reader.py --data ../shared/data --home FOLDER`.

Learns a linear order of the sentences of all papers that a search finds, from BioASQ (tasks 7b to 9b: experts'
papers, snippets and exact answers), SciFact's training claims, half of COVID-QA's articles, full texts of trials
(`marked_trials.py`), PubMedQA's training split, and questions in people's words on MedQuAD (`marked_people.py`).
The loss of a question is minus the logarithm of the expected worth
of the first quote, when quotes are drawn by the softmax of their scores. The penalty is chosen by 5-fold
cross-validation on BioASQ. Questions that share a paper are in one fold. `FOLDER` keeps the corpora, and what searches
found in them, for a run that was cut; remove `*.pickle` there when the code changes.
`--vectors` also trains the weights for corpora with vectors (minutes).
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np
from marked import Marked, bioasq, build_corpus, covidqa, find, pubmedqa, scifact
from marked_people import people
from marked_people import worth as worth_to_people
from marked_trials import build_trials, titled, trials, worth
from scipy.optimize import minimize

from medground.corpus.embedder import Embedder
from medground.corpus.library import Library
from medground.home.files import write_whole
from medground.language.quoting.features import NAMES, features
from medground.language.quoting.model import LIMIT, digest
from medground.language.quoting.pool import asked
from medground.models.embedders import open_embedder

OUT = Path(__file__).parent.parent / "src" / "medground" / "data" / "reader.json"
FOLDS = 5
PENALTIES = (2e-3, 6e-3)
SHARES = {
    "bioasq": 1.0,
    "scifact train": 1.0,
    "covidqa train": 0.5,
    "trials": 0.5,
    "titled": 1.0,
    "pubmedqa": 0.1,
    "pubmedqa concluded": 0.4,
    "people": 0.7,
    "people named": 0.7,
}
"""Weight of one question of each set."""

Weights = dict[str, np.ndarray]


def experts(data: Path, home: Path, embedder: Embedder | None = None) -> list[Marked]:
    """BioASQ's questions, with what a search finds for them."""
    marked = bioasq(data)
    with Library(home).open(build_corpus("bioasq", data, home, embedder)) as snapshot:
        find(marked, snapshot, embedder)
    return marked


def others(data: Path, home: Path) -> list[Marked]:
    """The other training questions, with what a search finds for them."""
    marked = [*scifact(data, "train"), *covidqa(data, "train")]
    for name in ("scifact", "covidqa"):
        with Library(home).open(build_corpus(name, data, home)) as snapshot:
            find([one for one in marked if one.name.startswith(name)], snapshot)
    asked = [one for name in ("people", "people named") for one in asked_by_people(data, home, name)]
    return [*marked, *full_texts(data, home), *pubmedqa(data), *asked]


def kept(path: Path, found: Callable[[], list[Marked]]) -> list[Marked]:
    """What a file keeps of a run that was cut, or for the script that comes next; it is made if it is missing."""
    if path.exists():
        return list(pickle.loads(path.read_bytes()))
    marked = found()
    write_whole(path, pickle.dumps(marked))
    return marked


def material(data: Path, home: Path) -> tuple[list[Marked], list[Marked]]:
    """BioASQ's questions and the others, as words find what is read for them; kept for the next run."""
    return (
        kept(home / "experts.pickle", lambda: experts(data, home)),
        kept(home / "others.pickle", lambda: others(data, home)),
    )


def asked_by_people(data: Path, home: Path, name: str) -> list[Marked]:
    """Questions in people's words, with what a search finds for them in a health encyclopaedia."""
    marked = people(data, name, seed=5 if name == "people" else 6)
    with Library(home).open(build_corpus(name, data, home)) as snapshot:
        find(marked, snapshot, worth=worth_to_people)
    return marked


def full_texts(data: Path, home: Path) -> list[Marked]:
    """The questions on full texts of trials, with what a search finds for them."""
    with Library(home).open(build_trials(data, home)) as snapshot:
        marked = [*trials(data), *titled(snapshot)]
        find(marked, snapshot, worth=worth)
    return marked


def folds(marked: Sequence[Marked]) -> dict[str, int]:
    """The fold of each group."""
    groups = sorted({one.group for one in marked})
    random.Random(0).shuffle(groups)
    return {group: place % FOLDS for place, group in enumerate(groups)}


class Sample:
    """Questions as matrices."""

    def __init__(self, marked: Sequence[Marked], more: Sample | None = None) -> None:
        rows = [(one, features(asked(one.question), one.candidates)) for one in marked]
        self.kept = [(one, row) for one, row in rows if len(row) and one.values.max() > 0]
        self.kept += more.kept if more else []

    def fit(self, held_out: set[str], penalty: float) -> Weights:
        """Weights learned from the questions whose group is not held out."""
        kept = [(one, row) for one, row in self.kept if one.group not in held_out]
        x = np.concatenate([row for _, row in kept])
        worth = np.concatenate([one.values for one, _ in kept])
        sizes = np.array([len(row) for _, row in kept])
        share = np.array([SHARES[one.name] for one, _ in kept])
        means, scales = x.mean(axis=0), x.std(axis=0)
        scales[scales < 1e-6] = 1.0
        x = np.clip((x - means) / scales, -LIMIT, LIMIT)
        weights = _minimum(x, worth, sizes, share / share.sum(), penalty)
        return {"means": means.round(6), "scales": scales.round(6), "weights": weights.round(6)}


def _minimum(x: np.ndarray, worth: np.ndarray, sizes: np.ndarray, share: np.ndarray, penalty: float) -> np.ndarray:
    starts = np.r_[0, np.cumsum(sizes)[:-1]]
    of = np.repeat(np.arange(len(sizes)), sizes)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = x @ weights
        raised = np.exp(scores - np.maximum.reduceat(scores, starts)[of])
        drawn = raised / np.add.reduceat(raised, starts)[of]
        expected = np.maximum(np.add.reduceat(worth * drawn, starts), 1e-12)
        slope = share[of] * (drawn - worth * drawn / expected[of])
        return float(
            -(share * np.log(expected)).sum() + penalty * weights @ weights
        ), x.T @ slope + 2 * penalty * weights

    return np.asarray(minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x)


def first_worth(sample: Sample, weights: Weights, groups: set[str]) -> list[float]:
    """What the first quote of each BioASQ question of these groups is worth."""
    found = []
    for one, row in sample.kept:
        if one.name == "bioasq" and one.group in groups:
            scores = np.clip((row - weights["means"]) / weights["scales"], -LIMIT, LIMIT) @ weights["weights"]
            found.append(float(one.values[scores.argmax()]))
    return found


def train(ours: Sequence[Marked], others: Sample) -> tuple[Weights, dict[str, object]]:
    """The weights, and what cross-validation found."""
    sample, fold = Sample(ours, others), folds(ours)
    held = [{group for group, number in fold.items() if number == n} for n in range(FOLDS)]
    results = {
        penalty: float(np.mean([w for h in held for w in first_worth(sample, sample.fit(h, penalty), h)]))
        for penalty in PENALTIES
    }
    best = max(results, key=lambda penalty: results[penalty])
    return sample.fit(set(), best), {
        "penalty": best,
        "worth of the first quote, held out": {str(p): round(r, 4) for p, r in results.items()},
    }


def main() -> None:
    """Train, and write `reader.json`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--models", type=Path, help="the folder whose `models` holds minilm; the home by default")
    parser.add_argument("--vectors", action="store_true")
    arguments = parser.parse_args()
    embedder = open_embedder("minilm", arguments.models or arguments.home, threads=2) if arguments.vectors else None
    ours, rest = material(arguments.data, arguments.home)
    sample, sets, chosen = Sample(rest), {}, {}
    for name, model in (("words", None), ("vectors", embedder)):
        if model is not None:
            ours = experts(arguments.data, arguments.home, model)
        if name == "words" or model is not None:
            weights, chosen[name] = train(ours, sample)
            sets[name] = {part: values.tolist() for part, values in weights.items()}
            print(name, chosen[name], flush=True)
    sets.setdefault("vectors", sets["words"])
    about = {
        "about": "weights of medground.language.quoting.model; made by scripts/train_reader.py",
        "trained on": {name: sum(one.name == name for one in [*ours, *rest]) for name in SHARES},
        "chosen by cross-validation": chosen,
        "numpy": version("numpy"),
        "scipy": version("scipy"),
        "sha256": digest(sets),
        "features": list(NAMES),
        "sets": sets,
    }
    OUT.write_text(json.dumps(about) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
