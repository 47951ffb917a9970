"""What a researcher looks at of an answer: its studies as a table, its plan as a drawing, and what the run did when."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from medground.document import Frozen
from medground.errors import NotFound
from medground.evidence_table.as_csv import as_csv
from medground.evidence_table.values import LONGEST_COLUMN, MOST_COLUMNS, EvidenceTable
from medground.faces.api.caller import Caller, Served
from medground.faces.api.routes.answers import download
from medground.timeline import Timeline, timeline
from medground.wording.plans.svg import svg

router = APIRouter(prefix="/v1/answers", tags=["answers"])

_CSV = {"text/csv": {"schema": {"type": "string", "description": "The table for a spreadsheet."}}}
_SVG = {"image/svg+xml": {"schema": {"type": "string", "description": "The drawing."}}}


class AskedTable(Frozen):
    """The columns of a table, such as `dose`, `n` or `outcome`."""

    columns: tuple[Annotated[str, Field(min_length=1, max_length=LONGEST_COLUMN)], ...] = Field(
        default=(), max_length=MOST_COLUMNS
    )
    model: str | None = Field(default=None, max_length=100, description="a model that chooses the sentences")


@router.post(
    "/{trace_id}/table",
    summary="The studies of an answer as a table",
    response_model=EvidenceTable,
    responses={200: {"content": _CSV}, 404: {}},
)
async def table(
    trace_id: str,
    asked: AskedTable,
    person: Caller,
    service: Served,
    form: Annotated[Literal["json", "csv"], Query(alias="format")] = "json",
) -> Response:
    """A row for each study that the answer quotes, with your columns: a verbatim quote, `not reported`, or `failed`."""
    made = await service.table(trace_id, asked.columns, person, model=asked.model)
    if form == "csv":
        return download(as_csv(made), "text/csv", f"medground-{trace_id}.csv")
    return Response(made.model_dump_json(), media_type="application/json")


@router.get("/{trace_id}/trace", summary="What a run did, and when", responses={404: {}, 422: {}})
async def trace(trace_id: str, person: Caller, service: Served) -> Timeline:
    """The parts of the run of an answer with their seconds, tokens and money, without document and prompt text."""
    return timeline(trace_id, await service.trace(trace_id, person))


@router.get(
    "/{trace_id}/plan.svg",
    summary="The plan of a report as a drawing",
    response_class=Response,
    responses={200: {"content": _SVG}, 404: {}, 422: {}},
)
async def plan(trace_id: str, person: Caller, service: Served) -> Response:
    """The sub-questions of a report in their order, and the graph of their keywords."""
    report = (await service.answer(trace_id, person)).report
    if report is None:
        raise NotFound(f"the answer {trace_id} is not a report, so it has no plan")
    return Response(svg(report.plan), media_type="image/svg+xml")
