"""Is the first line of an answer true? On questions as they are, and on what a collection cannot answer.

    python benchmarks/first_lines.py DATA CORPUS [--task 9b | medquad] [--questions 150] [--seed 7]

DATA holds `bioasq/task9b.json.gz` or `medquad/qa.jsonl.gz`; CORPUS is built of its papers. Of the questions as they
are, it prints how many are refused, and of the others in how many the first quote is from a paper that experts chose.
Then it prints how many are answered that the collection cannot answer, each with its first quote, to be read:

The weights learned from all of these questions (docs/measurements/answers.md): the figures show what a change breaks.

- near sibling: a thing that decides is replaced by a sibling in MeSH that no document names, nor a kind of it;
- subject taken out: only the documents are searched that do not name one of the things that decide, nor a kind of it.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from medground import Engine, Settings
from medground.corpus.library import Library
from medground.language import words
from medground.language.clean import without_accents
from medground.language.question_reading import reading_of
from medground.language.subject import Subject, forms
from medground.pubmed.mesh import vocabulary
from medground.values.answer import Answer
from medground.values.query import Filters
from medground.values.question import Question

_APART = 2
"""Words that may stand between those of a name."""


class Asked(NamedTuple):
    """A question, and the documents that answer it."""

    text: str
    chosen: frozenset[str]


def questions(data: Path, task: str, most: int, seed: int) -> list[Asked]:
    """Some of the questions of a task, the same for the same seed."""
    if task == "medquad":
        with gzip.open(data / "medquad" / "qa.jsonl.gz", "rt", encoding="utf-8") as file:
            found = [Asked(row["question"], frozenset()) for row in map(json.loads, file)]
    else:
        with gzip.open(data / "bioasq" / f"task{task}.json.gz", "rt", encoding="utf-8") as file:
            rows = json.load(file)["questions"]
        links = ([*row["documents"], *(snippet["document"] for snippet in row["snippets"])] for row in rows)
        chosen = (frozenset(f"PMID:{link.rsplit('/', 1)[1]}" for link in some) for some in links)
        found = [Asked(row["body"], some) for row, some in zip(rows, chosen, strict=True)]
    random.Random(seed).shuffle(found)
    return found[:most]


class Collection:
    """The documents of a corpus, and which of them name a thing."""

    def __init__(self, corpus: str) -> None:
        with Library(Settings.load().home).open(corpus) as snapshot:
            documents = [*snapshot.all_documents()]
        self.ids = [one.id for one in documents]
        self._texts: list[tuple[str, ...]] = []
        self._with: defaultdict[str, set[int]] = defaultdict(set)
        for number, one in enumerate(documents):
            headings = ". ".join(heading.descriptor for heading in one.mesh)
            stems = words.terms(without_accents(f"{one.title}. {one.text} {headings}"))
            self._texts.append(tuple(stems))
            for stem in set(stems):
                self._with[stem].add(number)

    def naming(self, thing: Subject) -> set[int]:
        """The numbers of the documents that name a thing by any of its names, or a kind of it."""
        names = [form for name in (thing.said, *thing.names, *thing.narrower) for form in forms(name)]
        stems = {tuple(words.terms(without_accents(name))) for name in names} - {()}
        return {number for name in stems for number in self._having(name)}

    def having(self, stem: str) -> set[int]:
        """The numbers of the documents that have a stem, or one that begins as a long stem does."""
        near = (one for one in self._with if len(stem) > 4 and one.startswith(stem[: max(5, len(stem) - 2)]))
        return set().union(*(self._with[one] for one in (stem, *near) if one in self._with))

    def _having(self, name: tuple[str, ...]) -> Iterator[int]:
        for number in set.intersection(*(self._with[stem] for stem in name)):
            text, size = self._texts[number], len(name) + _APART
            starts = (n for n, stem in enumerate(text) if stem == name[0])
            if any(set(name) <= set(text[max(0, n - size + 1) : n + size]) for n in starts):
                yield number


def siblings(text: str, collection: Collection, chance: random.Random) -> Iterator[str]:
    """The question about a sibling of each thing that decides and has a heading; at most one for each.

    What is left in brackets would still name the thing itself.
    """
    mesh = vocabulary()
    for thing in reading_of(text).subjects:
        heading = mesh.find(thing.heading) if thing.decides and thing.heading else None
        if heading is None or thing.start < 0:
            continue
        near = [other for parent in mesh.parents(heading) for other in mesh.children(parent)]
        near = [one for one in near if one.id != heading.id and "," not in one.name]
        chance.shuffle(near)
        rest = re.sub(r"^\s*\([^()]*\)", "", text[thing.start + len(thing.said) :])
        for other in near:
            names = tuple(name for one in mesh.explode(other) for name in (one.name, *one.entry_terms))
            if not collection.naming(Subject(other.name, names)):
                yield text[: thing.start] + other.name + rest
                break


def taken_out(text: str, collection: Collection, chance: random.Random) -> Question | None:
    """The question to the documents that do not name one of the things that decide; None if nothing decides."""
    things = [thing for thing in reading_of(text).subjects if thing.decides]
    if not things:
        return None
    named = collection.naming(chance.choice(things))
    return Question.ask(text, filters=Filters(ids=tuple(one for n, one in enumerate(collection.ids) if n not in named)))


def first_quote(answer: Answer) -> str:
    """The first quote shown and its paper."""
    return f"{answer.evidence[0].document_id} {answer.evidence[0].quote[:110]}" if answer.evidence else ""


def answered(answer: Answer) -> bool:
    """Whether something stands on top as an answer."""
    return answer.decision.status != "unanswerable"


async def measure(asked: Sequence[Asked], corpus: str, seed: int) -> None:
    """Print the figures."""
    chance, collection, refused, gold = random.Random(seed), Collection(corpus), 0, 0
    async with await Engine.open(Settings.load(options={"retrieval.corpora": corpus})) as engine:
        for one in asked:
            answer = await engine.ask(one.text)
            refused += not answered(answer)
            gold += answered(answer) and bool(answer.evidence) and answer.evidence[0].document_id in one.chosen
        share = gold / max(1, len(asked) - refused)
        print(f"{len(asked)} questions: {refused} refused, first quote gold in {share:.3f}")
        negatives: dict[str, list[str | Question]] = {
            "near sibling": [text for one in asked for text in siblings(one.text, collection, chance)],
            "subject taken out": [made for one in asked if (made := taken_out(one.text, collection, chance))],
        }
        for kind, some in negatives.items():
            passed = [(each, answer) for each in some if answered(answer := await engine.ask(each))]
            print(f"{kind}: {len(passed)} of {len(some)} answered ({len(passed) / max(1, len(some)):.1%})")
            for each, answer in passed:
                print(f"  {each if isinstance(each, str) else each.text} | {first_quote(answer)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("corpus")
    parser.add_argument("--task", default="9b")
    parser.add_argument("--questions", type=int, default=150)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    asyncio.run(measure(questions(given.data, given.task, given.questions, given.seed), given.corpus, given.seed))
