"""The form in which people mark long answers (Omni-RAG, E.12), and what judges see besides the answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from medground.engine.answers import Answers
from medground.errors import BadDocument, StorageFailed, UsageError
from medground.models.operators.base import EvidenceView
from medground.values.document import Frozen
from medground_evaluate.compare import Result, items_of
from medground_evaluate.judges.judgements import (
    LONG_AXES,
    Judgement,
    Score,
    each_once,
    judgements_in,
    problem_of,
    text_of,
    values_in,
)


def references_of(run: Result, data: Path) -> dict[str, str]:
    """Reference answers by item id, from the file that the run was made from."""
    return {item.id: item.reference for item in items_of(run, data) if item.reference}


def quotes_of(run: Result, home: Path) -> dict[str, tuple[EvidenceView, ...]]:
    """The quotes that each answer of a run cites, by item id, from the answers stored under `home`.

    Answers that were removed or have no quotes are left out.
    """
    found: dict[str, tuple[EvidenceView, ...]] = {}
    for i, line in run.lines.items():
        try:
            answer = Answers(home).as_given(line.trace)
        except UsageError:  # from another version; the judge then sees no documents
            continue
        if answer is not None and answer.evidence:
            titles = {document.id: document.title for document in answer.documents}
            found[i] = tuple(
                EvidenceView(id=one.id, title=titles.get(one.document_id, ""), quote=one.quote)
                for one in answer.evidence
            )
    return found


OPTIONAL = "interpretability"
"""It is about the retrieved documents, so an answer without any has no such mark."""

SCALE: Mapping[str, str] = {
    "relevance": "1 not about the question; 3 about it, but unfocused or without key points; 5 exactly on it",
    "completeness": "1 almost nothing of the reference answer; 3 some of it; 5 all of it",
    "proficiency": "1 lay language only; 3 fairly complex knowledge, clearly told; 5 all medical knowledge correct",
    "interpretability": "1 the documents do not help; 3 some of them bear on it; 5 they fully support the answer",
}


class FormLine(Frozen):
    """One answer to be marked, or marked. `shown` is the name of its run; `documents` are the quotes that it cites."""

    form: Literal["long answer"] = "long answer"
    item: str
    shown: str
    judge: str = ""
    question: str = ""
    reference: str = ""
    answer: str = ""
    documents: tuple[str, ...] = ()
    marks: dict[str, int | None] = Field(default_factory=dict)

    @property
    def blank(self) -> bool:
        """Whether nobody has marked it."""
        return all(mark is None for mark in self.marks.values())

    def judgement(self) -> Judgement:
        """The line as a judgement.

        Raises:
            ValueError: it has no judge, a mark is missing, or the axes or marks are not those of the form.
        """
        if not self.judge.strip():
            raise ValueError("`judge` is missing: write who marked it")
        needed = [axis for axis in LONG_AXES if axis != OPTIONAL or self.documents]
        if missing := [axis for axis in needed if self.marks.get(axis) is None]:
            raise ValueError(f"{', '.join(missing)} not marked; mark the whole line or leave all of it blank")
        marks = {axis: Score(score=mark) for axis, mark in self.marks.items() if mark is not None}
        return Judgement(item=self.item, judge=self.judge.strip(), shown=(self.shown,), marks=(marks,))


@dataclass(frozen=True)
class Marked:
    """Judgements in all files, and the number of lines that are still blank."""

    lines: list[Judgement]
    blank: int = 0


def blank_form(
    run: Result, references: Mapping[str, str], quotes: Mapping[str, Sequence[EvidenceView]]
) -> Iterator[FormLine]:
    """A blank line for each long answer of a run that has text and a reference answer, in the order of the run."""
    for i, line in run.lines.items():
        if line.text.strip() and references.get(i):
            cited = tuple(quote.quote for quote in quotes.get(i, ()))
            yield FormLine(
                item=i,
                shown=run.name,
                question=line.question,
                reference=references[i],
                answer=line.text,
                documents=cited,
                marks={axis: None for axis in LONG_AXES if axis != OPTIONAL or cited},
            )


def write_form(lines: Sequence[FormLine], path: Path) -> None:
    """Write a form."""
    if not lines:
        raise UsageError("no long answer with a reference answer; check that --data is the set that was run")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.writelines(json.dumps(line.model_dump(mode="json"), ensure_ascii=False) + "\n" for line in lines)
    except FileExistsError:
        raise UsageError(f"{path} exists and may hold marks; name another file with --out") from None
    except OSError as error:
        raise StorageFailed(f"{path} cannot be written ({error.strerror or error}); use another folder") from None


def read_marked(paths: Sequence[Path]) -> Marked:
    """The judgements of all files, forms and others.

    Raises:
        BadDocument: a file cannot be read, or a line is not a judgement or marked in part.
        UsageError: a judge judges the same answers twice, or nothing was judged at all.
    """
    lines: list[Judgement] = []
    blank = 0
    for path in paths:
        text = text_of(path)
        if not text.lstrip()[:200].replace(" ", "").startswith('{"form":'):
            lines += judgements_in(text, path)
            continue
        for number, line in values_in(text, path, FormLine):
            if line.blank:
                blank += 1
                continue
            try:
                lines.append(line.judgement())
            except ValueError as error:
                problem = problem_of(error) if isinstance(error, ValidationError) else str(error)
                raise BadDocument(problem, file=str(path), position=number) from None
    if blank and not lines:
        raise UsageError(f"all {blank:,} lines are still blank; fill in `judge` and `marks` (1 to 5)")
    return Marked(each_once(lines, paths), blank)
