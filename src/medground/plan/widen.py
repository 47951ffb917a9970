"""Search with a wider query if one finds too little: step (a) of the recipe `pubmed-reasoner`. Not in the paper."""

from __future__ import annotations

from medground.plan.critic import QueryResult, look
from medground.plan.mesh import PubMedQuery
from medground.plan.relax import relaxed
from medground.question import Question
from medground.recipes.settings.pubmed_reasoner import PubMedReasonerSettings
from medground.run import Run


async def look_or_widen(question: Question, query: PubMedQuery, run: Run) -> QueryResult:
    """Search; if that finds too little, search with wider queries until one finds enough.

    Raises:
        SourceUnavailable: no source could be searched.
    """
    found = await look(question, query, run)
    choices = run.settings.section(PubMedReasonerSettings)
    if not choices.relax or found.documents >= choices.enough:
        return found
    return (await widen(question, query, found, run, enough=choices.enough))[1]


async def widen(
    question: Question, query: PubMedQuery, found: QueryResult, run: Run, *, enough: int
) -> tuple[PubMedQuery, QueryResult]:
    """A query that finds `enough` documents, or the widest possible one, with what it finds.

    Raises:
        SourceUnavailable: no source could be searched.
    """
    seen = {query.text: found}

    async def count(candidate: PubMedQuery) -> int:
        if candidate.text not in seen:
            seen[candidate.text] = await look(question, candidate, run)
        return seen[candidate.text].documents

    wider = await relaxed(query, count, enough)
    return wider, seen[wider.text]
