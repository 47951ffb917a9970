"""Measures how often the shipped critic's answers to yes-or-no questions are right, and chooses when it may answer.

    MEDGROUND_HOME=... python benchmarks/deciding.py DATA BIOASQ PUBMEDQA SCIFACT [--limit N] [--write]

BIOASQ, PUBMEDQA and SCIFACT are corpora of the home: the papers of BioASQ 7b to 9b, of PubMedQA and of SciFact. The
critic never saw their questions: experts' questions, titles of studies (the test split), and SciFact's development
claims asked as questions. They are asked as a user asks them. `maybe` and claims without evidence count as wrong.

The critic reads each quote by itself. An answer of several papers and one of a single paper are different kinds. The
probability from which it may answer is the lowest at which 95 % of "yes" and of "no" of several papers are right on
BioASQ. Each task's figures are those at the probability chosen on the other two tasks; the other sets' are those at
the probability chosen on all three. `--write` puts them into the card: by kind, for all sets together. There "yes" and
"no" must each be right more often than such questions have that answer, and what is stated near what is right.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from shipped import share

import medground.answering.conclude.finish as finishing
from medground import Engine, Settings
from medground.answering.conclude.critic_reading import CriticReading, judged
from medground.answering.verify.judges import ONE, SEVERAL
from medground.models.catalogue import FOLDER, Proof, shipped
from medground.values.question import Question
from medground_evaluate.statistics import wilson

CRITIC = "critic"
RIGHT = 0.95
"""Minimum share of right answers, of yes and of no, at the probability that is chosen."""
LEAST = [n / 100 for n in range(80, 98)]
TASKS = ("7b", "8b", "9b")


class Asked(NamedTuple):
    """A question of a set or of a task of it, the experts' answer, and what the critic reads, if anything."""

    of: str
    question: str
    truth: str
    found: CriticReading | None = None

    def answered(self, kind: str, least: float) -> bool:
        """Whether it gets an answer of this kind from this probability on."""
        one = self.found
        return bool(one) and (len(one.quotes) > 1) == (kind == SEVERAL) and (one.probability or 0.0) >= least


def bioasq(data: Path) -> Iterator[Asked]:
    """BioASQ's yes-or-no questions."""
    for task in TASKS:
        with gzip.open(data / "bioasq" / f"task{task}.json.gz", "rt", encoding="utf-8") as file:
            for one in json.load(file)["questions"]:
                if one["type"] == "yesno":
                    yield Asked(task, one["body"], one["exact_answer"].lower())


