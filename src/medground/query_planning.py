"""A PubMed query by itself: a question becomes a query, and nothing is searched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from medground.models.registry import Models
from medground.notice import Notice
from medground.opening import open_models_of
from medground.operators.searching import QUERYING, Candidate
from medground.operators.searching_at_once import AT_ONCE
from medground.plan.concepts import with_concepts
from medground.plan.dates import dated
from medground.plan.relax import as_pubmed
from medground.pubmed.normalize import normalize
from medground.query import all_of
from medground.question import Question
from medground.recipes.declaration import Declaration
from medground.recipes.pubmed_reasoner import query_of
from medground.risk.first import notice_first
from medground.run import Run
from medground.settings import Settings
from medground.steps import QueryWritten, Step
from medground.trace import Trace

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


async def plan_query(
    question: str | Question, settings: Settings, *, open_models: Callable[[Settings], Models] = open_models_of
) -> PlannedQuery:
    """A PubMed query for a question, as the recipe pubmed-reasoner begins (PubMed Reasoner, Eq. 1 to 3 and 11).

    What the question names and the query lacks is added, and so are years that the question is limited to.

    Raises:
        UsageError: the question is empty or too long.
        ConfigError: an unknown model, or one that lacks its key.
        ModelFailed: a model gave no usable output.
        BudgetExhausted: a limit of the settings was reached.
    """
    text = question if isinstance(question, str) else question.text
    with notice_first(text) as notice:
        asked = Question.ask(question, task="free") if isinstance(question, str) else question
        if notice is not None and notice.stops:
            return PlannedQuery("", notice=notice)
        models = open_models(settings)
        try:
            return await _planned(asked, settings, models, notice)
        finally:
            await models.close()


async def _planned(question: Question, settings: Settings, models: Models, notice: Notice | None) -> PlannedQuery:
    notes: list[str] = []

    def take_notes(step: Step) -> None:
        if isinstance(step, QueryWritten):
            notes.extend(step.notes)

    trace = Trace("query", None, settings)
    run = Run(question, settings, PLANNING_A_QUERY, sources=(), models=models, trace=trace, on_step=take_notes)
    limited = dated(question, run)
    terms, query = await query_of(limited, run)
    query = with_concepts(limited, query)
    if (limits := limited.filters.as_query()) is not None:
        query = as_pubmed(all_of([query.tree, limits]))
    if limited.filters != question.filters:
        notes.append("the query is limited to the years of publication that the question names")
    final = normalize(query.text, today=run.now().date())
    author = run.author(*PLANNING_A_QUERY.operators)
    return PlannedQuery(
        query=final.text,
        terms=tuple(terms),
        notes=tuple(dict.fromkeys([*notes, *final.notes])),
        planner=author.name if author else "",
        notice=notice,
    )
