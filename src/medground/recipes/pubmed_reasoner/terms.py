"""From a question to MeSH terms and a first query.

Source: PubMed Reasoner, section 3.1, Eq. 1 to 3; every query is then normalised (Eq. 11).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from medground.answering.rank.fuse import fuse
from medground.answering.run import Run
from medground.language.question_reading import reading_of
from medground.pubmed.normalize import normalize
from medground.pubmed.printer import to_pubmed
from medground.recipes.pubmed_reasoner.operators import (
    Candidate,
    DraftQueryInput,
    MeshTermsInput,
    SelectTermsInput,
    Signal,
    draft_query,
    mesh_terms,
    select_terms,
)
from medground.recipes.pubmed_reasoner.settings import PubMedReasonerSettings
from medground.sources.pubmed.query import PubMedQuery
from medground.values.document import Hit
from medground.values.lookup import Lookup
from medground.values.query import Everything, Filters, all_of
from medground.values.question import Question
from medground.values.steps import QueryWritten

_NO_SUBJECT = "the query has no subject term, so the words of the question are searched instead"


async def propose_terms(question: Question, run: Run) -> list[Candidate]:
    """Candidate headings with reasons (Eq. 1)."""
    most = run.settings.section(PubMedReasonerSettings).terms
    output = await run.ask(mesh_terms, MeshTermsInput(question=question.text, most=most))
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


# Search with a PubMed query, or only count what it finds.


@dataclass(frozen=True)
class QueryResult:
    """What a query found: ranked hits, and titles and abstracts of the first documents (Eq. 4 and 5)."""

    hits: tuple[Hit, ...]
    signals: tuple[Signal, ...]

    @property
    def documents(self) -> int:
        """Number of documents found."""
        return len({hit.passage.document_id for hit in self.hits})


def dated(question: Question, run: Run) -> Question:
    """The question, limited to the years that its text states, which the answer shows; unchanged if it has limits."""
    asked = question.filters
    if any((asked.year_from, asked.year_to, asked.date_from, asked.date_to)):
        return question
    if (found := reading_of(question.text).years(run.now().year)) is None:
        return question
    run.warn(found.note)
    limits = asked.model_copy(update={"year_from": found.first, "year_to": found.last})
    return question.model_copy(update={"filters": limits})


async def look(question: Question, query: PubMedQuery, run: Run) -> QueryResult:
    """Search, and get titles and abstracts of the first documents; nothing else is read (Eq. 4 and 5)."""
    choices = run.settings.section(PubMedReasonerSettings)
    results = await run.look_up(_lookup(question, query, run))
    hits = fuse([ranking for result in results for ranking in result.rankings], k=run.settings.retrieval.fusion_k)
    first = list(dict.fromkeys(h.passage.document_id for h in hits))[: choices.signals]
    await run.retrieve(first)
    documents = [run.ledger.documents[i] for i in first if i in run.ledger.documents]
    signals = tuple(Signal(title=d.title, abstract=d.text[: choices.signal_length]) for d in documents)
    return QueryResult(tuple(hits), signals)


async def count(question: Question, query: PubMedQuery, run: Run) -> int:
    """Number of documents that a query finds, without fetching any."""
    return await run.count(_lookup(question, query, run))


def _lookup(question: Question, query: PubMedQuery, run: Run) -> Lookup:
    """The query with the question's years, as the answer lists it.

    Sources get the user's own limits as filters; those that only the text of the question states join the query.
    """
    asked = question.filters
    years = Filters(year_from=asked.year_from, year_to=asked.year_to).as_query()
    dated = query.tree if years is None else all_of([query.tree, years])
    stated_only = question.filters != run.question.filters
    return Lookup(asked=dated if stated_only else query.tree, text=question.text, shown=to_pubmed(dated))
