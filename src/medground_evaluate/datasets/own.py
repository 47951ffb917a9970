"""Your own set: JSON Lines, one question per line, in the format that docs/evaluation.md describes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from medground.corpus.readers.compose import make_document, validated
from medground.values.question import Task
from medground_evaluate.datasets.loader import LETTERS, Loader, Record, asked, described, json_lines
from medground_evaluate.items import Item, Split

_VALUES: Mapping[Task, tuple[str, ...]] = {"yes-no": ("yes", "no"), "yes-no-maybe": ("yes", "no", "maybe")}


class OwnRecord(BaseModel):
    """One line. Only `question` and a gold value (`answer`, or `reference` for a free question) are required."""

    model_config = ConfigDict(extra="forbid")

    id: str = ""
    question: str
    task: Task | None = None
    options: dict[str, str] | list[str] = Field(default_factory=dict)
    answer: str | list[str] = Field(default_factory=list)
    reference: str = ""
    documents: list[str] = Field(default_factory=list)
    context: list[dict[str, Any]] = Field(default_factory=list)
    headings: list[str] = Field(default_factory=list)
    split: Split = "test"
    group: str = ""
    extra: dict[str, Any] = Field(default_factory=dict)


def _item(record: Record) -> Item:
    own = validated(OwnRecord, record)
    options = own.options if isinstance(own.options, dict) else dict(zip(LETTERS, own.options, strict=False))
    gold = [own.answer] if isinstance(own.answer, str) else own.answer
    task = own.task or _guessed(gold, options)
    allowed: Sequence[str] = list(options) or _VALUES.get(task, ())
    if not gold and not own.reference:
        raise ValueError('the gold answer is missing: give "answer", or "reference" for a free question')
    if wrong := [value for value in gold if value not in allowed]:
        raise ValueError(f"the gold answer {wrong[0]!r} is not one of {', '.join(allowed) or 'the options'}")
    if len(set(gold)) > 1 and task != "multiple-choice":
        raise ValueError(
            f"{len(set(gold))} gold answers, but a {task} question has one; only multiple-choice may have more"
        )
    return Item(
        id=_key(record),
        question=asked(own.question, task, options),
        gold=tuple(gold),
        reference=own.reference,
        documents=tuple(own.documents),
        context=tuple(make_document(document) for document in own.context),
        headings=tuple(own.headings),
        split=own.split,
        group=own.group,
        extra=own.extra,
    )


def _guessed(gold: Sequence[str], options: Mapping[str, str]) -> Task:
    if options:
        return "single-choice" if len(gold) == 1 else "multiple-choice"
    return "yes-no-maybe" if gold else "free"


def _unlike(record: Record) -> str:
    """Why a line is not in this format; empty if it is."""
    if "question" not in record:
        return 'the field "question" is missing'
    unknown = sorted(record.keys() - OwnRecord.model_fields.keys())
    return f"the field {unknown[0]!r} is unknown" if unknown else ""


def _key(record: Record) -> str:
    """The line's id or, without one, a hash of its question."""
    return str(record.get("id") or hashlib.sha256(str(record.get("question")).encode()).hexdigest()[:12])


OWN = Loader(
    info=described("jsonl"),
    files=("questions.jsonl",),
    records=json_lines,
    known=lambda record: not _unlike(record),
    unlike=_unlike,
    key=_key,
    item=_item,
)
