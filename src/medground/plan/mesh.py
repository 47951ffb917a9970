"""From a question to MeSH terms and a first query.

Source: PubMed Reasoner, section 3.1, Eq. 1 to 3; every query is then normalised (Eq. 11).
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.operators.searching import (
    Candidate,
    DraftQueryInput,
    MeshTermsInput,
    SelectTermsInput,
    draft_query,
    mesh_terms,
    select_terms,
)
from medground.plan.relax import PubMedQuery
from medground.pubmed.normalize import normalize
from medground.query import Everything
from medground.question import Question
from medground.recipes.settings.pubmed_reasoner import PubMedReasonerSettings
from medground.run import Run
from medground.steps import QueryWritten

_NO_SUBJECT = "the query has no subject term, so the words of the question are searched instead"


async def propose_terms(question: Question, run: Run) -> list[Candidate]:
    """Candidate headings with reasons (Eq. 1).

    Raises:
        ModelFailed: the model gave no usable output.
    """
    most = run.settings.section(PubMedReasonerSettings).terms
    output = await run.ask(mesh_terms, MeshTermsInput(question=question.text, most=most))
    distinct = {term.heading: term.rationale for term in output.terms}
    return [Candidate(heading=heading, rationale=rationale) for heading, rationale in distinct.items()]


async def choose_terms(question: Question, candidates: Sequence[Candidate], run: Run) -> list[Candidate]:
    """The candidates to search with, most important first (Eq. 2).

    Raises:
        ModelFailed: the model gave no usable output.
    """
    if not candidates:
        return []
    output = await run.ask(select_terms, SelectTermsInput(question=question.text, candidates=tuple(candidates)))
    known = {candidate.heading: candidate for candidate in candidates}
    return [known[heading] for heading in dict.fromkeys(output.selected)][
        : run.settings.section(PubMedReasonerSettings).terms
    ]


async def first_query(question: Question, terms: Sequence[Candidate], run: Run) -> PubMedQuery:
    """The first query (Eq. 3), normalised (Eq. 11).

    Raises:
        ModelFailed: the model gave no usable output.
    """
    output = await run.ask(draft_query, DraftQueryInput(question=question.text, terms=tuple(terms)))
    return normalised(output.query, run)


def normalised(text: str, run: Run) -> PubMedQuery:
    """A valid query from whatever was written (Eq. 11). The trace records the repairs.

    A query without a subject term would match every record, so the words of the question are searched instead.
    """
    today = run.now().date()
    result = normalize(text, today=today)
    notes = result.notes
    if isinstance(result.query, Everything):
        result = normalize(run.question.text, today=today)
        notes = (*notes, _NO_SUBJECT, *result.notes)
    with run.step(QueryWritten(before=text, after=result.text, notes=notes)):
        return PubMedQuery(result.text, result.query)
