"""Search, and widen a query that finds too little or whose evidence is not sufficient. Not in the paper."""

from __future__ import annotations

from collections.abc import Sequence

from medground.operators.searching import Candidate
from medground.plan.critic import Attempt, next_query
from medground.plan.look import count, look
from medground.plan.relax import PubMedQuery, headings_of, relaxed, same
from medground.question import Question
from medground.recipes.settings.pubmed_reasoner import PubMedReasonerSettings
from medground.run import Run
from medground.steps import QueryWritten


async def attempt(question: Question, query: PubMedQuery, history: Sequence[Attempt], run: Run) -> Attempt:
    """Search with the query or, if it finds too little, with a wider one (step (a) of `pubmed-reasoner`).

    Candidates are only counted, so that just the query that is judged and read is searched, and nothing is searched
    twice.

    Raises:
        SourceUnavailable: no source could be searched.
    """
    choices = run.settings.section(PubMedReasonerSettings)
    if not choices.relax:
        result = await look(question, query, run)
        return Attempt(query, result.documents, query, result)
    return await _widened(question, query, history, run, choices.enough)


async def step_back(question: Question, last: Attempt, missing: str, run: Run) -> Attempt | None:
    """Search once more because what was read does not suffice; None if there is no other query.

    A model that said what is missing writes a query for that. Otherwise the last query is widened.

    Raises:
        SourceUnavailable: no source could be searched.
        ModelFailed: the model gave no usable output.
    """
    if missing:
        terms = [Candidate(heading=heading) for heading in headings_of(last.query.tree)]
        asked = await next_query(question, terms, [last], run, missing=missing)
        again = await attempt(question, asked, [last], run)
    else:
        again = await _widened(question, last.query, [last], run, run.settings.retrieval.keep)
    return None if same(again.query.tree, last.query.tree) else again


async def _widened(
    question: Question, query: PubMedQuery, history: Sequence[Attempt], run: Run, enough: int
) -> Attempt:
    counted: dict[str, int] = {}

    async def counting(candidate: PubMedQuery) -> int:
        if candidate.text not in counted:
            counted[candidate.text] = await count(question, candidate, run)
        return counted[candidate.text]

    found = await counting(query)
    wider = query if found >= enough else await relaxed(query, counting, enough)
    if wider != query:
        note = f"the query finds {found}, fewer than {enough}, so it was widened"
        with run.step(QueryWritten(before=query.text, after=wider.text, notes=(note,))):
            pass
    for one in history:
        if same(one.query.tree, wider.tree):
            return Attempt(query, found, one.query, one.result)
    return Attempt(query, found, wider, await look(question, wider, run))
