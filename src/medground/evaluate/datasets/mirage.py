"""MIRAGE: five sets of medical questions in one `benchmark.json`, or as JSON Lines with the set's name.

Questions whose options are yes, no (and maybe) become yes/no(/maybe) questions, so that recipes can decide them.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

from medground.errors import UsageError
from medground.evaluate.base import Item
from medground.evaluate.datasets.asking import closed
from medground.evaluate.datasets.loader import Loader, described
from medground.evaluate.datasets.records import Placed, Record, json_file, json_lines

SETS = ("medqa", "medmcqa", "mmlu", "pubmedqa", "bioasq")


def _mirage_records(path: Path) -> Generator[Placed]:
    if path.name.removesuffix(".gz").endswith(".jsonl"):
        yield from json_lines(path)
        return
    content = json_file(path)
    if not isinstance(content, dict):
        raise UsageError(f"{path} is not MIRAGE's benchmark.json: it is not an object with the five sets")
    for name, questions in content.items():
        if name not in SETS or not isinstance(questions, dict):
            raise UsageError(f"{path.name}: {name!r} is not a MIRAGE set; the sets are {', '.join(SETS)}")
        for i, record in questions.items():
            if not isinstance(record, dict):
                raise UsageError(f"{path.name}: {name}: {i}: not a JSON object")
            yield f"{path.name}: {name}: {i}", {**record, "set": name, "id": i}


def _mirage_known(record: Record) -> bool:
    return record.get("set") in SETS and {"id", "question", "options", "answer"} <= record.keys()


def _mirage_key(record: Record) -> str:
    return f"{record['set']}:{record['id']}"


def _mirage_item(record: Record) -> Item:
    question, gold = closed(record["question"], record["options"], record["answer"])
    pmids = record.get("gold_pmids") or record.get("PMID") or ()
    return Item(
        id=_mirage_key(record),
        question=question,
        gold=gold,
        documents=tuple(f"PMID:{pmid}" for pmid in pmids),
        group=str(record["id"]) if record["set"] == "pubmedqa" else "",
        extra={"set": record["set"], "letter": record["answer"], "letters": record["options"]},
    )


def _loader(name: str) -> Loader:
    return Loader(
        info=described(f"mirage-{name}"),
        files=("benchmark.json", "questions.jsonl"),
        records=_mirage_records,
        known=_mirage_known,
        ours=lambda record: bool(record["set"] == name),
        key=_mirage_key,
        item=_mirage_item,
    )


MIRAGE_SETS = tuple(_loader(name) for name in SETS)

MIRAGE = Loader(
    info=described("mirage"),
    files=("benchmark.json", "questions.jsonl"),
    records=_mirage_records,
    known=_mirage_known,
    key=_mirage_key,
    item=_mirage_item,
)
