"""Learn the weights of the columns: `python scripts/train_scorer.py --data ../shared/data --home FOLDER`.

Learns from BioASQ (tasks 7b and 8b: experts' papers and snippets; 9b is measured on), SciFact's training claims, half
of COVID-QA's articles, full texts of trials (`marked_trials.py`), PubMedQA's training split, and questions in people's
words on MedQuAD (`marked_people.py`). Each question is searched in its own corpus and in all of them together, as users
have several: where each was searched only alone, conclusions of papers won over every other text. The loss of a
question is minus the logarithm of the expected worth of the first quote, where quotes are drawn by the softmax of their
scores. `FOLDER` keeps the corpora, and what searches found in them, for a run that was cut; remove `*.pickle` there
when the code of the search changes.
"""

from __future__ import annotations

import argparse
import gzip
import json
import pickle
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
from marked import Marked, Worth, bioasq, build_corpus, covidqa, find, pubmedqa, scifact
from marked_people import people
from marked_people import worth as worth_to_people
from marked_trials import build_trials, titled, trials, worth
from scipy.optimize import minimize

from medground.answering.read.reading_list import candidates
from medground.corpus.library import Library
from medground.corpus.snapshot import Snapshot
from medground.home.files import write_whole
from medground.language.question_reading import reading_of
from medground.language.quoting.leading import is_fragment
from medground.language.quoting.scorer import COLUMNS, columns, digest

OUT = Path(__file__).parent.parent / "src" / "medground" / "data" / "scorer.json"
PENALTY = 2e-3
FRAGMENT = 0.4
"""What a fragment is worth of what it holds: abstracts made of snippets are full of them, and no reader wants one."""
SHARES = {
    "bioasq": 1.0,
    "scifact train": 0.8,
    "covidqa train": 0.4,
    "trials": 0.25,
    "titled": 0.15,
    "pubmedqa": 0.1,
    "pubmedqa concluded": 0.15,
    "people": 1.2,
    "people named": 0.9,
}
"""Weight of all questions of a set together."""
EACH = 600
"""Questions of each set."""


def questions(data: Path, home: Path) -> list[Marked]:
    """The training questions, with what a search finds for them; kept for the next run."""
    found: list[Marked] = []
    for name, made in _sets(data, home).items():
        path = home / f"{name}.pickle"
        if not path.exists():
            write_whole(path, pickle.dumps(made()))
        found += pickle.loads(path.read_bytes())
    return found


def _sets(data: Path, home: Path) -> dict[str, Callable[[], list[Marked]]]:
    return {
        "learned bioasq": lambda: _searched(_before_9b(data), "bioasq", data, home),
        "learned scifact": lambda: _searched(scifact(data, "train"), "scifact", data, home),
        "learned covidqa": lambda: _searched(covidqa(data, "train"), "covidqa", data, home),
        "learned people": lambda: _searched(people(data, "people", seed=5), "people", data, home, worth_to_people),
        "learned people named": lambda: _searched(
            people(data, "people named", seed=6), "people named", data, home, worth_to_people
        ),
        "learned trials": lambda: _searched(_of_trials(data, home), "trials", data, home, worth),
        "learned pubmedqa": lambda: _some(list(pubmedqa(data))),
    }


def _some(marked: Sequence[Marked]) -> list[Marked]:
    """At most `EACH` questions, drawn by chance."""
    drawn = np.random.default_rng(0).permutation(len(marked))[:EACH]
    return [marked[n] for n in sorted(drawn)]


def task_of(marked: Sequence[Marked], data: Path, task: str) -> list[Marked]:
    """The questions of one task of BioASQ."""
    asked = json.loads(gzip.decompress((data / "bioasq" / f"task{task}.json.gz").read_bytes()))["questions"]
    ids = {question["id"] for question in asked}
    return [one for one in marked if one.id in ids]


