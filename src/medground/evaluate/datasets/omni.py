"""The questions of Omni-RAG: long ones (LiveQA, MedicationQA, ExpertQA) with a reference, short ones with options.

The authors' files are JSON lists named `train_long.json`, `test_short.json` and so on; JSON Lines with a field `split`
work too. A short question ends with its options, one per line.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from pathlib import Path

from medground.errors import UsageError
from medground.evaluate.base import Item, Split
from medground.evaluate.datasets.asking import asked, closed
from medground.evaluate.datasets.records import Placed, Record, json_file, json_lines

_SPLITS: Mapping[str, Split] = {"train": "train", "dev": "validation", "test": "test"}
_OPTION = re.compile(r"^([A-Za-z])\. (.*)$", re.MULTILINE)
_HOLES = frozenset(
    {
        "expertqa-000025",
        "liveqa-000223",
        "liveqa-000232",
        "liveqa-000420",
        "liveqa-000444",
        "liveqa-000513",
        "medicationqa-000212",
    }
)
"""Seven of the authors' 1,805 long questions have no text or no reference, so they cannot be asked or scored."""


def omni_records(path: Path) -> Generator[Placed]:
    """The records of an Omni-RAG file.

    Raises:
        UsageError: the file is invalid.
    """
    if path.name.removesuffix(".gz").endswith(".jsonl"):
        yield from json_lines(path)
        return
    content = json_file(path)
    if not isinstance(content, list) or not all(isinstance(record, dict) for record in content):
        raise UsageError(f"{path} is not an Omni-RAG file: it is not a list of questions")
    split = path.name.partition("_")[0]
    for number, record in enumerate(content, start=1):
        yield f"{path.name}: question {number}", {"split": split, **record}


def is_omni(record: Record) -> bool:
    """Whether a record has Omni-RAG's format."""
    return {"id", "question", "gold", "name", "long"} <= record.keys()


def is_whole(record: Record) -> bool:
    """Whether a record can be asked and scored."""
    return record["id"] not in _HOLES


def omni_split(record: Record) -> Split:
    """The split of a record."""
    return _SPLITS.get(record.get("split", ""), "unknown")


def omni_item(record: Record) -> Item:
    """The item of a record.

    Raises:
        ValueError: it has no answer, or its options cannot be read.
    """
    known = {"id": str(record["id"]), "split": omni_split(record), "extra": {"set": record["name"]}}
    if record["long"]:
        if not record["gold"]:
            raise ValueError("the gold answer is missing")
        return Item(question=asked(record["question"], "free"), reference=record["gold"], **known)
    text, options = split_options(record["question"])
    question, gold = closed(text, options, record["gold"])
    return Item(question=question, gold=gold, **known)


def split_options(text: str) -> tuple[str, dict[str, str]]:
    """A question and the options at its end: the last block of lines `A. ...`, `B. ...` and so on."""
    found = list(_OPTION.finditer(text))
    start = max((number for number, option in enumerate(found) if option[1] == "A"), default=None)
    if start is None:
        raise ValueError("the question does not end with options, one per line, such as `A. yes`")
    return text[: found[start].start()], {option[1]: option[2] for option in found[start:]}
