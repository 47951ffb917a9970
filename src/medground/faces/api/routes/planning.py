"""Plans, before anything is searched: a PubMed query, or the sub-questions of research."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Body
from pydantic import Field

from medground.document import Frozen
from medground.faces.api.caller import Caller, Served
from medground.notice import Notice
from medground.research_plan import ResearchPlan

router = APIRouter(prefix="/v1", tags=["literature"])


class PlanAsked(Frozen):
    """A question to plan for."""

    question: str = Field(min_length=1, max_length=4000)
    kind: Literal["pubmed", "research"] = "pubmed"


class Planned(Frozen):
    """A plan: `query` of kind `pubmed`, `plan` of kind `research`. `notice` is shown before anything else."""

    kind: Literal["pubmed", "research"]
    query: str | None = Field(default=None, description="a query that PubMed accepts as it is")
    headings: tuple[str, ...] = Field(default=(), description="the MeSH headings behind it, most important first")
    plan: ResearchPlan | None = Field(default=None, description="for `plan` of a question, as it is or changed")
    notes: tuple[str, ...] = ()
    planner: str = Field(default="", description="who made it")
    notice: Notice | None = None


@router.post("/plan", summary="Plan a search or research")
async def plan(
    asked: Annotated[PlanAsked, Body(examples=[{"question": "Does aspirin prevent ischemic stroke?"}])],
    person: Caller,
    service: Served,
) -> Planned:
    """A plan by word statistics: no model is asked and nothing is searched."""
    if asked.kind == "research":
        made = await service.plan_research(asked.question, person)
        return Planned(kind=asked.kind, plan=made.plan, planner=made.planner, notice=made.notice)
    found = await service.plan_query(asked.question, person)
    return Planned(
        kind=asked.kind,
        query=found.query or None,
        headings=tuple(term.heading for term in found.terms),
        notes=found.notes,
        planner=found.planner,
        notice=found.notice,
    )
