"""Makes reports and checks each quote and each number in them by means that share no code with the checks of answers.

    python benchmarks/reports.py DATA_FOLDER HOME [--recipe biomedsearch] [--count 20] [--seed 16] [--show]

HOME has the corpus `pubmedqa`; the questions are PubMedQA's, drawn at random. Only literature is searched, in that
corpus, so no network is used. Each recipe runs twice: keyless, and with a scripted model that writes the sources' own
sentences but spoils the numbers of every second one (two numbers exchanged, a digit changed, percent turned into
percentage points) while its judge calls everything entailed.

Checked: every quote is what stands at its offsets in the stored document; every number of a sentence stands in a
document that the sentence cites, with the same unit after it. Numbers are found by one pattern and compared as text.
Of the spoilt sentences it is told how many were written, and how many came through, flagged or not.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from verification import share

from medground import Answer, Engine, Settings
from medground.corpus.library import Library
from medground.language import words
from medground.models.base import CallLimits, Keyless, Reply
from medground.models.operators.base import I, O, Operator
from medground.models.operators.checking import CheckInput, CheckOutput, StatementCheck, StatementView
from medground.models.registry import Models
from medground.values.usage import Usage

CORPUS = "pubmedqa"
WRITERS = ("write", "reason", "answer_part", "compose_report", "summarise", "respond")
_CITED = ("evidence", "sentences")
_NUMBER = re.compile(
    r"(?<![\w.,·])\d+(?:[.,·]\d+)*(?![\w])|(?<![\w.,·])\d+(?:[.,·]\d+)*(?=(?:mg|kg|g|ml|mm|cm|μg|%)\b|%)"
)
_AFTER = re.compile(r"[\s-]?(%\s?points?|percent\w*(?: points?)?|per cent|%|[A-Za-zμµ]+(?:/[A-Za-z]+)*)")
_SAME = {"percent": "%", "per cent": "%", "µg": "μg", "mcg": "μg"}
_MEASURES = frozenset(("%", "points", "percentage", "mg", "kg", "g", "μg", "ng", "ml", "l", "dl", "mmol", "μmol")) | {
    *("mm", "cm", "m", "mmhg", "fold", "ms", "s", "min", "minutes", "hour", "hours", "day", "days", "week", "weeks"),
    *("month", "months", "year", "years"),
}


class Spoiling:
    """A model that writes as word statistics do, with spoilt numbers, and whose judge agrees to everything.

    Attributes:
        spoilt: how each spoilt sentence was spoilt, by its text.
    """

    name = identity = "scripted:spoiling"
    cacheable = False

    def __init__(self, seed: int) -> None:
        self.spoilt: dict[str, str] = {}
        self._dice = random.Random(seed)

    async def answer(self, operator: Operator[I, O], value: I, limits: CallLimits) -> Reply[O]:
        """The keyless answer, spoilt; of the judge, that the nearest premise entails the statement."""
        if isinstance(value, CheckInput):
            told = [
                StatementCheck(statement=s.id, relation="entails", best=_nearest(s, value)) for s in value.statements
            ]
            output: Any = CheckOutput(statements=tuple(told))
        else:
            written = operator.keyless(value).model_dump()
            output = operator.output.model_validate(self._spoil(written))
        operator.check(value, output)
        return Reply(output=output, usage=Usage(model_calls=1))

    async def close(self) -> None:
        """Nothing is open."""

    def models(self) -> Models:
        """The models of a run in which it writes and judges."""
        writers = dict.fromkeys((*WRITERS, "check"), self.name)
        return Models("keyless", writers, {"keyless": Keyless(), self.name: self})

    def _spoil(self, written: Any) -> Any:
        if isinstance(written, Mapping):
            kept = {key: self._spoil(value) for key, value in written.items()}
            if isinstance(kept.get("text"), str) and any(kept.get(key) for key in _CITED) and self._dice.random() < 0.5:
                kept["text"] = self._changed(kept["text"])
            return kept
        return tuple(map(self._spoil, written)) if isinstance(written, list | tuple) else written

    def _changed(self, text: str) -> str:
        found = [match for match in _NUMBER.finditer(text) if text[match.end() : match.end() + 1] != ")"]
        ways = [self._exchanged, self._digit, self._points]
        self._dice.shuffle(ways)
        for way in ways:
            changed = way(text, found)
            if changed != text:
                self.spoilt[" ".join(changed.split())] = way.__name__.strip("_")
                return changed
        return text

    def _exchanged(self, text: str, found: Sequence[re.Match[str]]) -> str:
        pairs = [(a, b) for a, b in pairwise(found) if a[0] != b[0]]
        if not pairs:
            return text
        a, b = self._dice.choice(pairs)
        return text[: a.start()] + b[0] + text[a.end() : b.start()] + a[0] + text[b.end() :]

    def _digit(self, text: str, found: Sequence[re.Match[str]]) -> str:
        if not found:
            return text
        match = self._dice.choice(found)
        place = self._dice.choice([n for n in range(*match.span()) if text[n].isdigit()])
        return text[:place] + self._dice.choice([d for d in "123456789" if d != text[place]]) + text[place + 1 :]

    def _points(self, text: str, found: Sequence[re.Match[str]]) -> str:
        return re.sub(r"(?<=\d)\s?%", " percentage points", text, count=1)


def _nearest(statement: StatementView, value: CheckInput) -> str:
    wanted = words.terms(statement.text)
    return max(value.evidence, key=lambda one: words.coverage(wanted, words.terms(one.quote))).id


def numbers(text: str) -> list[tuple[str, str]]:
    """Each number of a text, without thousands separators, with the unit after it; empty if no unit follows."""
    found = []
    for match in _NUMBER.finditer(text):
        after = _AFTER.match(text, match.end())
        unit = after[1].casefold() if after else ""
        unit = "points" if "point" in unit else _SAME.get(unit, unit)
        plain = re.sub(r",(?=\d{3}(?!\d))", "", match[0]).replace("·", ".")
        found.append((plain, unit if unit in _MEASURES else ""))
    return found


def untraced(sentence: str, sources: Iterable[str]) -> list[tuple[str, str]]:
    """The numbers of a sentence that no source has with that unit; a source may give the unit of a list once."""
    held = [pair for source in sources for pair in numbers(source)]
    return [
        (value, unit)
        for value, unit in numbers(sentence)
        if not any(value == other and (not unit or one in (unit, "")) for other, one in held)
    ]


def questions(data: Path, count: int, seed: int) -> list[str]:
    """Questions of PubMedQA, drawn at random."""
    with gzip.open(data / "pubmedqa" / "pqa_l.jsonl.gz", "rt", encoding="utf-8") as file:
        asked = sorted(json.loads(line)["question"] for line in file)
    return random.Random(seed).sample(asked, count)


async def reports(home: Path, recipe: str, asked: Sequence[str], model: Spoiling | None) -> list[Answer]:
    """The answers of a recipe, in order."""
    options: dict[str, Any] = {"home": str(home), "retrieval.corpora": (CORPUS,), "recipe.name": recipe}
    if recipe == "biomedsearch":
        others = ("europepmc", "pmc", "sciencedirect", "pubmed")
        options |= {"biomedsearch.tools": ("literature",), "biomedsearch.without": others}
    if model is not None:
        options["verify.critic"] = "check"
    async with Engine.open(Settings.load(environ={}, options=options)) as engine:
        if model is not None:
            engine.models = model.models()
        return [await engine.ask(question) for question in asked]


def checked(answers: Sequence[Answer], home: Path, *, show: bool) -> Counter[str]:
    """Counts of quotes and numbers, and of those that are right."""
    counts: Counter[str] = Counter()
    with Library(home).open(CORPUS) as snapshot:
        for answer in answers:
            stored = snapshot.documents([e.document_id for e in answer.evidence])
            places = {e.id: e for e in answer.evidence}
            for one in answer.evidence:
                counts["quotes"] += 1
                counts["quotes right"] += stored[one.document_id].text[one.start : one.end] == one.quote
            for statement in answer.statements:
                cited = [stored[places[e].document_id] for e in statement.evidence]
                counts["sentences"] += 1
                counts["sentences that cite"] += bool(cited)
                missing = untraced(statement.text, [text for d in cited for text in (d.text, d.title, str(d.year))])
                counts["numbers"] += len(numbers(statement.text))
                counts["numbers right"] += len(numbers(statement.text)) - len(missing)
                if missing and show:
                    print(f"  {missing}: {statement.text}")
    return counts


def spoilt(answers: Sequence[Answer], model: Spoiling, *, show: bool) -> None:
    """Print what became of the spoilt sentences."""
    through: Counter[str] = Counter()
    warned: Counter[str] = Counter()
    for statement in (s for answer in answers for s in answer.statements):
        if kind := model.spoilt.get(" ".join(statement.text.split())):
            through[kind] += 1
            warning = re.search(r"number", statement.verdict.note) or "misplaced" in statement.verdict.flags
            warned[kind] += bool(warning)
            if show:
                print(f"  {kind}, {statement.verdict.flags}: {statement.text}")
    print("\n| spoilt | written | came through | of these with a warning |\n| --- | --- | --- | --- |")
    for kind, written in Counter(model.spoilt.values()).items():
        print(f"| {kind} | {written} | {through[kind]} | {warned[kind]} |")


def main() -> None:
    """Print a table for each model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("home", type=Path)
    parser.add_argument("--recipe", action="append")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    asked = questions(options.data, options.count, options.seed)
    for recipe in options.recipe or ["biomedsearch"]:
        for model in (None, Spoiling(options.seed)):
            answers = asyncio.run(reports(options.home, recipe, asked, model))
            counts = checked(answers, options.home, show=options.show)
            print(f"\n{recipe}, {model.name if model else 'keyless'}: {len(answers)} answers, {dict(counts)}")
            for what in ("quotes", "numbers"):
                print(f"{what}: {share(counts[f'{what} right'], counts[what])}")
            if model:
                spoilt(answers, model, show=options.show)


if __name__ == "__main__":
    main()
