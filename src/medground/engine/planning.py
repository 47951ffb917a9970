"""A research plan by itself: a question is split, and nothing is searched."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from medground.answering.declaration import Declaration
from medground.answering.run import Run
from medground.answering.trace import Trace
from medground.engine.opening import open_models_of
from medground.home.concurrency import OwnLoop
from medground.home.settings import Settings
from medground.language.risk.notices import notice_first
from medground.pubmed.normalize import normalize
from medground.recipes.biomedsearch.planner import PLANNING, research_plan
from medground.recipes.pubmed_reasoner.operators import QUERYING, Candidate
from medground.recipes.pubmed_reasoner.queries import AT_ONCE, dated
from medground.recipes.pubmed_reasoner.recipe import query_of
from medground.sources.pubmed.query import as_pubmed, with_concepts
from medground.values.decision import Notice
from medground.values.query import all_of
from medground.values.question import Question
from medground.values.research_plan import ResearchPlan
from medground.values.steps import OnStep, QueryWritten, Step, ignore_steps

PLANNING_ONLY = Declaration(name="plan", operators=PLANNING)


@dataclass(frozen=True)
class PlannedResearch:
    """A plan and who made it; a notice comes first, and one about self-harm comes alone, without a plan."""

    plan: ResearchPlan | None
    notice: Notice | None = None
    planner: str = ""


def plan_of(
    question: str | Question, settings: Settings | None = None, *, on_step: OnStep = ignore_steps
) -> PlannedResearch:
    """The research plan of a question, for callers that do not await. Only the models of the settings are opened.

    Raises UsageError: the question is empty, too long, or names nothing biomedical; ConfigError: an unknown model, or
    one that lacks its key; ModelFailed: a model gave no usable output; BudgetExhausted: a limit of the settings was
    reached.
    """
    chosen = Settings.of(settings)
    with OwnLoop() as loop:
        return loop.wait(plan_research(question, chosen, on_step=on_step))


async def plan_research(
    question: str | Question, settings: Settings, *, on_step: OnStep = ignore_steps
) -> PlannedResearch:
    """The research plan of a question; errors are those of `plan_of`."""
    async with planning(question, settings, PLANNING_ONLY, on_step) as (run, notice):
        if run is None:
            return PlannedResearch(None, notice)
        plan = await research_plan(run.question, run)
        author = run.author(*PLANNING)
        return PlannedResearch(plan, notice, author.name if author else "")


@asynccontextmanager
async def planning(
    question: str | Question, settings: Settings, recipe: Declaration, on_step: OnStep
) -> AsyncIterator[tuple[Run | None, Notice | None]]:
    """A run that searches nothing, and the notice that comes first; no run where that notice comes alone."""
    text = question if isinstance(question, str) else question.text
    with notice_first(text) as notice:
        asked = Question.ask(question, task="free") if isinstance(question, str) else question
        if notice is not None and notice.stops:
            yield None, notice
            return
        models = open_models_of(settings)
        try:
            trace = Trace(recipe.name, None, settings)
            yield Run(asked, settings, recipe, sources=(), models=models, trace=trace, on_step=on_step), notice
        finally:
            await models.close()


# A PubMed query by itself: a question becomes a query, and nothing is searched.

PLANNING_A_QUERY = Declaration(name="query", operators=(*QUERYING, *AT_ONCE))


@dataclass(frozen=True)
class PlannedQuery:
    """A valid PubMed query for a question, and how it was made.

    Attributes:
        query: the query, which PubMed accepts as it is; empty only if the notice is about self-harm.
        terms: the MeSH headings behind it, most important first, each with the reason.
        notes: what was repaired in a model's query, and limits that the question's words set.
        planner: `keyless`, or the model that wrote it.
        notice: what a face shows first, if the question shows a person at risk.
    """

    query: str
    terms: tuple[Candidate, ...] = ()
    notes: tuple[str, ...] = ()
    planner: str = ""
    notice: Notice | None = None


async def plan_query(question: str | Question, settings: Settings) -> PlannedQuery:
    """A PubMed query for a question.

    What the question names and the query lacks is added, and so are years that the question is limited to.

    Raises UsageError: the question is empty or too long; ConfigError: an unknown model, or one that lacks its key;
    ModelFailed: a model gave no usable output; BudgetExhausted: a limit of the settings was reached.
    """
    notes: list[str] = []

    def take_notes(step: Step) -> None:
        if isinstance(step, QueryWritten):
            notes.extend(step.notes)

    async with planning(question, settings, PLANNING_A_QUERY, take_notes) as (run, notice):
        if run is None:
            return PlannedQuery("", notice=notice)
        limited = dated(run.question, run)
        terms, query = await query_of(limited, run)
        author = run.author(*PLANNING_A_QUERY.operators)
        query = with_concepts(limited, query)
        if (limits := limited.filters.as_query()) is not None:
            query = as_pubmed(all_of([query.tree, limits]))
        if limited.filters != run.question.filters:
            notes.append("the query is limited to the years of publication that the question names")
        final = normalize(query.text, today=run.now().date())
    return PlannedQuery(
        query=final.text,
        terms=tuple(terms),
        notes=tuple(dict.fromkeys([*notes, *final.notes])),
        planner=author.name if author else "",
        notice=notice,
    )
