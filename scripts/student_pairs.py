"""Make unlabelled pairs for a student of the critic: `python scripts/student_pairs.py DATA OUT.jsonl [--most 60000]`.

The shipped critic labels them (`scripts/teach.py`). The guard of `critic_pairs.py` keeps out what is measured, and what
is kept to choose on. They are in random order, so that any first part is a sample of all.

- `beside`: SciFact's training claims, Check-COVID's, titles, conclusions, sentences that report something, and experts'
  answers (BioASQ), changed by a planter or not, under similar abstracts, changed or not.
- The pairs that `critic_pairs.py` makes by rule, drawn anew with another seed, without the labels of the rules.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from critic_pairs import Material, claim_sets, conclusions, further, limited, made
from pairing.beside import beside
from pairing.experts import stated_by_experts
from pairing.pair import Pair
from pairing.people import MEDICAL

COVID = next(one for one in MEDICAL if one.name == "check_covid")
EACH: Mapping[str, int] = {"claim": 8, "covid": 4, "title": 2, "conclusion": 2, "sentence": 2, "expert": 3}
"""Passages for each statement of a source."""
MOST_STATEMENTS = 3000
"""Of each source."""
BY_RULE: Mapping[str, int] = {
    "own": 6000, "strong": 1000, "title": 1500, "conclusion": 1500, "near": 1000, "trial": 600, "claim": 3000,
    "bioasq": 4000, "pubmedqa": 700, "aim": 600, "need": 600,
}  # fmt: skip
"""Most pairs of a source that rules make, by the first word of its name."""


def statements(material: Material, rng: random.Random) -> Mapping[str, Sequence[str]]:
    """Statements of each source."""
    covid, _ = material.people([COVID])
    found = {
        "claim": [c["claim"] for c in claim_sets(material.data)[0]],
        "covid": sorted({pair.statement for pair in covid}),
        "title": [title for title, _ in material.titles()],
        "conclusion": [last for last, _ in conclusions(material.train)],
        "sentence": [rng.choice(a.usable) for a in material.train if a.usable],
        "expert": list(stated_by_experts(material.data / "bioasq")),
    }
    fair = {source: [text for text in texts if material.guard.allows(text)] for source, texts in found.items()}
    return {source: rng.sample(texts, min(MOST_STATEMENTS, len(texts))) for source, texts in fair.items()}


def unlabelled(material: Material, rng: random.Random) -> Iterator[Pair]:
    """All pairs."""
    for source, texts in statements(material, rng).items():
        yield from beside([(source, text) for text in texts], material.train, material.weights, rng, EACH[source])
    for pair in limited([*made(material, rng), *further(material, rng)], rng, BY_RULE):
        yield replace(pair, label="unlabelled")


def main() -> None:
    """Write the file and print the number of pairs of each source."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--most", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=2)
    arguments = parser.parse_args()
    rng, material = random.Random(arguments.seed), Material(arguments.data)
    fair = (p for p in unlabelled(material, rng) if material.guard.allows(p.premise, p.statement))
    found = list({(p.premise, p.statement): p for p in fair}.values())
    drawn = rng.sample(found, min(arguments.most, len(found)))
    with arguments.out.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(asdict(p), ensure_ascii=False) + "\n" for p in drawn)
    print(f"{len(drawn):,} pairs of {len(found):,}")
    for source, count in sorted(Counter(p.source for p in drawn).items()):
        print(f"  {source:40}{count:7,}")


if __name__ == "__main__":
    main()
