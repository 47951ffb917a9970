"""A research plan or a PubMed query by itself: a question is planned for, and nothing is searched."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from medground.answering.declaration import Declaration
from medground.answering.run import Run
from medground.answering.trace import Trace
from medground.engine.opening import open_models_of
from medground.home.concurrency import OwnLoop
from medground.home.settings import Settings
from medground.language.risk.notices import notice_first
from medground.recipes.planning import PLANNING_A_QUERY, PLANNING_ONLY, planned_query, research_plan
from medground.recipes.planning import PlannedQuery as PlannedQuery
from medground.values.decision import Notice
from medground.values.question import Question
from medground.values.research_plan import ResearchPlan
from medground.values.steps import AnyStep, OnStep, QueryWritten, ignore_steps


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
    chosen = Settings.resolved(settings)
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
        author = run.author(*PLANNING_ONLY.operators)
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


async def plan_query(question: str | Question, settings: Settings) -> PlannedQuery:
    """A PubMed query for a question.

    Raises UsageError: the question is empty or too long; ConfigError: an unknown model, or one that lacks its key;
    ModelFailed: a model gave no usable output; BudgetExhausted: a limit of the settings was reached.
    """
    notes: list[str] = []

    def take_notes(step: AnyStep) -> None:
        if isinstance(step, QueryWritten):
            notes.extend(step.notes)

    async with planning(question, settings, PLANNING_A_QUERY, take_notes) as (run, notice):
        if run is None:
            return PlannedQuery("", notice=notice)
        planned = await planned_query(run)
        planner, told = run.author(*PLANNING_A_QUERY.operators), tuple(dict.fromkeys([*notes, *planned.notes]))
        return replace(planned, notes=told, planner=planner.name if planner else "", notice=notice)
