"""Learn how likely quotes answer a question: `python scripts/train_on_subject.py DATA bioasq=NAME medquad=NAME ...`.

Each NAME is a corpus built of a set (bioasq, medquad, pubmed, jats, covidqa). Right is a question of BioASQ whose
first quote is from a paper that experts chose, and one of people (`benchmarks/blind_questions.jsonl`, and what was read
of `asked_questions.tsv`) whose first quote is on its subject, asked of every corpus. Wrong is what else stands first
there, and a question of BioASQ whose subject's papers, or those with one more word of it, were taken out, or in which a
sibling in MeSH stands for a thing. Prints what it passes by folds, and the weights of
`medground.language.quoting.on_subject`. `--most` asks so many questions of each set alone.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import random
import re
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
from first_lines import Collection, questions, siblings, taken_out

from medground import Engine, Settings
from medground.answering.verify.context import AROUND, as_read, unmentioned
from medground.corpus.library import Library
from medground.language import words
from medground.language.question_reading import reading_of
from medground.language.quoting.on_subject import Quoted, signs
from medground.values.answer import Answer
from medground.values.query import Filters
from medground.values.question import Question

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
UNREAD = ("c7", "r7", "s7")
"""How the ids of the questions begin that nobody has looked at."""
SHARES = {"people": 2.0, "word taken out": 2.0, "experts": 0.7, "taken out": 1.4, "sibling": 1.4}
PROBABILITIES = (0.2, 0.25, 0.3, 0.35, 0.4)
_TELLING, _COMMON = 2.5, 0.3
"""Least weight of a word that is taken out, and the greatest share of documents that have it."""


class Asked(NamedTuple):
    """A question as it was answered: what is seen of its quotes, whether the rule passes them, if they are right."""

    kind: str
    base: str
    signs: tuple[float, ...]
    named: bool
    right: bool


class Asking:
    """Questions asked of a corpus without the gate."""

    def __init__(self, corpus: str) -> None:
        self.corpus, self.collection, self.chance = corpus, Collection(corpus), random.Random(7)
        self.asked: list[Asked] = []

    async def ask(self, engine: Engine, kind: str, base: str, asked: str | Question) -> Answer:
        """Ask, and keep what is seen as wrong; `judge` says what is right."""
        answer = await engine.ask(asked)
        with Library(Settings.load().home).open(self.corpus) as snapshot:
            found = snapshot.documents([one.document_id for one in answer.evidence])
        quotes = [
            Quoted(found[e.document_id].title, e.quote, as_read(e, found[e.document_id], AROUND))
            for e in answer.evidence
        ]
        if quotes:
            named = not unmentioned(answer.question, answer.evidence, found)
            seen = signs(reading_of(answer.question.text), quotes)
            self.asked.append(Asked(kind, base, seen, named, False))
        return answer

    async def of_experts(self, engine: Engine, text: str, chosen: frozenset[str]) -> None:
        """A question of BioASQ, and what the corpus cannot answer."""
        await self._unless_chosen(engine, "experts", text, text, chosen)
        for other in siblings(text, self.collection, self.chance):
            await self.ask(engine, "sibling", text, other)
        for kind, made in (
            ("taken out", taken_out(text, self.collection, self.chance)),
            ("word taken out", self._without_word(text)),
        ):
            if made:
                await self._unless_chosen(engine, kind, text, made, chosen)

    async def _unless_chosen(
        self, engine: Engine, kind: str, base: str, asked: str | Question, chosen: frozenset[str]
    ) -> None:
        """Only a real question from a chosen paper is right; else it is not known, unless no chosen paper is there."""
        answer = await self.ask(engine, kind, base, asked)
        if answer.evidence and (answer.evidence[0].document_id in chosen) == (kind == "experts"):
            self.asked[-1] = self.asked[-1]._replace(right=kind == "experts")
        elif answer.evidence:
            self.asked.pop()

    def _without_word(self, text: str) -> Question | None:
        """The question to the documents without one of its words that decides nothing."""
        asked, having = reading_of(text), self.collection.having
        things = {stem for one in asked.deciding for stem in words.terms(one.said)}
        most = _COMMON * len(self.collection.ids)
        rest = sorted(t for t in asked.topic - things if words.weight(t) >= _TELLING and len(having(t)) < most)
        if not (rest and things):
            return None
        gone = having(self.chance.choice(rest))
        ids = tuple(one for number, one in enumerate(self.collection.ids) if number not in gone)
        return Question.ask(text, filters=Filters(ids=ids))


async def collected(data: Path, corpora: dict[str, str], most: int) -> list[Asked]:
    """The answers to all questions."""
    found: list[Asked] = []
    people = [*_people()][:most]
    for name, corpus in corpora.items():
        asking = Asking(corpus)
        options = {"verify.gate": "false", "retrieval.corpora": corpus}
        async with await Engine.open(Settings.load(options=options)) as engine:
            for question, subject in people:
                answer = await asking.ask(engine, "people", question, question)
                if answer.evidence and _is_on(subject, answer):
                    asking.asked[-1] = asking.asked[-1]._replace(right=True)
            for task in ("7b", "8b", "9b") if name == "bioasq" else ():
                for one in questions(data, task, most, 7):
                    await asking.of_experts(engine, one.text, one.chosen)
        found += asking.asked
        print(f"{name}: {len(asking.asked)} answers", flush=True)
    return found


def _people() -> Iterator[tuple[str, str]]:
    """Questions of people, and the patterns that a first quote or its title must match."""
    with (BENCHMARKS / "blind_questions.jsonl").open(encoding="utf-8") as file:
        yield from ((row["question"], row["subject"]) for row in map(json.loads, file))
    with (BENCHMARKS / "asked_questions.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            right = row["right first line"]
            if not row["id"].startswith(UNREAD) and "notice" not in right and right != "stored fact":
                yield row["question"], row["subject"]


def _is_on(subject: str, answer: Answer) -> bool:
    lead = answer.evidence[0]
    seen = f"{lead.quote} {next(one.title for one in answer.documents if one.id == lead.document_id)}"
    return all(re.search(part, seen, re.IGNORECASE) for part in subject.split(";") if part)


def fit(rows: list[Asked]) -> Pipeline:
    """A logistic regression over standardised signs."""
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.3, max_iter=3000))
    shares = [SHARES[row.kind] for row in rows]
    return model.fit([row.signs for row in rows], [row.right for row in rows], logisticregression__sample_weight=shares)


def main() -> None:
    """Print what it passes, and the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("corpora", nargs="+", metavar="SET=NAME")
    parser.add_argument("--most", type=int, default=1000)
    given = parser.parse_args()
    corpora = dict(pair.split("=", 1) for pair in given.corpora)
    rows = asyncio.run(collected(given.data, corpora, given.most))
    unseen, groups = np.zeros(len(rows)), [row.base for row in rows]
    for train, test in GroupKFold(8, shuffle=True, random_state=1).split(rows, groups=groups):
        seen = [rows[n].signs for n in test]
        unseen[test] = fit([rows[n] for n in train]).predict_proba(seen)[:, 1]
    for least in PROBABILITIES:
        for named in (True, False):
            print(f"{least}, {'named' if named else 'not named'}:", end="")
            for kind in SHARES:
                of = [(p >= least, row.right) for p, row in zip(unseen, rows, strict=True)
                      if (row.kind, row.named) == (kind, named)]  # fmt: skip
                passed = [sum(stands and right == good for stands, right in of) for good in (True, False)]
                print(f"  {kind} {passed[0]} right, {passed[1]} wrong of {len(of)}", end="")
            print()
    scaler, model = fit(rows)
    weights = model.coef_[0] / scaler.scale_
    print("WEIGHTS =", tuple(weights.round(3).tolist()))
    print("BIAS =", round(float(model.intercept_[0] - weights @ scaler.mean_), 3))


if __name__ == "__main__":
    main()
