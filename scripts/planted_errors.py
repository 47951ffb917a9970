"""Plant errors in real sentences: `python scripts/planted_errors.py OUT.jsonl FOLDER... [--split train]`.

A folder is `scifact`, `pubmedqa` or `evidence_inference` of the project's data. Each output line has `kind`, `premise`
(the abstract of the sentence), `statement` (the sentence with its error), `original` and `document`. The kinds are
`unchanged` and those of `KINDS`. Every usable sentence is tried with every kind; `--per-kind` limits how many are kept.
The same data and seed give the same file. A document held out by one of the folders is left out of `train`.

`plant` is pure: text in, text out, with randomness from the given generator.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from planting.direction import reversed_direction
from planting.inflection import with_articles
from planting.negation import negated
from planting.number import renumbered
from planting.strength import strengthened
from planting.subject import swapped
from real_sentences import Abstract, Split, abstracts, sentences

__all__ = ["KINDS", "PLANTS", "Planted", "abstracts", "main", "plant", "planted", "sentences"]

Plant = Callable[[str, random.Random, Sequence[str]], str | None]
FOREIGN_TRIES = 400
"""Maximum random draws to find a sentence of another document."""


def _foreign(sentence: str, rng: random.Random, others: Sequence[str]) -> str | None:
    """A sentence of another document."""
    return rng.choice(others) if others else None


PLANTS: Mapping[str, Plant] = {
    "negation": negated,
    "number": renumbered,
    "direction": reversed_direction,
    "subject": swapped,
    "strengthened": strengthened,
    "foreign": _foreign,
}
KINDS = tuple(PLANTS)


@dataclass(frozen=True)
class Planted:
    """A statement and how it was changed; `kind` is one of `KINDS`, or `unchanged`."""

    kind: str
    premise: str
    statement: str
    original: str
    document: str


def plant(kind: str, sentence: str, rng: random.Random, *, others: Sequence[str] = ()) -> str | None:
    """The sentence with one error of a kind, or None if that kind does not apply to the sentence.

    Args:
        kind: one of `KINDS`.
        sentence: one whole sentence.
        rng: the only source of randomness.
        others: for `subject`, the other sentences of the same document, whose names may replace one; for `foreign`,
            sentences of other documents, one of which is returned; unused for other kinds.

    Raises:
        KeyError: the kind is unknown.
    """
    changed = PLANTS[kind](sentence, rng, others)
    if changed is None:
        return None
    changed = with_articles(changed[:1].upper() + changed[1:])
    return changed if changed != sentence else None


def planted(texts: Sequence[Abstract], seed: int = 0) -> Iterator[Planted]:
    """Every usable sentence of the abstracts, unchanged and with each error that applies, in order."""
    rng = random.Random(seed)
    pool = [(s, a.document) for a in texts for s in a.usable]
    for abstract in texts:
        for sentence in abstract.usable:
            yield Planted("unchanged", abstract.text, sentence, sentence, abstract.document)
            for kind in KINDS:
                others: Sequence[str] = [s for s in abstract.sentences if s != sentence]
                if kind == "foreign":
                    drawn = (rng.choice(pool) for _ in range(FOREIGN_TRIES))
                    others = [next((s for s, document in drawn if document != abstract.document), "")]
                changed = plant(kind, sentence, rng, others=others)
                if changed:
                    yield Planted(kind, abstract.text, changed, sentence, abstract.document)


def collected(folders: Sequence[Path], split: Split) -> list[Abstract]:
    """The abstracts of some folders and one split. Training excludes abstracts that another folder holds out."""
    held_out = {a.document for f in folders for a in abstracts(f, "held out")} if split == "train" else set()
    return [a for folder in folders for a in abstracts(folder, split) if a.document not in held_out]


def main() -> None:
    """Write the file and print the number of lines of each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--split", choices=("train", "held out"), default="train")
    parser.add_argument("--per-kind", type=int, help="how many of each kind to draw; all by default")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    lines = list(planted(collected(arguments.folders, arguments.split), arguments.seed))
    if arguments.per_kind is not None:
        random.Random(arguments.seed).shuffle(lines)
        counts: Counter[str] = Counter()
        lines = [p for p in lines if (counts.update([p.kind]) or counts[p.kind] <= arguments.per_kind)]
    with arguments.out.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(asdict(line), ensure_ascii=False) + "\n" for line in lines)
    for kind, number in Counter(line.kind for line in lines).most_common():
        print(f"{kind:14}{number:8,}")


if __name__ == "__main__":
    main()
