"""Planners of sources by name. A planner gets the question and the sources, and gives the queries for each.

A planner that makes more than one call is a file of its own, with one line in `PLANNERS` and its operators in
`PLANNING`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib import import_module

from medground.answering.run import Run
from medground.errors import ModelFailed
from medground.language import words
from medground.recipes.omni_rag.operators import (
    MOST_TERMS,
    ExploredSource,
    NameTermsInput,
    PlanSourcesInput,
    PlanSourcesOutput,
    WritePassageInput,
    name_terms,
    plan_sources,
    plan_sources_tagged,
    read_sources,
    write_passage,
)
from medground.recipes.omni_rag.rating import improve_plan, rate_plan
from medground.recipes.omni_rag.read_plan import ReadPlan, plan_of, read_plan
from medground.recipes.omni_rag.search import plannable
from medground.recipes.settings import OmniRagSettings
from medground.values.question import Question
from medground.values.source_plan import SourceDescription, SourcePlan, SourceQuery
from medground.values.steps import PlanningSources, SourcesPlanned

Sources = tuple[SourceDescription, ...]
Planner = Callable[[Question, Sources, Run], Awaitable[SourcePlan | ReadPlan]]
"""Writes the queries for each of these sources. It searches only if it improves its plan by what it finds."""

PLANNERS = {
    "prompting": "medground.recipes.omni_rag.planners:prompting",
    "trained": "medground.recipes.omni_rag.planners:trained",
    "keyless": "medground.recipes.omni_rag.planners:by_statistics",
    "all": "medground.recipes.omni_rag.planners:every_source",
    "original": "medground.recipes.omni_rag.planners:original",
    "query2doc": "medground.recipes.omni_rag.planners:query2doc",
    "reflexion": "medground.recipes.omni_rag.improving:reflexion",
    "serts": "medground.recipes.omni_rag.improving:serts",
}
"""Name, as in `omni_rag.planner`, to `module:function`."""

PLANNING = (plan_sources, plan_sources_tagged, name_terms, write_passage, improve_plan, rate_plan)
"""The operators that planners ask."""


async def planned(question: Question, run: Run) -> SourcePlan:
    """The plan of the planner that the settings name. What its parser corrected is in a warning and in the trace.

    An unreadable plan asks nothing where the reader must answer (`recipe.definite`), as in the paper.

    Raises ModelFailed: the planner failed, or its plan is unreadable and the reader need not answer.
    """
    name, sources = run.settings.section(OmniRagSettings).chosen, plannable(run)
    if not sources:
        return SourcePlan()
    with run.step(PlanningSources(planner=name)) as span:
        module, _, function = PLANNERS[name].partition(":")
        planner: Planner = getattr(import_module(module), function)
        try:
            made = await planner(question, sources, run)
        except ModelFailed as error:
            if not error.unreadable or not run.answers_anyway(read_sources):
                raise
            run.warn(f"the plan of sources could not be read, so nothing was searched: {error}")
            run.end(span, SourcesPlanned.from_queries({}, unread=True))
            return SourcePlan()
        read = made if isinstance(made, ReadPlan) else ReadPlan(plan=made)
        run.end(
            span, SourcesPlanned.from_queries(read.plan.queries, repairs=sum(read.repairs.values()), unread=read.unread)
        )
    if read.repairs:
        run.warn(f"the plan of sources was corrected: {read.told()}")
    return read.plan


async def prompting(question: Question, sources: Sources, run: Run) -> ReadPlan:
    """Ask the model for the plan: typed, or as text in tags if `omni_rag.tagged` says so."""
    choices = run.settings.section(OmniRagSettings)
    if choices.tagged:
        return await trained(question, sources, run)
    value = planning_input(question, sources, choices.queries)
    return typed(await run.ask(plan_sources, value), sources, choices.queries)


async def trained(question: Question, sources: Sources, run: Run) -> ReadPlan:
    """Ask for the plan as text in tags, the form that planners are trained on."""
    most = run.settings.section(OmniRagSettings).queries
    output = await run.ask(plan_sources_tagged, planning_input(question, sources, most))
    return read_plan(output.text, sources, most)


async def by_statistics(question: Question, sources: Sources, run: Run) -> ReadPlan:
    """The plan of word statistics, even where a model is named."""
    most = run.settings.section(OmniRagSettings).queries
    return typed(plan_sources.keyless(planning_input(question, sources, most)), sources, most)


def typed(output: PlanSourcesOutput, sources: Sources, most: int) -> ReadPlan:
    """A typed output as a plan."""
    return plan_of(
        ((one.source, query.term, query.text) for one in output.plan for query in one.queries), sources, most
    )


def planning_input(question: Question, sources: Sources, most: int) -> PlanSourcesInput:
    """What a planner is shown: the question with its options, and what each source holds."""
    return PlanSourcesInput(question=question.text, options=question.options, sources=explored(sources), most=most)


def explored(sources: Sequence[SourceDescription]) -> tuple[ExploredSource, ...]:
    """The sources as planners and raters see them."""
    return tuple(ExploredSource(name=source.name, kind=source.kind, about=source.about) for source in sources)


async def original(question: Question, sources: Sources, run: Run) -> SourcePlan:
    """The question to every source of texts; to a graph, fewer than four terms of it (E.5)."""
    return await _plan(question, sources, dict.fromkeys((source.name for source in sources), _whole(question)), run)


def _whole(question: Question) -> str:
    return " ".join([question.text, *(option.text for option in question.options)])


async def every_source(question: Question, sources: Sources, run: Run) -> SourcePlan:
    """The content words of the question to every source of texts; to a graph, fewer than four terms of it."""
    content = " ".join(word for word in question.text.replace("?", " ").split() if words.terms(word)) or question.text
    return await _plan(question, sources, dict.fromkeys((source.name for source in sources), content), run)


async def query2doc(question: Question, sources: Sources, run: Run) -> SourcePlan:
    """The question and a passage of at most 200 words that a model writes for each source of texts (E.6).

    Without a model there is no such passage, and the question is asked alone.
    """
    most = run.settings.section(OmniRagSettings).passage_words

    async def written(source: SourceDescription) -> str:
        (seen,) = explored([source])
        value = WritePassageInput(question=question.text, options=question.options, source=seen, words=most)
        output = await run.ask_for_part(write_passage, value, f"the query for {source.name}")
        return " ".join([_whole(question), *output.passage.split()[:most]])

    texts = [one for one in sources if one.kind != "graph"]
    passages = await asyncio.gather(*map(written, texts))
    return await _plan(question, sources, {one.name: said for one, said in zip(texts, passages, strict=True)}, run)


async def _plan(question: Question, sources: Sources, texts: Mapping[str, str], run: Run) -> SourcePlan:
    terms: tuple[str, ...] = ()
    if any(source.kind == "graph" for source in sources):
        value = NameTermsInput(question=question.text, options=question.options)
        named = (await run.ask_for_part(name_terms, value, "the query for the graph")).terms
        terms = tuple(dict.fromkeys(filter(None, (" ".join(term.split()) for term in named))))[:MOST_TERMS]
    about = tuple(SourceQuery(term=term, text=question.text) for term in terms)
    return SourcePlan(
        queries={
            source.name: about if source.kind == "graph" else (SourceQuery(text=texts[source.name]),)
            for source in sources
        }
    )
