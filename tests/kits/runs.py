"""Runs of evaluations in tests: a header, lines, and the file of both."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rows import tables

from medground_evaluate.items import RunHeader, RunLine

TABLES = tables(__file__)


def header(**fields: Any) -> RunHeader:
    """A header of four questions of PubMedQA, answered by `rag`, with other fields as given."""
    return RunHeader.model_validate(TABLES["header"] | fields)


def line(name: object, gold: str = "", answer: str = "", **fields: Any) -> RunLine:
    """The line of a question; several values are written as `A C`, and one without an answer is not judged."""
    known = {
        "id": str(name),
        "question": "Is it so?",
        "task": "yes-no-maybe",
        "gold": gold.split(),
        "answer": answer.split(),
        "status": "answered" if answer else "not judged",
    }
    return RunLine.model_validate(known | fields)


def write_run(path: Path, lines: Iterable[RunLine], **fields: Any) -> Path:
    """A run's file."""
    content = [header(**fields), *lines]
    path.write_text("".join(one.model_dump_json() + "\n" for one in content), encoding="utf-8")
    return path


def write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> Path:
    """A file of JSON Lines."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path