def pubmedqa(data: Path) -> Iterator[Asked]:
    """The questions of the test split."""
    with gzip.open(data / "pubmedqa" / "pqa_l.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    yield from (Asked("PubMedQA", one["question"], one["final_decision"]) for one in rows if one["split"] == "test")


def scifact(data: Path) -> Iterator[Asked]:
    """The development claims as questions; one that no abstract, or abstracts of both kinds, decide is neither."""
    with (data / "scifact" / "claims_dev.jsonl").open(encoding="utf-8") as lines:
        for one in map(json.loads, lines):
            labels = {part["label"] for parts in one["evidence"].values() for part in parts}
            truth = {"SUPPORT": "yes", "CONTRADICT": "no"}[labels.pop()] if len(labels) == 1 else "neither"
            yield Asked("SciFact", f"Is it true that {one['claim'].strip().rstrip('.')}?", truth)


async def read(asked: Sequence[Asked], corpus: str) -> list[Asked]:
    """The questions with what the critic reads, however sure it is."""
    options = {"retrieval.corpora": (corpus,), "verify.critic": CRITIC, "verify.measured_judges": (CRITIC,)}
    found: list[CriticReading | None] = []

    async def kept(*given: object) -> CriticReading | None:
        found.append(one := await judged(*given))  # type: ignore[arg-type]
        return one

    finishing.judged = kept
    rows, clock = [], time.perf_counter()
    async with Engine.open(Settings.load(options=options)) as engine:
        for one in asked:
            found.clear()
            await engine.ask(Question.ask(one.question, task="yes-no-maybe"))
            rows.append(one._replace(found=found[-1] if found else None))
    print(f"{corpus}: {(time.perf_counter() - clock) / len(rows):.2f} s a question")
    return rows


def counted(rows: Sequence[Asked], kind: str, least: float, said: str = "") -> tuple[int, int, float]:
    """How many answers are right, how many there are, and the sum of their probabilities."""
    some = [one for one in rows if one.answered(kind, least) and one.found and said in ("", one.found.value)]
    right = sum(one.found.value == one.truth for one in some if one.found)
    return right, len(some), sum(one.found.probability or 0.0 for one in some if one.found)


def chosen(rows: Sequence[Asked]) -> float:
    """The lowest probability at which enough of yes and of no are right."""
    for least in LEAST:
        if all(right >= RIGHT * of for right, of, _ in (counted(rows, SEVERAL, least, said) for said in ("yes", "no"))):
            return least
    return 1.0


def proofs(parts: Sequence[tuple[Sequence[Asked], float]], sets: str) -> Iterator[Proof]:
    """The figures of each kind, of yes, of no and of both, on all parts, each at its own probability."""
    everything = [one for rows, _ in parts for one in rows]
    says: tuple[Literal["", "yes", "no"], ...] = ("", "yes", "no")
    for kind in (SEVERAL, ONE):
        for said in says:
            found = [counted(rows, kind, least, said) for rows, least in parts]
            right, of, stated = (sum(numbers) for numbers in zip(*found, strict=True))
            answered = [one for rows, least in parts for one in rows if one.answered(kind, least)] if not said else []
            base = [one.truth == (said or "yes") for one in answered or everything]
            low, high = wilson(int(right), int(of)) if of else (0.0, 1.0)
            yield Proof(
                dataset=sets,
                of="questions",
                kind=kind,
                said=said,
                pairs=int(of),
                accuracy=right / of if of else 0.0,
                low=low,
                high=high,
                majority=round(sum(base) / len(base), 6),
                stated=None if said else round(stated / of, 4) if of else 0.0,
            )


def main() -> None:
    """Print the measurements and write the card."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("corpora", nargs=3, metavar="CORPUS")
    parser.add_argument("--limit", type=int, help="only the first questions of each set, for a trial")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    sets = [list(one(given.data))[: given.limit] for one in (bioasq, pubmedqa, scifact)]
    experts, titles, claims = (asyncio.run(read(*pair)) for pair in zip(sets, given.corpora, strict=True))
    least = chosen(experts)
    folds = [([one for one in experts if one.of == task], [one for one in experts if one.of != task]) for task in TASKS]
    parts = [(held, chosen(others)) for held, others in folds]
    print(f"from {least}; by task: {[one for _, one in parts]}\n\n| set | kind | yes | no |\n| --- | --- | --- | --- |")
    for name, some in {"BioASQ": parts, "PubMedQA": [(titles, least)], "SciFact": [(claims, least)]}.items():
        for kind in (SEVERAL, ONE):
            cells = []
            for said in ("yes", "no"):
                found = [counted(rows, kind, at, said) for rows, at in some]
                cells.append(share(sum(right for right, *_ in found), sum(of for _, of, _ in found)))
            print(f"| {name} ({sum(len(rows) for rows, _ in some)}) | {kind} | {' | '.join(cells)} |")
    everything = [*parts, (titles, least), (claims, least)]
    made = tuple(proofs(everything, "BioASQ 7b to 9b, PubMedQA test and SciFact dev"))
    print("\n".join(f"{one.kind}, {one.said or 'both'}: {one} {'passed' if one.passes else 'failed'}" for one in made))
    wrong = [one for rows, at in everything for one in rows if one.answered(SEVERAL, at)]
    print(
        "\n".join(
            f"{one.of}: {one.question} {one.truth}" for one in wrong if one.found and one.found.value != one.truth
        )
    )
    if given.write:
        card = shipped()[CRITIC].card
        others = tuple(one for one in card.proofs if one.of != "questions")
        card = card.model_copy(update={"proofs": (*others, *made), "decides_from": least})
        text = card.model_dump_json(indent=1, exclude_defaults=True)
        (FOLDER / f"{CRITIC}.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
