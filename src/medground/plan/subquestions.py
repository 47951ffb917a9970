"""The planner of biomedical research: sub-questions, their keywords, and the graph that orders them.

Source: BioMedSearch, section III.A, Eq. 1 and 2.
"""

from __future__ import annotations

from typing import Any

from medground.errors import UsageError
from medground.operators.base import Operator
from medground.operators.decomposing import (
    BuildGraphInput,
    ChooseToolsInput,
    DecomposeInput,
    KeywordedQuestion,
    NameKeywordsInput,
    build_graph,
    choose_tools,
    decompose,
    name_keywords,
)
from medground.operators.keyless.decomposing.keywords import named_keywords
from medground.operators.keyless.decomposing.subjects import is_biomedical
from medground.plan.mending import Mended
from medground.question import Question
from medground.recipes.settings.biomedsearch import BioMedSearchSettings
from medground.research_plan import TOOLS, Edge, ResearchPlan, Tool
from medground.run import Run
from medground.steps import PlanningResearch, ResearchPlanned
from medground.together import together

PLANNING: tuple[Operator[Any, Any], ...] = (decompose, name_keywords, build_graph, choose_tools)
"""The operators that `research_plan` asks; a recipe that plans declares them."""


async def research_plan(question: Question, run: Run) -> ResearchPlan:
    """The plan of the research for a question: three to five sub-questions with keywords, tools and order.

    What a model wrote wrong is mended and told in the plan's notes. Everything that the question names is a keyword of
    at least one sub-question, whoever planned, as far as there is room.

    Raises:
        UsageError: the question names nothing biomedical, or the settings allow no tool.
    """
    choices, text = run.settings.section(BioMedSearchSettings), question.text
    allowed = tuple(tool for tool in TOOLS if tool in choices.tools)
    if not allowed:
        raise UsageError(f"biomedsearch.tools is empty; name at least one of {', '.join(TOOLS)}")
    if not is_biomedical(text):
        raise UsageError(
            "the question names nothing biomedical; ask about a gene, a protein, a drug, a disease, a treatment or the "
            "like"
        )
    with run.step(PlanningResearch()) as span:
        mended = Mended()
        split = await run.ask(decompose, DecomposeInput(question=text, most=choices.subquestions))
        mended.add_questions(split.subquestions, choices.subquestions)
        edges: tuple[Edge, ...] = ()
        if choices.use_keywords:
            await _name_keywords(mended, text, choices.keywords, run)
            edges = await _graph(mended, text, allowed, run)
        else:
            value = ChooseToolsInput(question=text, subquestions=_shown(mended), tools=allowed)
            mended.add_tools(await run.ask(choose_tools, value), allowed)
        plan = mended.plan(text, edges)
        run.end(span, ResearchPlanned.of(plan))
    return plan


async def _name_keywords(mended: Mended, text: str, most: int, run: Run) -> None:
    """Keywords of all sub-questions at once (Eq. 2, first line), and those that the question names beside them."""
    asked = (
        NameKeywordsInput(question=text, subquestion=one.text, dimension=one.dimension, most=most)
        for one in mended.subquestions
    )
    named = await together(run.ask(name_keywords, value) for value in asked)
    for at, output in enumerate(named):
        mended.add_keywords(at, output, most)
    mended.add_named(named_keywords(text), most)


async def _graph(mended: Mended, text: str, allowed: tuple[Tool, ...], run: Run) -> tuple[Edge, ...]:
    """Tools and edges of the union of the keywords (Eq. 2, second line)."""
    value = BuildGraphInput(question=text, subquestions=_shown(mended), tools=allowed)
    return mended.add_graph(await run.ask(build_graph, value), allowed)


def _shown(mended: Mended) -> tuple[KeywordedQuestion, ...]:
    return tuple(
        KeywordedQuestion(id=one.id, text=one.text, dimension=one.dimension, keywords=one.keywords)
        for one in mended.subquestions
    )
