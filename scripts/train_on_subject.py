"""Learn when quotes are about a thing that they do not name: `python scripts/train_near_miss.py DATA BIOASQ MEDQUAD`.

BIOASQ and MEDQUAD are corpora built of these sets. From the questions that the rule of names refuses: right is one
whose first quote is from a paper that experts chose, or is on the subject of `benchmarks/blind.py`; wrong is one whose
subject's papers were taken out, or in which a sibling in MeSH stands for a thing (of BioASQ alone: in a story a sibling
may be beside the point). Prints the weights of `medground.language.quoting.near_miss`, and by folds what they pass.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
from blind import QUESTIONS, outcome
from first_lines import Collection, questions, siblings, taken_out

from medground import Engine, Settings
from medground.answering.verify.context import AROUND, as_read, unmentioned
from medground.corpus.library import Library
from medground.language.question_reading import reading_of
from medground.language.quoting.near_miss import Quoted, signs
from medground.values.answer import Answer
from medground.values.question import Question

PROBABILITIES = (0.25, 0.3, 0.4, 0.5)


class Refused(NamedTuple):
    """A question that the rule refuses, what is seen of its quotes, and whether they are right after all."""

    kind: str
    base: str
    signs: tuple[float, ...]
    right: bool


class Asking:
    """Questions asked of a corpus without the rule."""

    def __init__(self, corpus: str) -> None:
        self.corpus, self.collection, self.chance = corpus, Collection(corpus), random.Random(7)
        self.refused: list[Refused] = []

    async def ask(self, engine: Engine, kind: str, base: str, asked: str | Question) -> Answer:
        """Ask, and keep what the rule would refuse; whether a real question is right is set by the caller."""
        answer = await engine.ask(asked)
        with Library(Settings.load().home).open(self.corpus) as snapshot:
            found = snapshot.documents([one.document_id for one in answer.evidence])
        question, reading = answer.question, reading_of(answer.question.text)
        quotes = [
            Quoted(found[e.document_id].title, e.quote, as_read(e, found[e.document_id], AROUND))
            for e in answer.evidence
        ]
        told = not reading.aspect_lost([f"{one.title}\n{one.quote}" for one in quotes])
        if quotes and told and unmentioned(question, answer.evidence, found):
            self.refused.append(Refused(kind, base, signs(reading, quotes), False))
        return answer

    async def negatives(self, engine: Engine, text: str, *, near: bool) -> None:
        """Ask what the corpus cannot answer."""
        for other in siblings(text, self.collection, self.chance) if near else ():
            await self.ask(engine, "sibling", text, other)
        if made := taken_out(text, self.collection, self.chance):
            await self.ask(engine, "taken out", text, made)

    def judge(self, before: int, right: bool) -> None:
        """Say of the question asked last whether its first quote is right."""
        if len(self.refused) > before:
            self.refused[-1] = self.refused[-1]._replace(right=right)


async def collected(data: Path, bioasq: str, medquad: str) -> list[Refused]:
    """The refused questions of BioASQ 7b to 9b and of the blind writer."""
    options = {"verify.gate": "false"}
    first, second = Asking(bioasq), Asking(medquad)
    async with await Engine.open(Settings.load(options={**options, "retrieval.corpora": bioasq})) as engine:
        for one in (one for task in ("7b", "8b", "9b") for one in questions(data, task, 1000, 7)):
            before = len(first.refused)
            answer = await first.ask(engine, "real", one.text, one.text)
            first.judge(before, bool(answer.evidence) and answer.evidence[0].document_id in one.chosen)
            await first.negatives(engine, one.text, near=True)
    async with await Engine.open(Settings.load(options={**options, "retrieval.corpora": medquad})) as engine:
        for row in _blind():
            before = len(second.refused)
            answer = await second.ask(engine, "real", row["question"], row["question"])
            second.judge(before, outcome(row, answer) in ("the answer", "on the subject"))
            await second.negatives(engine, row["question"], near=False)
    return [*first.refused, *second.refused]


def _blind() -> Iterator[dict[str, str]]:
    with QUESTIONS.open(encoding="utf-8") as file:
        yield from (row for row in map(json.loads, file) if row["corpus"] == "medquad")


def fit(signs: np.ndarray, right: np.ndarray) -> Pipeline:
    """A logistic regression over standardised signs."""
    return make_pipeline(StandardScaler(), LogisticRegression(C=0.3, max_iter=3000)).fit(signs, right)


def main() -> None:
    """Print the weights and what they pass."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("bioasq")
    parser.add_argument("medquad")
    given = parser.parse_args()
    rows = asyncio.run(collected(given.data, given.bioasq, given.medquad))
    seen, right = np.array([row.signs for row in rows]), np.array([row.right for row in rows])
    kinds, sure = np.array([row.kind for row in rows]), np.array([row.kind != "real" or row.right for row in rows])
    unseen = np.zeros(len(rows))
    for train, test in GroupKFold(8, shuffle=True, random_state=1).split(seen, right, [row.base for row in rows]):
        unseen[test] = fit(seen[train][sure[train]], right[train][sure[train]]).predict_proba(seen[test])[:, 1]
    for least in PROBABILITIES:
        passed = unseen >= least
        counts = {kind: f"{(passed & (kinds == kind)).sum()} of {(kinds == kind).sum()}" for kind in sorted(set(kinds))}
        print(f"{least}: {(passed & right).sum()} of {right.sum()} right ones; {counts}")
    scaler, model = fit(seen[sure], right[sure])
    weights = model.coef_[0] / scaler.scale_
    print("WEIGHTS =", tuple(weights.round(3).tolist()))
    print("BIAS =", round(float(model.intercept_[0] - weights @ scaler.mean_), 3))


if __name__ == "__main__":
    main()
