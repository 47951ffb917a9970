"""Learn how likely quotes answer a question: `python scripts/train_on_subject.py DATA bioasq=NAME medquad=NAME ...`.

Each NAME is a corpus built of a set (bioasq, medquad, pubmed, jats, covidqa). Right is a question of BioASQ whose
first quote is from a paper that experts chose, and one of people (`people_questions.jsonl`, `typed_questions.tsv`)
whose first quote is on its subject, asked of every corpus. Wrong is what else stands first there, and a question of
BioASQ whose subject's papers, or those with one more word of it, were taken out, or in which a sibling in MeSH stands
for a thing. Prints what it passes by folds, and writes `on_subject.json`. `--most` asks so many questions of each task
of BioASQ alone. Answers are kept in `--kept FILE`, so that a run that was cut resumes; remove it when the code changes.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import random
import re
import sys
from collections.abc import Coroutine, Iterator, Mapping, Sequence
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
from medground.language.quoting.on_subject import NAMED, UNNAMED, Quoted, signs
from medground.values.answer import Answer
from medground.values.query import Filters
from medground.values.question import Question

HERE = Path(__file__).parent
OUT = HERE.parent / "src" / "medground" / "data" / "on_subject.json"
SEED = 7
SHARES = {"people": 2.0, "word taken out": 2.0, "experts": 0.7, "taken out": 1.4, "sibling": 1.4}
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
        self.corpus, self.collection = corpus, Collection(corpus)

    async def ask(self, engine: Engine, kind: str, base: str, asked: str | Question) -> tuple[Answer, list[Asked]]:
        """The answer, and what is seen of it as a wrong one; nothing is seen where nothing is quoted."""
        answer = await engine.ask(asked)
        with Library(Settings.load().home).open(self.corpus) as snapshot:
            found = snapshot.documents([one.document_id for one in answer.evidence])
        quotes = [
            Quoted(found[e.document_id].title, e.quote, as_read(e, found[e.document_id], AROUND))
            for e in answer.evidence
        ]
        if not quotes:
            return answer, []
        named = not unmentioned(answer.question, answer.evidence, found)
        seen = signs(reading_of(answer.question.text), quotes)
        return answer, [Asked(kind, base, seen, named, False)]

    async def of_people(self, engine: Engine, text: str, subject: str) -> list[Asked]:
        """A question of people: right if the first quote or its title matches the patterns of its subject."""
        answer, seen = await self.ask(engine, "people", text, text)
        return [one._replace(right=_is_on(subject, answer)) for one in seen]

    async def of_experts(self, engine: Engine, text: str, chosen: frozenset[str]) -> list[Asked]:
        """A question of BioASQ, and what the corpus cannot answer."""
        chance = random.Random(f"{SEED} {text}")
        found = await self._unless_chosen(engine, "experts", text, text, chosen)
        for other in siblings(text, self.collection, chance):
            found += (await self.ask(engine, "sibling", text, other))[1]
        for kind, made in (
            ("taken out", taken_out(text, self.collection, chance)),
            ("word taken out", self._without_word(text, chance)),
        ):
            if made:
                found += await self._unless_chosen(engine, kind, text, made, chosen)
        return found

    async def _unless_chosen(
        self, engine: Engine, kind: str, base: str, asked: str | Question, chosen: frozenset[str]
    ) -> list[Asked]:
        """Only a real question from a chosen paper is right; else it is not known, unless no chosen paper is there."""
        answer, seen = await self.ask(engine, kind, base, asked)
        if not seen or (answer.evidence[0].document_id in chosen) != (kind == "experts"):
            return []
        return [one._replace(right=kind == "experts") for one in seen]

    def _without_word(self, text: str, chance: random.Random) -> Question | None:
        """The question to the documents without one of its words that decides nothing."""
        asked, having = reading_of(text), self.collection.having
        things = {stem for one in asked.deciding for stem in words.terms(one.said)}
        most = _COMMON * len(self.collection.ids)
        rest = sorted(t for t in asked.topic - things if words.weight(t) >= _TELLING and len(having(t)) < most)
        if not (rest and things):
            return None
        gone = having(chance.choice(rest))
        ids = tuple(one for number, one in enumerate(self.collection.ids) if number not in gone)
        return Question.ask(text, filters=Filters(ids=ids))


class Kept:
    """What was seen of each question in each corpus, in a file that grows as questions are asked."""

    def __init__(self, path: Path | None) -> None:
        self._path, self._found = path, dict[tuple[str, str], list[Asked]]()
        if path and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                corpus, text, rows = json.loads(line)
                self._found[corpus, text] = [Asked(kind, base, tuple(s), *rest) for kind, base, s, *rest in rows]

    async def or_asked(self, corpus: str, text: str, asking: Coroutine[None, None, list[Asked]]) -> list[Asked]:
        """What is kept of a question; if nothing is, it is asked."""
        if (corpus, text) in self._found:
            asking.close()
            return self._found[corpus, text]
        found = await asking
        if self._path:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([corpus, text, found]) + "\n")
        return found


async def collected(data: Path, corpora: dict[str, str], most: int, kept: Kept) -> list[Asked]:
    """The answers to all questions."""
    found: list[Asked] = []
    for name, corpus in corpora.items():
        asking = Asking(corpus)
        options = {"verify.gate": "false", "retrieval.corpora": corpus}
        async with await Engine.open(Settings.load(options=options)) as engine:
            for question, subject in _people():
                found += await kept.or_asked(corpus, question, asking.of_people(engine, question, subject))
            for task in ("7b", "8b", "9b") if name == "bioasq" else ():
                for one in questions(data, task, most, SEED):
                    found += await kept.or_asked(corpus, one.text, asking.of_experts(engine, one.text, one.chosen))
        print(f"{name}: {len(found)} answers so far", flush=True)
    return found


def _people() -> Iterator[tuple[str, str]]:
    """Questions of people, and the patterns that a first quote or its title must match."""
    with (HERE / "people_questions.jsonl").open(encoding="utf-8") as file:
        yield from ((row["question"], row["subject"]) for row in map(json.loads, file))
    with (HERE / "typed_questions.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            right = row["right first line"]
            if "notice" not in right and right != "stored fact":
                yield row["question"], row["subject"]


def _is_on(subject: str, answer: Answer) -> bool:
    lead = answer.evidence[0]
    seen = f"{lead.quote} {next(one.title for one in answer.documents if one.id == lead.document_id)}"
    return all(re.search(part, seen, re.IGNORECASE) for part in subject.split(";") if part)


def fit(rows: Sequence[Asked]) -> Pipeline:
    """A logistic regression over standardised signs."""
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.3, max_iter=3000))
    shares = [SHARES[row.kind] for row in rows]
    return model.fit([row.signs for row in rows], [row.right for row in rows], logisticregression__sample_weight=shares)


def by_folds(rows: Sequence[Asked]) -> Mapping[str, str]:
    """What the rule and the weights pass of each kind, from weights that have not seen the question."""
    unseen, groups = np.zeros(len(rows)), [row.base for row in rows]
    for train, test in GroupKFold(8, shuffle=True, random_state=1).split(rows, groups=groups):
        unseen[test] = fit([rows[n] for n in train]).predict_proba([rows[n].signs for n in test])[:, 1]
    found = {}
    for kind in SHARES:
        of = [(p >= (NAMED if row.named else UNNAMED), row) for p, row in zip(unseen, rows, strict=True)
              if row.kind == kind]  # fmt: skip
        for right in (True, False):
            passed = [stands for stands, row in of if row.right is right]
            if passed:
                found[f"{kind}, {'right' if right else 'wrong'}: pass"] = f"{sum(passed)} of {len(passed)}"
    return found


def main() -> None:
    """Ask, print what passes by folds, and write `on_subject.json`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("corpora", nargs="+", metavar="SET=NAME")
    parser.add_argument("--most", type=int, default=1000)
    parser.add_argument("--kept", type=Path)
    given = parser.parse_args()
    corpora = dict(pair.split("=", 1) for pair in given.corpora)
    rows = asyncio.run(collected(given.data, corpora, given.most, Kept(given.kept)))
    figures = by_folds(rows)
    scaler, model = fit(rows)
    weights = model.coef_[0] / scaler.scale_
    about = {
        "about": "weights of the signs of medground.language.quoting.on_subject; made by scripts/train_on_subject.py",
        "answers": {kind: sum(row.kind == kind for row in rows) for kind in SHARES},
        "by folds": figures,
        "weights": weights.round(3).tolist(),
        "bias": round(float(model.intercept_[0] - weights @ scaler.mean_), 3),
    }
    OUT.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(about, indent=1))


if __name__ == "__main__":
    main()
