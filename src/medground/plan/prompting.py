"""Planners that write a plan in one call: a model that is asked, one that was trained, and word statistics.

Source: Omni-RAG, section 4.1 and appendix D.3 (Prompting), prompt E.7.
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.described import SourceDescription
from medground.operators.planning import (
    ExploredSource,
    PlanSourcesInput,
    PlanSourcesOutput,
    plan_sources,
    plan_sources_tagged,
)
from medground.plan.sources import ReadPlan, plan_of, read_plan
from medground.question import Question
from medground.recipes.settings.omni_rag import OmniRagSettings
from medground.run import Run


async def prompting(question: Question, sources: tuple[SourceDescription, ...], run: Run) -> ReadPlan:
    """Ask the model for the plan: typed, or as text in tags if `omni_rag.tagged` says so."""
    choices = run.settings.section(OmniRagSettings)
    if choices.tagged:
        return await trained(question, sources, run)
    value = planning_input(question, sources, choices.queries)
    return typed(await run.ask(plan_sources, value), sources, choices.queries)


async def trained(question: Question, sources: tuple[SourceDescription, ...], run: Run) -> ReadPlan:
    """Ask for the plan as text in tags, the form that planners are trained on.

    Raises:
        ModelFailed: the model named no source.
    """
    most = run.settings.section(OmniRagSettings).queries
    output = await run.ask(plan_sources_tagged, planning_input(question, sources, most))
    return read_plan(output.text, sources, most)


async def by_statistics(question: Question, sources: tuple[SourceDescription, ...], run: Run) -> ReadPlan:
    """The plan of word statistics, even where a model is named."""
    most = run.settings.section(OmniRagSettings).queries
    return typed(plan_sources.keyless(planning_input(question, sources, most)), sources, most)


def typed(output: PlanSourcesOutput, sources: tuple[SourceDescription, ...], most: int) -> ReadPlan:
    """A typed output as a plan."""
    return plan_of(
        ((one.source, query.term, query.text) for one in output.plan for query in one.queries), sources, most
    )


def planning_input(question: Question, sources: tuple[SourceDescription, ...], most: int) -> PlanSourcesInput:
    """What a planner is shown: the question with its options, and what each source holds."""
    return PlanSourcesInput(
        question=question.text,
        options=question.options,
        sources=explored(sources),
        most=most,
    )


def explored(sources: Sequence[SourceDescription]) -> tuple[ExploredSource, ...]:
    """The sources as planners and raters see them."""
    return tuple(ExploredSource(name=one.name, kind=one.kind, about=one.about) for one in sources)
