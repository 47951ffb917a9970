"""Planners of sources by name. A planner gets the question and the sources, and gives the queries for each.

A planner that makes more than one call is a file of its own, with one line in `PLANNERS` and its operators in
`PLANNING`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any

from medground.described import SourceDescription
from medground.operators.base import Operator
from medground.operators.planning import name_terms, plan_sources, plan_sources_tagged, write_passage
from medground.operators.rating import rate_plan
from medground.operators.reflecting import improve_plan
from medground.plan.plannable import plannable
from medground.plan.source_plan import SourcePlan
from medground.plan.sources import ReadPlan
from medground.question import Question
from medground.recipes.settings.omni_rag import OmniRagSettings
from medground.run import Run
from medground.steps import PlanningSources, SourcesPlanned

Planner = Callable[[Question, tuple[SourceDescription, ...], Run], Awaitable[SourcePlan | ReadPlan]]
"""Writes the queries for each of these sources. It searches only if it improves its plan by what it finds."""

PLANNERS = {
    "prompting": "medground.plan.prompting:prompting",
    "trained": "medground.plan.prompting:trained",
    "keyless": "medground.plan.prompting:by_statistics",
    "all": "medground.plan.original:every_source",
    "original": "medground.plan.original:original",
    "query2doc": "medground.plan.original:query2doc",
    "reflexion": "medground.plan.reflect:reflexion",
    "serts": "medground.plan.tree:serts",
}
"""Name, as in `omni_rag.planner`, to `module:function`."""

PLANNING: tuple[Operator[Any, Any], ...] = (
    plan_sources,
    plan_sources_tagged,
    name_terms,
    write_passage,
    improve_plan,
    rate_plan,
)
"""The operators that planners ask."""


def open_planner(name: str) -> Planner:
    """The planner called `name`."""
    module, _, function = PLANNERS[name].partition(":")
    planner: Planner = getattr(import_module(module), function)
    return planner


async def planned(question: Question, run: Run) -> SourcePlan:
    """The plan of the planner that the settings name. What its parser mended is told in a warning and in the trace."""
    name, sources = run.settings.section(OmniRagSettings).chosen, plannable(run)
    if not sources:
        return SourcePlan()
    with run.step(PlanningSources(planner=name)) as span:
        made = await open_planner(name)(question, sources, run)
        read = made if isinstance(made, ReadPlan) else ReadPlan(plan=made)
        run.end(span, SourcesPlanned.of(read.plan.queries, repairs=read.repaired))
    if read.repairs:
        run.warn(f"the plan of sources was mended: {read.told()}")
    return read.plan
