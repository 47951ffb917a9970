"""Plans by themselves, which the recipes make and no source is searched for: a research plan, and a PubMed query."""

from dataclasses import dataclass

from medground.answering.declaration import Declaration
from medground.answering.run import Run
from medground.pubmed.normalize import normalize
from medground.recipes.biomedsearch.planner import PLANNING
from medground.recipes.biomedsearch.planner import research_plan as research_plan
from medground.recipes.pubmed_reasoner.operators import QUERYING, Candidate
from medground.recipes.pubmed_reasoner.queries import AT_ONCE, dated
from medground.recipes.pubmed_reasoner.recipe import query_of
from medground.sources.pubmed.query import as_pubmed, with_concepts
from medground.values.decision import Notice
from medground.values.query import all_of

PLANNING_ONLY = Declaration(name="plan", operators=PLANNING)
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


async def planned_query(run: Run) -> PlannedQuery:
    """A query for the question of a run.

    What the question names and the query lacks is added, and so are years that the question is limited to.
    """
    limited = dated(run.question, run)
    terms, query = await query_of(limited, run)
    query = with_concepts(limited, query)
    if (limits := limited.filters.as_query()) is not None:
        query = as_pubmed(all_of([query.tree, limits]))
    years = "the query is limited to the years of publication that the question names"
    final = normalize(query.text, today=run.now().date())
    notes = (*([years] if limited.filters != run.question.filters else []), *final.notes)
    return PlannedQuery(final.text, tuple(terms), notes)
