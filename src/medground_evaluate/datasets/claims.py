"""A set of claims with texts that support or contradict them: MedFact-Bench."""

import hashlib
from collections.abc import Generator
from pathlib import Path

from medground.corpus import compose, lines
from medground.errors import UsageError
from medground_evaluate.datasets import loader
from medground_evaluate.items import Item

# MedFact-Bench: pairs of a claim and a text, as parquet (with the extra `parquet`) or its rows as JSON Lines.

_COLUMNS = ("dataset", "claim", "source", "label")
_GOLD = {"SUPPORT": "yes", "NEI": "maybe", "CONTRADICT": "no"}


def _pairs(path: Path) -> Generator[loader.Placed]:
    if not loader.is_json_lines(path) and path.suffix != lines.SUFFIX:
        raise UsageError(f"{path} is neither parquet nor JSON Lines, as MedFact-Bench is; give its file")
    rows = (row for _, row in loader.json_lines(path)) if loader.is_json_lines(path) else lines.rows(path, _COLUMNS)
    for number, row in enumerate(rows, start=1):
        yield f"{path.name}: row {number}", {**row, "id": f"{row.get('dataset')}:{number}"}


def _pair(record: loader.Record, i: str) -> Item:
    if record["label"] not in _GOLD:
        raise ValueError(f"the label is {record['label']!r}, not one of {', '.join(_GOLD)}")
    title, _, text = record["source"].strip().partition("\n")
    name = f"MEDFACT:{hashlib.sha256(record['source'].encode()).hexdigest()[:16]}"
    source = compose.make_document({"id": name, "title": title, "text": text or title})
    return Item(
        id=i,
        question=loader.asked(record["claim"], "yes-no-maybe"),
        gold=(_GOLD[record["label"]],),
        documents=(source.id,),
        context=(source,),
        group=record["claim"],
        extra={"set": record["dataset"]},
    )


MEDFACT_BENCH = loader.for_set("medfact-bench", _pair, records=_pairs)


ALL = (MEDFACT_BENCH,)
