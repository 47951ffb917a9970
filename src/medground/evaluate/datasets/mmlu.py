"""MMLU, six medical subjects: CSV files without a header, one per subject and split, such as `anatomy_test.csv`."""

from __future__ import annotations

import csv
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path

from medground.errors import UsageError
from medground.evaluate.base import Item, Split
from medground.evaluate.datasets.asking import closed
from medground.evaluate.datasets.loader import Loader, described
from medground.evaluate.datasets.records import Placed, Record, unpacked_text

SUBJECTS = (
    "anatomy",
    "clinical_knowledge",
    "college_biology",
    "college_medicine",
    "medical_genetics",
    "professional_medicine",
)
_SPLITS: Mapping[str, Split] = {"test": "test", "val": "validation", "dev": "train"}
_COLUMNS = ("question", "A", "B", "C", "D", "answer")


def parts(path: Path) -> tuple[Path, ...]:
    """The files of the six subjects in a folder and its subfolders, sorted by name; a single file is the whole set."""
    if not path.is_dir():
        return (path,)
    named = [file for file in path.rglob("*.csv") if _subject(file)[0] in SUBJECTS and _subject(file)[1] in _SPLITS]
    return tuple(sorted(named, key=lambda file: file.name))


def _mmlu_records(path: Path) -> Generator[Placed]:
    for file in parts(path):
        subject, split = _subject(file)
        for number, row in enumerate(_rows(file)):
            where = f"{file.name}: question {number + 1}"
            if len(row) != len(_COLUMNS):
                raise UsageError(f"{where}: {len(row)} columns; MMLU has {len(_COLUMNS)}: {', '.join(_COLUMNS)}")
            named = dict(zip(_COLUMNS, row, strict=True))
            yield where, {"id": f"{subject}-{split}-{number:03d}", "subject": subject, "split": split, **named}


def _rows(file: Path) -> Iterator[list[str]]:
    with unpacked_text(file) as text:
        try:
            yield from csv.reader(text, strict=True)
        except csv.Error as error:
            raise UsageError(f"{file} is not a CSV file ({error}); copy or download it again") from None


def _subject(file: Path) -> tuple[str, str]:
    subject, _, split = file.name.removesuffix(".gz").removesuffix(".csv").rpartition("_")
    return subject, split


def _mmlu_item(record: Record) -> Item:
    question, gold = closed(record["question"], {letter: record[letter] for letter in "ABCD"}, record["answer"])
    return Item(
        id=record["id"], question=question, gold=gold, split=_mmlu_split(record), extra={"set": record["subject"]}
    )


def _mmlu_split(record: Record) -> Split:
    return _SPLITS.get(record["split"], "unknown")


MMLU = Loader(
    info=described("mmlu"),
    files=(),
    records=_mmlu_records,
    known=lambda record: record.get("answer") in ("A", "B", "C", "D") and "subject" in record,
    split=_mmlu_split,
    item=_mmlu_item,
    parts=parts,
    folder=lambda path: bool(parts(path)),
)
