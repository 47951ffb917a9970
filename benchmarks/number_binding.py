"""Measures whether a checker notices that a number, its group and its outcome do not belong together.

    python benchmarks/number_binding.py DATA_FOLDER [--half test] [--critic critic ...] [--swapped]

`number_binding.jsonl` holds statements that were written and labelled by hand, one by one, for sentences of trials
(Evidence Inference) and of PubMedQA that were drawn at random: the document, the offsets of the sentence, our
statement, whether its numbers belong to the group, outcome and time that the sentence gives them for, and what is wrong
where they do not. Sentences in even places are for making rules, those in odd places for testing; the test half was
looked at again after each change of the rules. Half of the statements are wrong, far more than a model would write, so
precision is lower in practice.

The checker says `crossed`, `agrees` or nothing. Critics are given the sentence as the only quote; one that says
`contradicts` flags. `--swapped` exchanges two numbers of every result sentence of these sets: the sentence as it is
must not be flagged, the exchanged one should be. Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from judging import judge
from verification import as_claim, share

from medground.answering.verify.numbers import binding, missing_quantities
from medground.language.sentences import sentence_spans
from medground.language.slots import slots

LABELS = Path(__file__).with_suffix(".jsonl")
_DIGITS = re.compile(r"\d+(?:[.,·]\d+)*")


def texts(data: Path) -> dict[str, str]:
    """The text of each document: its sections, parted by a blank line."""
    found = {}
    for record in _records(data / "evidence_inference" / "rct_abstracts_open.jsonl.gz"):
        found[f"PMC:{record['pmcid']}"] = "\n\n".join(section["text"] for section in record["abstract"])
    for record in _records(data / "pubmedqa" / "pqa_l.jsonl.gz"):
        found[f"PMID:{record['pmid']}"] = "\n\n".join(record["contexts"])
    return found


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def by_rules(statement: str, quote: str) -> str:
    """What the keyless checkers say: a number that the sentence lacks is an error too."""
    if missing_quantities(statement, [quote]):
        return "missing"
    return binding(statement, quote).said or "nothing"


def by_critic(name: str, labelled: Sequence[Mapping[str, Any]], quotes: Sequence[str]) -> list[str]:
    """What a critic says of each statement beside its sentence."""
    claims = [as_claim(one["statement"], quote) for one, quote in zip(labelled, quotes, strict=True)]
    said = {"entails": "agrees", "contradicts": "crossed"}
    return [said.get(judgement.relation, "nothing") for judgement in judge(name, claims)]


def row(name: str, labelled: Sequence[Mapping[str, Any]], said: Sequence[str]) -> str:
    """One row: precision and recall of the flags, accuracy where anything is said, and the share of that."""
    flagged = [word in ("crossed", "missing") for word in said]
    wrong = [not one["together"] for one in labelled]
    spoken = [(f, w) for f, w, word in zip(flagged, wrong, said, strict=True) if word != "nothing"]
    caught = sum(f and w for f, w in zip(flagged, wrong, strict=True))
    cells = (
        share(caught, sum(flagged)),
        share(caught, sum(wrong)),
        share(sum(f == w for f, w in spoken), len(spoken)),
        share(len(spoken), len(said)),
    )
    return f"| {name} | {' | '.join(cells)} |"


def swapped(sentence: str) -> str | None:
    """A sentence with two of its numbers of one kind exchanged; None if it has no two that differ."""
    for one, other in combinations(slots(sentence), 2):
        first, second = sorted((one.numbers[0], other.numbers[0]), key=lambda q: q.start)
        a, b = _DIGITS.match(sentence, first.start), _DIGITS.match(sentence, second.start)
        if one.kind == other.kind and a and b and not first.values & second.values:
            return sentence[: a.start()] + b[0] + sentence[a.end() : b.start()] + a[0] + sentence[b.end() :]
    return None


def mechanical(data: Path) -> None:
    """Print how often sentences are flagged as they are, and with two numbers exchanged."""
    counts: Counter[str] = Counter()
    for text in texts(data).values():
        for start, end in sentence_spans(text):
            sentence = text[start:end]
            if start < 0.3 * len(text) or len(slots(sentence)) < 2:
                continue
            counts["as it is"] += 1
            counts["as it is, flagged"] += binding(sentence, sentence).said == "crossed"
            if changed := swapped(sentence):
                said = binding(changed, sentence).said
                counts["exchanged"] += 1
                counts["exchanged, flagged"] += said == "crossed"
                counts["exchanged, said to agree"] += said == "agrees"
    for name, of in (("as it is, flagged", "as it is"), ("exchanged, flagged", "exchanged")):
        print(f"{name}: {counts[name]:,} of {counts[of]:,}, {share(counts[name], counts[of])}")
    print(f"exchanged, said to agree: {share(counts['exchanged, said to agree'], counts['exchanged'])}")


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--half", choices=("making", "test"), action="append")
    parser.add_argument("--critic", action="append", default=[])
    parser.add_argument("--swapped", action="store_true")
    arguments = parser.parse_args()
    documents = texts(arguments.data)
    lines = [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()]
    print(
        "| half, checker | flags that are right | errors flagged | right where it speaks | it speaks |\n"
        + "| --- " * 5
        + "|"
    )
    for half in arguments.half or ("making", "test"):
        labelled = [line for line in lines if line["half"] == half]
        quotes = [documents[one["document"]][one["start"] : one["end"]] for one in labelled]
        said = [by_rules(one["statement"], quote) for one, quote in zip(labelled, quotes, strict=True)]
        print(row(f"{half} ({len(labelled)}), words", labelled, said))
        for name in arguments.critic:
            print(row(f"{half} ({len(labelled)}), {name}", labelled, by_critic(name, labelled, quotes)))
    if arguments.swapped:
        mechanical(arguments.data)


if __name__ == "__main__":
    main()
