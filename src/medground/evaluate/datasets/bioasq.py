"""BioASQ Task B golden files: expert questions with documents, snippets, exact and ideal answers.

Yes/no questions have a gold answer; factoid, list and summary questions are free, with the ideal answer as reference.
If the set is run with its context, the snippets of each document are its text. A folder of golden files is one set: as
in the challenge, the newest task is its test split and the tasks before it are for training.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

from medground.corpus.readers.bioasq import golden_files, paper_id, papers_of
from medground.errors import UsageError
from medground.evaluate.base import Item, Split
from medground.evaluate.datasets.asking import asked
from medground.evaluate.datasets.loader import Loader, described
from medground.evaluate.datasets.records import Placed, Record, json_file

_TYPES = ("yesno", "factoid", "list", "summary")


def _bioasq_records(path: Path) -> Generator[Placed]:
    if path.is_dir():
        files = golden_files(path)
        newest = max(task for task, _ in files)
        for task, file in files:
            for where, record in _bioasq_records(file):
                yield where, {**record, "split": "test" if task == newest else "train"}
        return
    content = json_file(path)
    questions = content.get("questions") if isinstance(content, dict) else None
    if not isinstance(questions, list):
        raise UsageError(f'{path} is not a golden file of BioASQ Task B: it has no list "questions"')
    for number, record in enumerate(questions, start=1):
        where = f"{path.name}: question {number}"
        if not isinstance(record, dict):
            raise UsageError(f"{where}: not a JSON object")
        yield where, record


def _bioasq_item(record: Record) -> Item:
    ideal = record.get("ideal_answer") or ()
    reference = ideal if isinstance(ideal, str) else next(iter(ideal), "")
    decided = record["type"] == "yesno"
    gold = str(record.get("exact_answer") or "").strip().lower()
    if decided and gold not in ("yes", "no"):
        raise ValueError(f"the gold answer exact_answer is {record.get('exact_answer')!r}, not yes or no")
    if not decided and not reference:
        raise ValueError("the gold answer ideal_answer is missing")
    return Item(
        id=str(record["id"]),
        question=asked(record["body"], "yes-no" if decided else "free"),
        gold=(gold,) if decided else (),
        reference=reference,
        documents=tuple(dict.fromkeys(filter(None, map(paper_id, record.get("documents") or ())))),
        context=tuple(papers_of(record.get("snippets") or ())),
        split=_bioasq_split(record),
        group=str(record["id"]),
        extra={"set": record["type"], "exact": record.get("exact_answer"), "batch": record.get("batch", "")},
    )


def _bioasq_split(record: Record) -> Split:
    split: Split = record.get("split", "test")
    return split


def _folder(path: Path) -> bool:
    return path.is_dir() and bool(golden_files(path))


def _bioasq_parts(path: Path) -> tuple[Path, ...]:
    return tuple(file for _, file in golden_files(path)) if path.is_dir() else (path,)


def _loader(name: str, only: str | None) -> Loader:
    return Loader(
        info=described(name),
        files=(),
        records=_bioasq_records,
        known=lambda record: record.get("type") in _TYPES and {"id", "body"} <= record.keys(),
        ours=lambda record: only in (None, record["type"]),
        split=_bioasq_split,
        item=_bioasq_item,
        parts=_bioasq_parts,
        folder=_folder,
    )


BIOASQ = _loader("bioasq", None)
YES_NO = _loader("bioasq-yesno", "yesno")
