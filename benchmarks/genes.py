"""How well genes and organisms are recognised in real questions: `python benchmarks/genes.py ../shared/data [--show]`.

`genes.jsonl` has ids of questions of PubMedQA and BioASQ with our labels, not their texts. `random`: 150 drawn at
random, which the rules were written with. `named`: 80 further ones drawn from those with a symbol, a digit or a word
such as gene; the rules were not changed after a look at them.

A gene counts as found where the found name and the labelled one overlap in the question.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from medground.sources.proteins.genes import genes_in, organisms_named
from medground.sources.proteins.names import HUMAN
from medground_evaluate.statistics import wilson

LABELS = Path(__file__).with_name("genes.jsonl")


def questions(data: Path) -> dict[str, str]:
    """The texts of all questions by id."""
    with gzip.open(data / "pubmedqa" / "pqa_l.jsonl.gz", "rt", encoding="utf-8") as lines:
        found = {f"pubmedqa:{row['pmid']}": row["question"] for row in map(json.loads, lines)}
    for path in sorted((data / "bioasq").glob("task*.json.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            stored: Any = json.load(file)
        rows = stored["questions"] if isinstance(stored, dict) else stored
        found |= {f"bioasq:{row['id']}": row["body"] for row in rows}
    return found


def matched(text: str, found: list[tuple[int, int]], labels: list[str]) -> tuple[int, int, int]:
    """Found and labelled, found and not labelled, labelled and not found."""
    places = [(text.index(one), text.index(one) + len(one)) for one in labels]
    hits = sum(any(a < end and start < b for a, b in found) for start, end in places)
    right = sum(any(a < end and start < b for start, end in places) for a, b in found)
    return hits, len(found) - right, len(places) - hits


def counted(rows: list[dict[str, Any]], texts: dict[str, str], *, show: bool) -> Iterator[tuple[str, list[int]]]:
    """The counts for genes and for organisms other than people."""
    for what in ("genes", "organisms"):
        total = [0, 0, 0]
        for row in rows:
            text = texts[row["id"]]
            if what == "genes":
                counts = matched(text, [(one.start, one.end) for one in genes_in(text)], row["genes"])
            else:
                others = [one for one in organisms_named(text) if one != HUMAN]
                hits = min(len(others), len(row["organisms"]))
                counts = (hits, len(others) - hits, len(row["organisms"]) - hits)
            total = [a + b for a, b in zip(total, counts, strict=True)]
            if show and any(counts[1:]):
                print(f"    {what}: {text}\n      labelled {row[what]}, found {[one.name for one in genes_in(text)]}")
        yield what, total


def share(part: int, whole: int) -> str:
    """A share with its 95 % interval."""
    if not whole:
        return "none"
    low, high = wilson(part, whole)
    return f"{part}/{whole} = {100 * part / whole:.0f} % [{100 * low:.0f}, {100 * high:.0f}]"


def main() -> None:
    """Print precision and recall."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    texts = questions(given.data)
    rows = [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()]
    for part in ("random", "named"):
        own = [row for row in rows if row["part"] == part]
        for what, (hits, wrong, missed) in counted(own, texts, show=given.show):
            precision, recall = share(hits, hits + wrong), share(hits, hits + missed)
            print(f"{part} ({len(own)} questions), {what}: precision {precision}, recall {recall}")


if __name__ == "__main__":
    main()
