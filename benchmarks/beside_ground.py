"""Measures the keyless report of `biomedsearch` beside `ground` and plain BM25, on BioASQ questions with exact answers.

    python benchmarks/beside_ground.py DATA_FOLDER HOME [--task 7b] [--count 60] [--seed 40] [--show]

HOME has the corpus `askedbioasq`: the chosen snippets of all papers of BioASQ 7b to 9b. Only this corpus is searched.
Each figure is a mean over the questions, in percent:

- exact: the share of the items of the exact answer that a quote names, by one of their synonyms.
- papers: the share of the papers that experts chose among those that were kept; for BM25, among as many first ones.
- any: whether one of these papers is kept.
- quoted: whether one of these papers is quoted.
- empty: whether nothing is quoted.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from medground import Answer, Engine, Settings
from medground.corpus.library import Library
from medground.values.query import Words

CORPUS = "askedbioasq"
RECIPES: dict[str, dict[str, Any]] = {
    "ground": {},
    "biomedsearch": {"biomedsearch.tools": ("literature",)},
}
_WORD = re.compile(r"[^\W_]+")


def plain(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def items(question: dict[str, Any]) -> list[list[str]]:
    """The items of an exact answer, each with its synonyms; a factoid has one."""
    said = question["exact_answer"]
    flat = [one if isinstance(one, list) else [one] for one in ([said] if isinstance(said, str) else said)]
    return [[name for names in flat for name in names]] if question["type"] == "factoid" else flat


def drawn(data: Path, tasks: Sequence[str], count: int, seed: int) -> list[dict[str, Any]]:
    """Factoid and list questions with papers, drawn at random."""
    found = [
        one
        for task in tasks
        for one in json.loads(gzip.decompress((data / "bioasq" / f"task{task}.json.gz").read_bytes()))["questions"]
        if one["type"] in ("factoid", "list") and one.get("snippets") and one.get("exact_answer")
    ]
    return random.Random(seed).sample(sorted(found, key=lambda one: str(one["id"])), count)


def kept(answer: Answer) -> set[str]:
    """The papers that an answer lists, quoted or not."""
    return {document.id for document in answer.documents}


async def answers(home: Path, recipe: str, asked: Sequence[str], sets: dict[str, Any]) -> list[Answer]:
    options = {"home": str(home), "retrieval.corpora": (CORPUS,), "recipe.name": recipe, **RECIPES[recipe], **sets}
    async with Engine.open(Settings.load(environ={}, options=options)) as engine:
        return [await engine.ask(question) for question in asked]


def exact(question: dict[str, Any], quotes: Sequence[str]) -> float:
    text = plain(" ".join(quotes))
    wanted = items(question)
    return sum(any(plain(name) in text for name in names if name.strip()) for names in wanted) / len(wanted)


def quotes_of(answer: Answer) -> list[str]:
    """The quotes that an answer shows."""
    shown = {e for statement in answer.statements for e in statement.evidence}
    return [one.quote for one in answer.evidence if one.id in shown]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("home", type=Path)
    parser.add_argument("--task", default="7b", help="comma-separated")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=40)
    parser.add_argument("--set", action="append", default=[], help="a setting, as of the command")
    parser.add_argument("--show", action="store_true")
    chosen = parser.parse_args()
    sets = dict(one.split("=", 1) for one in chosen.set)
    questions = drawn(chosen.data, chosen.task.split(","), chosen.count, chosen.seed)
    asked = [one["body"] for one in questions]
    gold = [{f"PMID:{snippet['document'].rpartition('/')[2]}" for snippet in one["snippets"]} for one in questions]
    print(f"{len(questions)} questions of BioASQ {chosen.task}, seed {chosen.seed}")
    columns = ("", "exact", "papers", "any", "quoted", "empty", "quotes", "papers kept", "seconds")
    print(f"\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")
    made: dict[str, list[Answer]] = {}
    for recipe in RECIPES:
        begun = time.monotonic()
        made[recipe] = asyncio.run(answers(chosen.home, recipe, asked, sets if recipe == "biomedsearch" else {}))
        spent = (time.monotonic() - begun) / len(asked)
        row(recipe, questions, gold, made[recipe], spent)
    with Library(chosen.home).open(CORPUS) as snapshot:
        shares, anys = [], []
        for question, own, answer in zip(asked, gold, made["biomedsearch"], strict=True):
            hits = snapshot.bm25(Words(text=question), 400)
            first = list(dict.fromkeys(hit.passage.document_id for hit in hits))[: len(kept(answer))]
            shares.append(len(own & set(first)) / len(own))
            anys.append(bool(own & set(first)))
    print(f"| BM25, as many papers | | {mean(shares):.1f} | {mean(anys):.1f} | | | | | |")
    if chosen.show:
        show(questions, gold, made)


def mean(values: Sequence[float]) -> float:
    return 100 * sum(values) / len(values)


def row(
    name: str, questions: Sequence[dict[str, Any]], gold: Sequence[set[str]], made: Sequence[Answer], spent: float
) -> None:
    cited = [{e.document_id for e in answer.evidence} for answer in made]
    right = mean([exact(question, quotes_of(answer)) for question, answer in zip(questions, made, strict=True)])
    papers = mean([len(own & kept(answer)) / len(own) for own, answer in zip(gold, made, strict=True)])
    some = mean([bool(own & kept(answer)) for own, answer in zip(gold, made, strict=True)])
    quoted = mean([bool(own & ids) for own, ids in zip(gold, cited, strict=True)])
    empty = sum(not answer.statements for answer in made)
    quotes = sum(len(quotes_of(answer)) for answer in made) / len(made)
    sizes = sum(len(kept(answer)) for answer in made) / len(made)
    figures = [f"{one:.1f}" for one in (right, papers, some, quoted)]
    print(f"| {name} | {' | '.join(figures)} | {empty} | {quotes:.1f} | {sizes:.1f} | {spent:.2f} |")


def show(questions: Sequence[dict[str, Any]], gold: Sequence[set[str]], made: dict[str, list[Answer]]) -> None:
    for n, question in enumerate(questions):
        scores = {name: exact(question, quotes_of(some[n])) for name, some in made.items()}
        found = {name: f"{len(gold[n] & kept(some[n]))}/{len(gold[n])}" for name, some in made.items()}
        print(f"- {question['body']} {scores} {found}")
        report = made["biomedsearch"][n].report
        for one in report.plan.subquestions if report else ():
            print(f"    {one.id} {one.text} {one.keywords}")


if __name__ == "__main__":
    main()
