"""MMLU-Pro, category health: up to ten options; JSON Lines made from the published parquet, or by medagents-benchmark.

The published parquet has `question_id`, a list of options and `answer_index`; medagents-benchmark has `realidx`, an
object of options and `answer_idx`.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from pathlib import Path

from medground.evaluate.base import Item, Split
from medground.evaluate.datasets.asking import LETTERS, closed
from medground.evaluate.datasets.loader import Loader, described
from medground.evaluate.datasets.records import Placed, Record, json_lines

_CATEGORY = "health"


def _mmlu_pro_records(path: Path) -> Generator[Placed]:
    """The questions; they belong to the validation split if the file's name starts with `validation`."""
    split = "validation" if path.name.startswith("validation") else "test"
    yield from ((where, {**record, "split": split}) for where, record in json_lines(path))


def _mmlu_pro_item(record: Record) -> Item:
    given = record["options"]
    options = given if isinstance(given, Mapping) else dict(zip(LETTERS, given, strict=False))
    letter = record.get("answer_idx")
    if letter is None:
        letter = LETTERS[int(record["answer_index"])]
    question, gold = closed(record["question"], options, letter)
    return Item(
        id=_mmlu_pro_key(record),
        question=question,
        gold=gold,
        split=_mmlu_pro_split(record),
        extra={"set": record.get("src")},
    )


def _mmlu_pro_key(record: Record) -> str:
    return str(record.get("question_id", record.get("realidx")))


def _mmlu_pro_split(record: Record) -> Split:
    return "validation" if record["split"] == "validation" else "test"


def _mmlu_pro_known(record: Record) -> bool:
    one = {"question_id", "answer_index"} <= record.keys()
    return {"question", "options", "category"} <= record.keys() and (one or {"realidx", "answer_idx"} <= record.keys())


MMLU_PRO = Loader(
    info=described("mmlu-pro-health"),
    files=("test.jsonl", "mmlu_pro_health.jsonl"),
    records=_mmlu_pro_records,
    known=_mmlu_pro_known,
    ours=lambda record: bool(record["category"] == _CATEGORY),
    key=_mmlu_pro_key,
    split=_mmlu_pro_split,
    item=_mmlu_pro_item,
)
