"""A research plan by itself: a question is split, and nothing is searched."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from medground.notice import Notice
from medground.opening import open_models_of
from medground.own_loop import OwnLoop
from medground.plan.subquestions import PLANNING, research_plan
from medground.question import Question
from medground.recipes.declaration import Declaration
from medground.research_plan import ResearchPlan
from medground.risk.first import notice_first
from medground.run import Run
from medground.settings import Settings
from medground.steps import OnStep, ignore_steps
from medground.trace import Trace

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

    Raises:
        UsageError: the question is empty, too long, or names nothing biomedical.
        ConfigError: an unknown model, or one that lacks its key.
        ModelFailed: a model gave no usable output.
        BudgetExhausted: a limit of the settings was reached.
    """
    chosen = settings or Settings.load()
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
