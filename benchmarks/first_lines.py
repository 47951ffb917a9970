"""Is the first line of an answer true? On BioASQ's questions, and on the same about something near that is not there.

    python benchmarks/first_lines.py DATA CORPUS [--task 9b] [--questions 150] [--seed 7]

DATA holds `bioasq/task9b.json.gz`; CORPUS is built of its papers. Of the questions as they are, it prints how many are
refused, and of the others in how many the first quote is from a paper that experts chose. Then each condition, drug or
procedure that decides is replaced by a sibling in MeSH that no quote of the original answer names: how many of these
are answered all the same, and each of them with its first quote, to be read.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from medground import Engine, Settings
from medground.language.question_reading import reading_of
from medground.pubmed.mesh import vocabulary
from medground.values.answer import Answer


def questions(data: Path, task: str, most: int, seed: int) -> list[dict[str, Any]]:
    """Some of the questions of a task, the same for the same seed."""
    with gzip.open(data / "bioasq" / f"task{task}.json.gz", "rt", encoding="utf-8") as file:
        found: list[dict[str, Any]] = json.load(file)["questions"]
    random.Random(seed).shuffle(found)
    return found[:most]


def siblings(text: str, chance: random.Random) -> Iterator[str]:
    """The question about a sibling of each thing that decides and has a heading; at most one for each."""
    for thing in reading_of(text).subjects:
        heading = vocabulary().find(thing.heading) if thing.decides and thing.heading else None
        if heading is None or thing.start < 0:
            continue
        near = [
            other.name
            for parent in vocabulary().parents(heading)
            for other in vocabulary().children(parent)
            if other.id != heading.id and "," not in other.name and other.name.casefold() not in text.casefold()
        ]
        if near:
            yield text[: thing.start] + chance.choice(near) + text[thing.start + len(thing.said) :]


def first_quote(answer: Answer) -> str:
    """The first quote shown and its paper."""
    return f"{answer.evidence[0].document_id} {answer.evidence[0].quote[:110]}" if answer.evidence else ""


def answered(answer: Answer) -> bool:
    """Whether something stands on top as an answer."""
    return answer.decision.status != "unanswerable"


async def measure(asked: Sequence[dict[str, Any]], corpus: str, seed: int) -> None:
    """Print the figures."""
    chance, refused, gold, near = random.Random(seed), 0, 0, list[str]()
    async with await Engine.open(Settings.load(options={"retrieval.corpora": corpus})) as engine:
        for question in asked:
            answer = await engine.ask(question["body"])
            links = [*question["documents"], *(snippet["document"] for snippet in question["snippets"])]
            chosen = {f"PMID:{link.rsplit('/', 1)[1]}" for link in links}
            refused += not answered(answer)
            gold += answered(answer) and bool(answer.evidence) and answer.evidence[0].document_id in chosen
            near += siblings(question["body"], chance)
        print(
            f"{len(asked)} questions: {refused} refused, first quote gold in {gold / max(1, len(asked) - refused):.3f}"
        )
        passed = [(text, answer) for text in near if answered(answer := await engine.ask(text))]
        print(f"{len(near)} about a sibling: {len(passed)} answered ({len(passed) / max(1, len(near)):.1%})")
        for text, answer in passed:
            print(f"  {text} | {first_quote(answer)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("corpus")
    parser.add_argument("--task", default="9b")
    parser.add_argument("--questions", type=int, default=150)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    asyncio.run(measure(questions(given.data, given.task, given.questions, given.seed), given.corpus, given.seed))
