"""Measures the check that every number of a sentence, with its unit, is in its sources: false alarms and misses.

    python benchmarks/quantities.py DATA_FOLDER [--seed 0] [--show]

False alarms: the answers of BioASQ's experts beside their gold snippets, and the conclusions of PubMedQA beside the
rest of the abstract. Numbers that the sources do not contain in any form are true alarms: experts write from the whole
paper. An alarm counts as doubtful if the digits are in the sources; `--show` prints these for reading. Misses: one
number of each sentence of PubMedQA is changed (another digit, another unit, percent to percentage points), and the
changed sentence is compared with the sentence that it was, and with its whole abstract. Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from verification import share

from medground.answering.verify.numbers import missing_quantities
from medground.language.quantities import Quantity, quantities
from medground.language.sentences import sentence_spans

Pair = tuple[str, Sequence[str]]
_UNITS = ("mg", "%", "weeks", "mmol/L", "years", "kg", "mL", "hours")
_DIGITS = re.compile(r"\d[\d.,·]*(?<=\d)")


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [text[start:end] for start, end in sentence_spans(text)]


def bioasq(data: Path) -> Iterator[Pair]:
    """Sentences of ideal answers, with the snippets and the question."""
    for year in (7, 8, 9):
        with gzip.open(data / "bioasq" / f"task{year}b.json.gz", "rt", encoding="utf-8") as file:
            stored = json.load(file)
        for question in stored["questions"] if isinstance(stored, dict) else stored:
            sources = [*(snippet["text"] for snippet in question.get("snippets", [])), question["body"]]
            ideal = question["ideal_answer"]
            for answer in ideal if isinstance(ideal, list) else [ideal]:
                yield from ((sentence, sources) for sentence in sentences(answer))


def pubmedqa(data: Path) -> Iterator[Pair]:
    """Sentences of conclusions, with the rest of the abstract."""
    for record in _pubmedqa(data):
        sources = [*record["contexts"], record["question"]]
        yield from ((sentence, sources) for sentence in sentences(record["long_answer"]))


def _pubmedqa(data: Path) -> Iterator[Mapping[str, str]]:
    with gzip.open(data / "pubmedqa" / "pqa_l.jsonl.gz", "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def is_doubtful(quantity: Quantity, sources: Sequence[str]) -> bool:
    """Whether the digits of a missing quantity are a whole number of a source."""
    digits = _DIGITS.search(quantity.text)
    written = re.compile(rf"(?<![\d.,]){re.escape(digits[0])}(?!\d|[.,]\d)") if digits else None
    return written is not None and any(written.search(source) for source in sources)


def another_digit(sentence: str, one: Quantity, dice: random.Random) -> str | None:
    """The sentence with one digit of a number changed."""
    digits = _DIGITS.match(sentence, one.start)
    if digits is None:
        return None
    place = dice.choice([n for n in range(*digits.span()) if sentence[n].isdigit()])
    other = dice.choice([d for d in "123456789" if d != sentence[place]])
    return sentence[:place] + other + sentence[place + 1 :]


def another_unit(sentence: str, one: Quantity, dice: random.Random) -> str | None:
    """The sentence with another unit after a number that has one."""
    digits = _DIGITS.match(sentence, one.start)
    if digits is None or not one.unit or one.shared or one.unit == "people" or digits.end() == one.end:
        return None
    unit = dice.choice([u for u in _UNITS if u not in sentence[digits.end() : one.end]])
    return f"{sentence[: digits.end()]} {unit}{sentence[one.end :]}"


def to_points(sentence: str, one: Quantity, dice: random.Random) -> str | None:
    """The sentence with percentage points in place of percent."""
    digits = _DIGITS.match(sentence, one.start)
    if digits is None or one.unit != "%" or one.shared:
        return None
    return f"{sentence[: digits.end()]} percentage points{sentence[one.end :]}"


CHANGES: Mapping[str, Callable[[str, Quantity, random.Random], str | None]] = {
    "a digit": another_digit,
    "a unit": another_unit,
    "percent to points": to_points,
}


def false_alarms(name: str, pairs: Iterator[Pair], *, show: bool) -> None:
    """Print how many numbers are missing, and how many of these are doubtful."""
    stated = missing = doubtful = 0
    for sentence, sources in pairs:
        stated += len(quantities(sentence))
        for quantity in missing_quantities(sentence, sources):
            missing += 1
            if is_doubtful(quantity, sources):
                doubtful += 1
                if show:
                    print(f"  {quantity.text}: {sentence[:200]}")
    print(f"| {name} | {stated:,} | {share(missing, stated)} | {share(doubtful, stated)} |")


def misses(data: Path, seed: int) -> None:
    """Print how many planted changes are noticed, beside the sentence and beside the abstract."""
    dice = random.Random(seed)
    tried: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for record in _pubmedqa(data):
        for sentence in sentences(" ".join(record["contexts"])):
            found = [q for q in quantities(sentence) if not q.named]
            if not found:
                continue
            for name, change in CHANGES.items():
                if changed := change(sentence, dice.choice(found), dice):
                    noticed = [bool(missing_quantities(changed, s)) for s in ([sentence], record["contexts"])]
                    tried[name].append((noticed[0], noticed[1]))
    print("\n| changed | n | noticed beside the sentence | beside the whole abstract |\n| --- | --- | --- | --- |")
    for name, seen in tried.items():
        cells = [share(sum(pair[n] for pair in seen), len(seen)) for n in range(2)]
        print(f"| {name} | {len(seen):,} | {' | '.join(cells)} |")


def main() -> None:
    """Print two tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    print("| set | numbers | not in the sources | of these with the same digits in them |\n| --- | --- | --- | --- |")
    false_alarms("BioASQ, answers of experts beside snippets", bioasq(arguments.data), show=arguments.show)
    false_alarms("PubMedQA, conclusions beside abstracts", pubmedqa(arguments.data), show=arguments.show)
    misses(arguments.data, arguments.seed)


if __name__ == "__main__":
    main()
