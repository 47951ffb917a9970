"""Questions with known answers in PubMedQA's JSON Lines format, divided into training and held-out records."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import AliasChoices, BaseModel, Field, ValidationError

from medground.corpus.readers.files import opened
from medground.errors import UsageError
from medground.train.demonstrations.pool import TRAINING_SPLITS


class Record(BaseModel):
    """The fields that are read; records have others too."""

    pmid: str = Field(coerce_numbers_to_str=True, pattern=r"^\d{1,9}$")
    question: str = Field(min_length=1)
    answer: Literal["yes", "no", "maybe"] = Field(validation_alias=AliasChoices("final_decision", "answer"))
    split: str = Field(min_length=1)

    @property
    def document(self) -> str:
        """Id of the abstract that the question was made from."""
        return f"PMID:{self.pmid}"


@dataclass(frozen=True)
class Records:
    """The content of a file: training questions, held-out questions, and the number of unreadable lines."""

    training: tuple[Record, ...]
    held_out: tuple[Record, ...]
    unreadable: int

    @property
    def refused(self) -> Mapping[str, int]:
        """Held-out records by the name of their split."""
        return dict(Counter(record.split for record in self.held_out))


def read_records(file: Path) -> Records:
    """Read a file. Unreadable records are counted; a file with records without a split is refused.

    Raises:
        BadDocument: the file cannot be read.
        UsageError: it has no records from a training split, or a record without a split.
    """
    read: list[Record] = []
    unreadable = 0
    with opened(file) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                read.append(Record.model_validate(_with_split(json.loads(line), file, number)))
            except (json.JSONDecodeError, UnicodeDecodeError, ValidationError, RecursionError):
                unreadable += 1
    training = tuple(record for record in read if record.split.casefold() in TRAINING_SPLITS)
    held_out = tuple(record for record in read if record.split.casefold() not in TRAINING_SPLITS)
    records = Records(training, held_out, unreadable)
    if not training:
        there = ", ".join(f"{n} from the split {split!r}" for split, n in records.refused.items()) or "none"
        raise UsageError(
            f"{file} has no records from a training split; demonstrations may only come from those (other records: "
            f"{there}; unreadable lines: {unreadable})"
        )
    return records


def _with_split(record: object, file: Path, number: int) -> object:
    if isinstance(record, dict) and not record.get("split"):
        raise UsageError(f'{file}:{number} has no split, so it may be held out; if it is not, add "split": "train"')
    return record
