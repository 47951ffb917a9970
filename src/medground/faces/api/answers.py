"""Kept answers: the history, one of them in each form, and its end."""

import asyncio
from typing import Annotated, Any, Literal, get_args

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from medground.answering.evidence_table import LONGEST_COLUMN, MOST_COLUMNS, EvidenceTable, as_csv
from medground.engine.answers import PastAnswer
from medground.errors import NotFound
from medground.faces.api.caller import Caller, Served
from medground.faces.api.questions import as_json
from medground.home.files import tables
from medground.values.answer import Answer
from medground.values.document import Described, DocumentId, Frozen
from medground.wording.documents import table_as_docx
from medground.wording.export import Format
from medground.wording.plans import svg
from medground.wording.progress import Timeline, timeline
from medground.wording.view_types import AnswerView

router = APIRouter(prefix="/v1/answers", tags=["answers"])

FORMS: dict[str, list[str]] = tables("faces/api", "headers")["exports"]
assert set(FORMS) == set(get_args(Format))

BINARY = {"schema": {"type": "string", "format": "binary"}}
"""How the content of a file is described."""
_FILES: dict[str, Any] = {kind: BINARY for kind, _ in FORMS.values()}
_FILES[FORMS["csl-json"][0]] = {"schema": {"type": "array", "items": {"type": "object"}}}


class History(Frozen):
    """Some answers, the latest first. `next` is the `before` of the next page; null on the last."""

    answers: tuple[PastAnswer, ...]
    next: str | None


@router.get("", summary="Your answers")
async def history(
    person: Caller,
    service: Served,
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
    before: Annotated[str | None, Query(max_length=64, description="only those before this trace id")] = None,
) -> History:
    """Your answers, the latest first."""
    found = await service.history(person, limit=limit, before=before)
    return History(answers=tuple(found), next=found[-1].trace_id if len(found) == limit else None)


@router.get("/{trace_id}", summary="An answer", response_model=Answer)
async def answer(trace_id: str, person: Caller, service: Served) -> Response:
    """The whole answer. A citation is the id of a document with the offsets of a slice of its text."""
    return as_json(await service.answer(trace_id, person))


@router.get("/{trace_id}/view", summary="An answer in words")
async def shown(trace_id: str, person: Caller, service: Served) -> AnswerView:
    """An answer as a page shows it: plain values, and the same words as in the terminal."""
    return await service.view(trace_id, person)


@router.delete("/{trace_id}", summary="Delete an answer", status_code=204)
async def delete(trace_id: str, person: Caller, service: Served) -> None:
    """Delete an answer and its trace. This cannot be undone."""
    await service.delete(trace_id, person)


def _gives(content: dict[str, Any]) -> dict[int | str, dict[str, Any]]:
    return {200: {"description": "The file.", "content": content}}


@router.get("/{trace_id}/export", summary="An answer as a file", response_class=Response, responses=_gives(_FILES))
async def export(
    trace_id: str, person: Caller, service: Served, form: Annotated[Format, Query(alias="format")] = "markdown"
) -> Response:
    """An answer for a reference manager (`ris`, `bibtex`, `csl-json`) or for a reader."""
    content = await service.export(trace_id, form, person)
    kind, suffix = FORMS[form]
    return download(content, kind, f"medground-{trace_id}.{suffix}")


@router.get(
    "/{trace_id}/files/{name}",
    summary="A file of a report",
    response_class=Response,
    responses=_gives({"application/octet-stream": BINARY}),
)
async def file(trace_id: str, name: str, person: Caller, service: Served) -> Response:
    """A file that goes with a report, such as the structure of a protein. `report.attachments` names them."""
    attachment, content = await service.file(trace_id, name, person)
    return download(content, "application/octet-stream", attachment.name)


def download(content: bytes, kind: str, name: str) -> Response:
    """A file that a browser saves and never shows as a page. `name` is of letters, digits, dots and hyphens."""
    return Response(content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


_CSV = {"text/csv": {"schema": {"type": "string", "description": "The table for a spreadsheet."}}}
_SVG = {"image/svg+xml": {"schema": {"type": "string", "description": "The drawing."}}}


class AskedTable(Described):
    """The columns of a table, such as `dose`, `n` or `outcome`."""

    columns: tuple[Annotated[str, Field(min_length=1, max_length=LONGEST_COLUMN)], ...] = Field(
        default=(), max_length=MOST_COLUMNS
    )
    model: str | None = Field(default=None, max_length=100)
    """a model that chooses the sentences"""
    without: tuple[DocumentId, ...] = Field(default=(), max_length=500)
    """studies to leave out of a file"""
    notes: dict[str, Annotated[str, Field(max_length=4_000)]] = Field(default={}, max_length=20)
    """your own notes by their headings, for `docx`"""


@router.post(
    "/{trace_id}/table",
    summary="The studies of an answer as a table",
    response_model=EvidenceTable,
    responses={200: {"content": _CSV | {FORMS["docx"][0]: _FILES[FORMS["docx"][0]]}}},
)
async def table(
    trace_id: str,
    asked: AskedTable,
    person: Caller,
    service: Served,
    form: Annotated[Literal["json", "csv", "docx"], Query(alias="format")] = "json",
) -> Response:
    """A row for each study that the answer quotes, with your columns: a verbatim quote, `not reported`, or `failed`."""
    made = await service.table(trace_id, asked.columns, person, model=asked.model)
    if form == "json":
        return as_json(made)
    kept = made.replace(rows=tuple(row for row in made.rows if row.document_id not in asked.without))
    if form == "csv":
        return download(as_csv(kept), "text/csv", f"medground-{trace_id}.csv")
    content = await asyncio.to_thread(table_as_docx, kept, asked.notes)
    return download(content, FORMS["docx"][0], f"medground-{trace_id}-table.docx")


@router.get("/{trace_id}/trace", summary="What a run did, and when")
async def trace(trace_id: str, person: Caller, service: Served) -> Timeline:
    """The parts of the run of an answer with their seconds, tokens and money, without document and prompt text."""
    return timeline(trace_id, await service.trace(trace_id, person))


@router.get(
    "/{trace_id}/plan.svg",
    summary="The plan of a report as a drawing",
    response_class=Response,
    responses={200: {"content": _SVG}},
)
async def plan(trace_id: str, person: Caller, service: Served) -> Response:
    """The sub-questions of a report in their order, and the graph of their keywords."""
    report = (await service.answer(trace_id, person)).report
    if report is None:
        raise NotFound(f"the answer {trace_id} is not a report, so it has no plan")
    return Response(svg(report.plan), media_type="image/svg+xml")