def _before_9b(data: Path) -> list[Marked]:
    """BioASQ's questions without those of task 9b."""
    every = bioasq(data)
    measured = {one.id for one in task_of(every, data, "9b")}
    return [one for one in every if one.id not in measured]


def _searched(marked: Sequence[Marked], own: str, data: Path, home: Path, worth: Worth | None = None) -> list[Marked]:
    """Some questions, each twice: with what a search in their own corpus finds, and in those of other kinds too."""
    alone = _some(marked)
    together = [replace(one) for one in alone]
    beside = [name for name in ("bioasq", "scifact", "covidqa", "trials", "people") if not own.startswith(name)]
    with ExitStack() as opened:
        corpora = [opened.enter_context(_open(name, data, home)) for name in (own, *beside)]
        find(alone, corpora[:1], worth)
        find(together, corpora, worth)
    return alone + together


def _open(name: str, data: Path, home: Path) -> Snapshot:
    built = build_trials(data, home) if name == "trials" else build_corpus(name, data, home)
    return Library(home).open(built)


def _of_trials(data: Path, home: Path) -> list[Marked]:
    with _open("trials", data, home) as snapshot:
        return [*trials(data), *titled(snapshot)]


class Sample:
    """Questions as matrices: the columns of all sentences, what each is worth, and how much its question counts."""

    def __init__(self, marked: Sequence[Marked]) -> None:
        found = [(one, _worth(one)) for one in marked]
        kept = [(one, values) for one, values in found if len(values) and values.max() > 0]
        self.counts = Counter(one.name for one, _ in kept)
        self.rows = np.concatenate([columns(reading_of(one.question), one.candidates) for one, _ in kept])
        self.worth = np.concatenate([values for _, values in kept])
        self.sizes = np.array([len(values) for _, values in kept])
        shares = np.array([SHARES[one.name] / self.counts[one.name] for one, _ in kept])
        self.shares = shares / shares.sum()

    def fit(self) -> dict[str, float]:
        """The weight of each column for one unit of it, by name."""
        scales = self.rows.std(axis=0)
        scales[scales < 1e-6] = 1.0
        rows = (self.rows - self.rows.mean(axis=0)) / scales
        starts = np.r_[0, np.cumsum(self.sizes)[:-1]]
        of = np.repeat(np.arange(len(self.sizes)), self.sizes)

        def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
            scores = rows @ weights
            raised = np.exp(scores - np.maximum.reduceat(scores, starts)[of])
            drawn = raised / np.add.reduceat(raised, starts)[of]
            expected = np.maximum(np.add.reduceat(self.worth * drawn, starts), 1e-12)
            slope = self.shares[of] * (drawn - self.worth * drawn / expected[of])
            value = -(self.shares * np.log(expected)).sum() + PENALTY * weights @ weights
            return float(value), rows.T @ slope + 2 * PENALTY * weights

        found = minimize(loss, np.zeros(len(COLUMNS)), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
        return dict(zip(COLUMNS, (found / scales).round(4).tolist(), strict=True))


def _worth(one: Marked) -> np.ndarray:
    """What each sentence is worth as the first quote."""
    if one.readings:
        one.candidates = candidates(one.readings)
    whole = [FRAGMENT if is_fragment(s, c.title) else 1.0 for c in one.candidates for s in c.sentences]
    return np.asarray(one.values) * whole


def main() -> None:
    """Train, and write `scorer.json`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--home", type=Path, required=True)
    arguments = parser.parse_args()
    sample = Sample(questions(arguments.data, arguments.home))
    weights = sample.fit()
    about = {
        "about": "weights of medground.language.quoting.scorer; made by scripts/train_scorer.py",
        "trained on": dict(sample.counts),
        "numpy": version("numpy"),
        "scipy": version("scipy"),
        "sha256": digest(weights),
        "weights": weights,
    }
    OUT.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(about, indent=1))


if __name__ == "__main__":
    main()
