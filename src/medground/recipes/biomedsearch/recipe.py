"""BioMedSearch: sub-questions and a graph of their keywords; literature, proteins and the web for each; a report.

`docs/recipes/biomedsearch.md` maps each element of the paper to the function that implements it.
"""

import asyncio
from collections.abc import Sequence

from medground.answering.conclude.compose import so_far
from medground.answering.run import Run
from medground.corpus.retraction import why_aside
from medground.errors import SourceUnavailable
from medground.home.concurrency import concurrently
from medground.models.operators.reading import extract, screen, sufficient
from medground.models.operators.reasoning import choose_options
from medground.recipes.base import Recipe
from medground.recipes.biomedsearch.choice import with_choice
from medground.recipes.biomedsearch.decomposing import decompose
from medground.recipes.biomedsearch.literature import find_literature
from medground.recipes.biomedsearch.planner import PLANNING, research_plan
from medground.recipes.biomedsearch.proteins import find_proteins
from medground.recipes.biomedsearch.report import REPORTING, in_short, write_report
from medground.recipes.biomedsearch.reporting import compose_report
from medground.recipes.biomedsearch.sub_answers import is_own
from medground.recipes.biomedsearch.web import RATING, find_pages
from medground.recipes.settings import BioMedSearchSettings
from medground.values.answer import Answer
from medground.values.question import Question
from medground.values.report import ResearchSoFar, SubFound, ToolFound, failed_tool
from medground.values.research_plan import ResearchPlan, SubQuestion, Tool
from medground.values.steps import SubQuestionBegun, SubQuestionDone, WritingReport

FIND = {"literature": find_literature, "protein": find_proteins, "web": find_pages}


async def biomedsearch(question: Question, run: Run) -> Answer:
    """Answer a question by a report (section III), and one with options from the report (section IV.B, Figure 3).

    Raises SourceUnavailable: no tool of any sub-question could search.
    """
    plan = question.plan or await research_plan(question, run)  # S, K and G: Eq. 1 and 2
    choices = run.settings.section(BioMedSearchSettings)
    # The tools that the keywords ask for, of those that the settings allow; all of these where none is left.
    tools = {
        subquestion.id: tuple(tool for tool in plan.tools_of(subquestion) if tool in choices.tools)
        for subquestion in plan.subquestions
    }
    run.research = ResearchSoFar(plan, {name: own or choices.tools for name, own in tools.items()})
    short = await in_short(question, run)
    found = await _search(plan, run)
    if not short.draft.sentences:
        _check_not_all_failed(found, run)
    with run.step(WritingReport(subquestions=len(found))):
        given = question.plan is not None or run.answerer(decompose).is_model
        unasked = [one.id for one in plan.subquestions if not (given or is_own(one, run))]
        report = await write_report(plan, found, run, short=short, unasked=unasked)  # section III.C
    if not question.options:
        return report
    hits = (hit for one in found for tool in one.tools for hit in tool.hits if choices.passages)
    read = dict.fromkeys(hit.passage.text for hit in hits if why_aside(hit.passage) is None)
    most, embedder = choices.paragraphs, choices.embedder
    return await with_choice(question, report, run, beside=tuple(read), paragraphs=most, embedder=embedder)


async def _search(plan: ResearchPlan, run: Run) -> list[SubFound]:
    """Search for each sub-question as soon as those that it comes after are done (section III.B)."""
    after = plan.after()
    searches: dict[str, asyncio.Task[SubFound]] = {}

    async def search(one: SubQuestion) -> SubFound:
        earlier = [await searches[before] for before in after[one.id]]
        names = tuple(dict.fromkeys(name for before in earlier for name in before.names))
        return await _search_one(one, plan, names, run)

    for one in plan.subquestions:
        searches[one.id] = asyncio.create_task(search(one))
    return await concurrently(searches.values())


async def _search_one(one: SubQuestion, plan: ResearchPlan, names: Sequence[str], run: Run) -> SubFound:
    """All tools of a sub-question at once: literature (Eq. 3), protein records, web pages (Eq. 4)."""
    research = run.research
    assert research is not None
    tools = research.tools[one.id]

    async def use(tool: Tool) -> ToolFound:
        try:
            found = await FIND[tool](one, plan, run, names)
        except SourceUnavailable as error:
            found = failed_tool(one, tool, str(error))
        research.found[one.id, tool] = found
        return found

    with run.step(SubQuestionBegun(id=one.id, text=one.text, tools=tools, names=tuple(names))) as span:
        used = await concurrently(use(tool) for tool in tools)
        if all(tool.state == "not configured" for tool in used):  # a plan may ask for nothing that is open
            others = run.settings.section(BioMedSearchSettings).tools
            used += await concurrently(use(tool) for tool in others if tool not in tools)
        found = SubFound(one, tuple(used))
        failed = tuple(tool.tool for tool in found.tools if tool.state in ("failed", "not configured"))
        run.end(span, SubQuestionDone(id=one.id, kept=sum(len(tool.hits) for tool in found.tools), failed=failed))
    return found


def _check_not_all_failed(found: Sequence[SubFound], run: Run) -> None:
    tools = [tool for one in found for tool in one.tools]
    if tools and all(tool.state in ("failed", "not configured") for tool in tools):
        errors = {search.source: search.error for search in run.searches if search.error}
        why = "; ".join(errors.values() or dict.fromkeys(line for tool in tools for line in tool.failures))
        raise SourceUnavailable(f"no source could be searched: {why}", source="research")


async def _so_far(run: Run, stopped: str) -> Answer:
    """A report of what there is; the first quotes where nothing was searched yet."""
    if run.research is None or not run.research.found:
        return so_far(run, stopped)
    found = run.research.by_subquestion()
    return await write_report(run.research.plan, found, run, stopped)


BIOMEDSEARCH = Recipe(
    name="biomedsearch",
    run=biomedsearch,
    operators=(*PLANNING, *RATING, *REPORTING, choose_options, screen, extract, sufficient),
    writers=(compose_report, choose_options),
    settings=BioMedSearchSettings,
    researches=True,
    so_far=_so_far,
)
