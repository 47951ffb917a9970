"""A PubMed query by itself: a question becomes a query, and nothing is searched."""

from __future__ import annotations

from dataclasses import dataclass

from medground.notice import Notice
from medground.operators.searching import QUERYING, Candidate
from medground.operators.searching_at_once import AT_ONCE
from medground.plan.concepts import with_concepts
from medground.plan.look import dated
from medground.plan.relax import as_pubmed
from medground.pubmed.normalize import normalize
from medground.query import all_of
from medground.question import Question
from medground.recipes.declaration import Declaration
from medground.recipes.pubmed_reasoner import query_of
from medground.research_planning import planning
from medground.run import Run
from medground.settings import Settings
from medground.steps import QueryWritten, Step

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
    """A PubMed query for a question, as the recipe pubmed-reasoner begins (PubMed Reasoner, Eq. 1 to 3 and 11).

    What the question names and the query lacks is added, and so are years that the question is limited to.

    Raises:
        UsageError: the question is empty or too long.
        ConfigError: an unknown model, or one that lacks its key.
        ModelFailed: a model gave no usable output.
        BudgetExhausted: a limit of the settings was reached.
    """
    notes: list[str] = []

    def take_notes(step: Step) -> None:
        if isinstance(step, QueryWritten):
            notes.extend(step.notes)

    async with planning(question, settings, PLANNING_A_QUERY, take_notes) as (run, notice):
        return PlannedQuery("", notice=notice) if run is None else await _planned(run, notes, notice)


async def _planned(run: Run, notes: list[str], notice: Notice | None) -> PlannedQuery:
    question = run.question
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
