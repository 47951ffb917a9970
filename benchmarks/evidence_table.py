"""Measures the cells of an evidence table: is the quote of a column the right one, and is an empty cell rightly empty?

    python benchmarks/evidence_table.py DATA_FOLDER [--half test] [--show]

`evidence_table.jsonl` holds cells of abstracts of PubMedQA that were drawn at random and labelled by hand, by reading:
the document, the column, and the places of the sentences that report it, none where the abstract does not. Each
document has the columns n, dose, age, follow-up, odds ratio and adverse events, and one more of its own. The half
`making` was for making the rules; `test` was labelled before they were first run on it. Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from verification import share

from medground.answering.table_rows import Study
from medground.models.operators.tabulating import NOT_REPORTED, ColumnView, TabulateInput, tabulate
from medground.values.document import Document
from medground_evaluate.datasets.readers import pubmedqa_document

LABELS = Path(__file__).with_suffix(".jsonl")
Outcome = Literal["right quote", "rightly empty", "missed", "wrong quote", "quote where there is none"]


@dataclass(frozen=True)
class Labelled:
    """A cell with what became of it."""

    document: Document
    column: str
    outcome: Outcome
    quote: str


def documents(data: Path) -> dict[str, Document]:
    """The abstracts by id."""
    with gzip.open(data / "pubmedqa" / "pqa_l.jsonl.gz", "rt", encoding="utf-8") as file:
        found = map(pubmedqa_document, map(json.loads, file))
        return {document.id: document for document in found}


def judged(labels: Sequence[dict[str, Any]], texts: dict[str, Document]) -> Iterator[Labelled]:
    """Each labelled cell, filled without a model."""
    for label in labels:
        study = Study.from_document(texts[label["document"]])
        columns = (ColumnView(id="C1", name=label["column"]),)
        given = TabulateInput(columns=columns, title=study.document.title, sentences=study.sentences())
        sentence = tabulate.keyless(given).cells[0].sentence
        place = None if sentence == NOT_REPORTED else study.places[sentence]
        quote = study.document.text[slice(*place)] if place else ""
        yield Labelled(study.document, label["column"], _outcome(place, label["reported"]), quote)


def _outcome(place: tuple[int, int] | None, reported: Sequence[Sequence[int]]) -> Outcome:
    if place is None:
        return "missed" if reported else "rightly empty"
    if not reported:
        return "quote where there is none"
    return "right quote" if list(place) in [list(one) for one in reported] else "wrong quote"


def rows(cells: Sequence[Labelled]) -> Iterator[str]:
    """What is printed: of the quotes, of what is reported, and of what is not."""
    count = {name: sum(cell.outcome == name for cell in cells) for name in Outcome.__args__}  # type: ignore[attr-defined]
    right, empty = count["right quote"], count["rightly empty"]
    shown = right + count["wrong quote"] + count["quote where there is none"]
    reported = right + count["missed"] + count["wrong quote"]
    yield f"cells: {len(cells)}; " + ", ".join(f"{name} {number}" for name, number in count.items())
    yield f"quotes that are right: {share(right, shown)}"
    yield f"reported cells that are quoted: {share(right, reported)}"
    yield f"cells with nothing to report that stay empty: {share(empty, len(cells) - reported)}"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder with pubmedqa/pqa_l.jsonl.gz")
    parser.add_argument("--half", choices=("making", "test"), default="test")
    parser.add_argument("--show", action="store_true", help="print the cells that are not right")
    options = parser.parse_args()
    labels = [label for line in LABELS.open(encoding="utf-8") if (label := json.loads(line))["half"] == options.half]
    cells = list(judged(labels, documents(options.data)))
    for cell in cells:
        if options.show and cell.outcome not in ("right quote", "rightly empty"):
            print(f"{cell.document.id} [{cell.column}] {cell.outcome}: {cell.quote[:160]}")
    print("\n".join(rows(cells)))


if __name__ == "__main__":
    main()
