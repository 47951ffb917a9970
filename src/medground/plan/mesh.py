"""From a question to MeSH terms and a first query.

Source: PubMed Reasoner, section 3.1, Eq. 1 to 3, with Eq. 11 (normalisation) after every query that is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from medground.operators.searching import (
    Candidate,
    DraftQueryInput,
    MeshTermsInput,
    SelectTermsInput,
    draft_query,
    mesh_terms,
    select_terms,
)
from medground.pubmed.normalize import normalize
from medground.query import Everything, Query
from medground.question import Question
from medground.recipes.settings.pubmed_reasoner import PubMedReasonerSettings
from medground.run import Run
from medground.steps import QueryWritten

_NAMELESS = "the query names no subject: the words of the question are searched"


@dataclass(frozen=True)
class PubMedQuery:
    """A query in PubMed's language and as a tree."""

    text: str
    tree: Query


async def propose_terms(question: Question, run: Run) -> list[Candidate]:
    """Candidate headings with their reasons (Eq. 1)."""
    output = await run.ask(mesh_terms, MeshTermsInput(question=question.text))
    distinct = {term.heading: term.rationale for term in output.terms}
    return [Candidate(heading=heading, rationale=rationale) for heading, rationale in distinct.items()]


async def choose_terms(question: Question, candidates: Sequence[Candidate], run: Run) -> list[Candidate]:
    """The candidates to search with, most important first (Eq. 2)."""
    if not candidates:
        return []
    output = await run.ask(select_terms, SelectTermsInput(question=question.text, candidates=tuple(candidates)))
    known = {candidate.heading: candidate for candidate in candidates}
    return [known[heading] for heading in dict.fromkeys(output.selected)][
        : run.settings.section(PubMedReasonerSettings).terms
    ]


async def first_query(question: Question, terms: Sequence[Candidate], run: Run) -> PubMedQuery:
    """The first query (Eq. 3), normalised (Eq. 11)."""
    output = await run.ask(draft_query, DraftQueryInput(question=question.text, terms=tuple(terms)))
    return normalised(output.query, run)


def normalised(text: str, run: Run) -> PubMedQuery:
    """A query that parses, whatever was written (Eq. 11); what was repaired is in the trace.

    A text that names no subject would match every record, so the words of the question are searched instead.
    """
    today = run.now().date()
    result = normalize(text, today=today)
    notes = result.notes
    if isinstance(result.query, Everything):
        result = normalize(run.question.text, today=today)
        notes = (*notes, _NAMELESS, *result.notes)
    with run.step(QueryWritten(before=text, after=result.text, notes=notes)):
        return PubMedQuery(result.text, result.query)
