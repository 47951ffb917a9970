"""Fill the columns of a table: each cell a verbatim quote, `not reported`, or `failed` with a reason."""

from __future__ import annotations

from collections.abc import Sequence

from medground.answering.declaration import Declaration
from medground.answering.evidence_table.rows import Study, agreement_of, rows_of
from medground.answering.evidence_table.values import Cell, EvidenceTable, Row, checked_columns
from medground.answering.run import Run
from medground.errors import BudgetExhausted, MedgroundError, ModelFailed, SourceUnavailable
from medground.home.concurrency import concurrently
from medground.language.clean import some
from medground.models.operators.tabulating import NOT_REPORTED, ColumnView, TabulateInput, tabulate
from medground.values.answer import Answer
from medground.values.usage import Author

TABLE = Declaration(name="evidence table", operators=(tabulate,))
SENTENCES = 150
"""Sentences of a study that are shown at once; a longer one is read in parts, until every column has its quote."""


async def evidence_table(answer: Answer, columns: Sequence[str], run: Run) -> EvidenceTable:
    """The table of an answer. What fails is in its cells; columns cost what their operator costs.

    Raises:
        UsageError: too many columns, or a name that cannot be used.
    """
    names = checked_columns(columns)
    rows = rows_of(answer)
    if names and rows:
        why = await _retrieved([row.document_id for row in rows], run)
        rows = tuple(await concurrently(_filled(row, names, why, run) for row in rows))
    return EvidenceTable(
        trace_id=answer.trace_id,
        question=answer.question.text,
        columns=names,
        rows=rows,
        agreement=agreement_of(answer, rows),
        notes=tuple(run.warnings),
        usage=run.report(),
    )


async def _retrieved(ids: Sequence[str], run: Run) -> str:
    """Fetch the documents; why those that are missing then are not there."""
    try:
        await run.retrieve(ids)
    except SourceUnavailable as error:
        return f"a source could not be asked for it: {error.reason}"
    except MedgroundError as error:
        return f"it could not be read: {error}"
    return "no source that is searched holds it any more"


async def _filled(row: Row, names: Sequence[str], why: str, run: Run) -> Row:
    document = run.ledger.documents.get(row.document_id)
    reason = why if document is None else _unusable(row, Study.of(document))
    if document is None or reason:
        return row.model_copy(update={"cells": tuple(_failed(row.document_id, reason) for _ in names)})
    return row.model_copy(update={"cells": await _cells(Study.of(document), names, run)})


def _unusable(row: Row, study: Study) -> str:
    """Why a study cannot be read for a table; empty if it can."""
    text = study.document.text
    if any(text[one.start : one.end] != one.quote for one in row.quotes):
        return "its text has changed since this answer; ask the question again"
    if study.has_only_title:
        return "only its title is stored"
    return ""


async def _cells(study: Study, names: Sequence[str], run: Run) -> tuple[Cell, ...]:
    """The cells of one study. Of a long one, later parts are read for the columns that the earlier ones do not fill."""
    by = run.answerer(tabulate)
    sentences = study.sentences()
    found: dict[str, Cell] = {}
    step = SENTENCES if by.is_model else len(sentences)
    for first in range(0, len(sentences), max(step, 1)):
        left = {f"C{n}": name for n, name in enumerate(names, start=1) if f"C{n}" not in found}
        if not left:
            break
        views = tuple(ColumnView(id=key, name=name) for key, name in left.items())
        part = sentences[first : first + step]
        try:
            output = await run.ask(tabulate, TabulateInput(columns=views, title=study.document.title, sentences=part))
        except (ModelFailed, BudgetExhausted) as error:
            found |= {key: _failed(study.document.id, str(error)) for key in left}
            break
        told = [cell for cell in output.cells if cell.sentence != NOT_REPORTED]
        found |= {cell.column: _quoted(study, cell.sentence, by) for cell in told}
    read = f"read: {some(len(sentences), 'sentence')}"
    empty = Cell(state="not reported", document_id=study.document.id, by=by.name, reason=read)
    return tuple(found.get(f"C{n}", empty) for n in range(1, len(names) + 1))


def _quoted(study: Study, sentence: str, by: Author) -> Cell:
    (start, end), document = study.places[sentence], study.document
    return Cell(
        state="quoted",
        document_id=document.id,
        start=start,
        end=end,
        quote=document.text[start:end],
        section=document.section_at(start),
        by=by.name,
    )


def _failed(document_id: str, reason: str) -> Cell:
    return Cell(state="failed", document_id=document_id, reason=reason)
