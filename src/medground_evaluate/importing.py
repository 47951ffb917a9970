"""Predictions of another system as a run, so that they are compared like any other."""

import re
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, Field

from medground.errors import UsageError
from medground.home import Settings
from medground.values import DocumentId, UsageReport
from medground_evaluate.blind import choices
from medground_evaluate.datasets.loader import Record, checked, content_hash, json_lines
from medground_evaluate.items import Item, RunHeader, RunLine, Tally
from medground_evaluate.run_file import RunFile, versions
from medground_evaluate.runner import Selection, count_items, selected_items


class Prediction(BaseModel, extra="forbid", use_attribute_docstrings=True):
    """One line of a file of predictions."""

    id: str = Field(coerce_numbers_to_str=True)
    """of the question in its set"""
    answer: str | list[str] | None
    """a value, a letter, several letters, or words; null for none"""
    evidence: list[DocumentId] = []
    """ids of the documents that the answer cites"""
    found: list[DocumentId] = []
    """ids of the documents found, in rank order"""
    text: str = ""
    """the answer in words, for judges"""


def import_run(predictions: Path, selection: Selection, name: str, out: Path | None) -> tuple[Tally, Path]:
    """Write the run of a file of predictions: JSON Lines, one for each selected question.

    Args:
        name: of the system; it stands where a run of ours has its recipe.
        out: the run's file; by default in the home folder, named after what is imported.

    Raises UsageError: a line is no prediction, or names an unknown question or one that has another line; a question
    has none; `out` is another run.
    """
    if not name.strip():
        raise UsageError("the name of the system is empty; use --name NAME")
    count_items(selection)
    items = {item.id: item for item in selected_items(selection)}
    given: dict[str, RunLine] = {}
    for where, record in json_lines(predictions):
        line = _line(record, items, where, selection)
        if line.id in given:
            raise UsageError(f"{where}: {line.id!r} has a line already; remove one of the two")
        given[line.id] = line
    if missing := [i for i in items if i not in given]:
        raise UsageError(
            f"{predictions} has no line for {len(missing):,} of {len(items):,} questions, such as {missing[0]!r}; add "
            'them with "answer": null, or select the others with --split, --limit and --seed'
        )
    dataset, digest = selection.dataset, content_hash([predictions])
    header = RunHeader(
        dataset=dataset.info.name,
        dataset_hash=dataset.hash(selection.path),
        recipe=name,
        model="imported",
        items=len(items),
        settings={},
        settings_hash="",
        prompts_hash="",
        versions={"medground": versions()["medground"]},
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        imported=digest,
        **{field: getattr(selection, field) for field in ("split", "limit", "seed")},
    )
    if out is None:
        words = (dataset.info.name, selection.split, name, "imported", digest[:8])
        out = Settings.load().home / "runs" / (re.sub(r"[^A-Za-z0-9._-]+", "-", "_".join(words)) + ".jsonl")
    with RunFile(out, header) as file:
        for i in items:
            if i not in file.done:
                file.append(given[i])
        return file.tally, out


def _line(record: Record, items: dict[str, Item], where: str, selection: Selection) -> RunLine:
    said = checked(Prediction, record, where)
    if (item := items.get(said.id)) is None:
        raise UsageError(
            f"{where}: {said.id!r} is not one of the {len(items):,} chosen questions of {selection.dataset.info.name}; "
            "give its id in the set, and the same --split, --limit and --seed as for the other runs"
        )
    values = [said.answer] if isinstance(said.answer, str) else said.answer or []
    values, question = [value.strip() for value in values if value.strip()], item.question
    text = said.text
    if question.task == "free":
        values, text = [], text or " ".join(values)
    allowed = choices(item)
    values = [value if value in allowed else value.lower() for value in values]
    if wrong := next((value for value in values if value not in allowed), None):
        raise UsageError(f"{where}: the answer of {said.id!r} is {wrong!r}, not one of {', '.join(allowed)}, or null")
    return RunLine(
        id=item.id,
        question=question.text,
        task=question.task,
        gold=item.gold,
        answer=tuple(dict.fromkeys(values)),
        status="answered" if values or text else "unanswerable",
        cited=tuple(said.evidence),
        found=tuple(said.found),
        gold_documents=item.documents,
        text=text,
        usage=UsageReport(price=None),
    )
