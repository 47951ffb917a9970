"""Annotation files: the label, one of eight, that an annotator gave a statement of an item under a context.

A file is JSON Lines, one label per line: `{"item": "q1", "annotator": "A", "context": 5, "statement": 0, "label":
"CORRECT-EXPLICIT"}`. Stored answers can be read too, as annotations by whatever labelled them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import Field, ValidationError

from medground.answer import Answer, Category
from medground.document import Frozen
from medground.errors import BadDocument, UsageError


class Annotation(Frozen):
    """One label. `context` is j of CONTEXT-j, `statement` counts from 0."""

    item: str = Field(min_length=1)
    annotator: str = Field(min_length=1)
    context: int = Field(ge=1)
    statement: int = Field(ge=0)
    label: Category

    @property
    def place(self) -> tuple[str, int]:
        """The item and its statement."""
        return self.item, self.statement


def read_annotations(paths: Sequence[Path], *, context: int = 5) -> list[Annotation]:
    """The annotations of all files together.

    Args:
        paths: annotation files, and answers as JSON (`*.json`).
        context: the context that the labels of answers are for, which an answer does not contain.

    Raises:
        BadDocument: a file cannot be read, a line is not an annotation, or a label is missing or unknown.
        UsageError: an annotator labels a statement twice, or the files have no labels.
    """
    read = [a for path in paths for a in (_answer(path, context) if path.suffix == ".json" else _lines(path))]
    if not read:
        raise UsageError(f"no labels in {', '.join(map(str, paths))}; give files of annotations or labelled answers")
    (first, times), *_ = Counter((a.annotator, a.context, *a.place) for a in read).most_common(1)
    if times > 1:
        annotator, j, item, statement = first
        raise UsageError(
            f"{annotator} labels statement {statement} of {item} under CONTEXT-{j} {times} times; keep one"
        )
    return read


def annotations_of(answer: Answer, *, context: int = 5) -> list[Annotation]:
    """The labels of an answer's statements, as annotations of an item with the answer's id.

    Statements without a label are left out.
    """
    return [
        Annotation(
            item=answer.id, annotator=s.verdict.labelled_by, context=context, statement=n, label=s.verdict.category
        )
        for n, s in enumerate(answer.statements)
        if s.verdict.category is not None
    ]


def _lines(path: Path) -> Iterable[Annotation]:
    for number, line in enumerate(_text(path).split("\n"), start=1):
        if line.strip():
            try:
                yield Annotation.model_validate(json.loads(line))
            except json.JSONDecodeError:
                raise BadDocument("this line is not JSON", file=str(path), position=number) from None
            except RecursionError:
                raise BadDocument("this line is nested too deeply", file=str(path), position=number) from None
            except ValidationError as error:
                raise BadDocument(_problem(error), file=str(path), position=number) from None


def _answer(path: Path, context: int) -> list[Annotation]:
    try:
        return annotations_of(Answer.model_validate_json(_text(path)), context=context)
    except ValidationError as error:
        raise BadDocument(f"not a Medground answer: {_problem(error)}", file=str(path)) from None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise BadDocument(f"cannot be read: {reason}", file=str(path)) from None


def _problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False)[0]
    where = ".".join(map(str, first["loc"]))
    if first["type"] == "missing":
        return f"{where} is missing"
    shown = json.dumps(first["input"], default=str)[:60]
    return f"{where} is {shown}: {first['msg'][:1].lower()}{first['msg'][1:]}" if where else first["msg"]
