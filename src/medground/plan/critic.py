"""Search critique: judge each MeSH term from titles and abstracts alone, then write a better query.

Source: PubMed Reasoner, section 3.1, Eq. 4 to 10.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from medground.document import Hit
from medground.lookup import Lookup
from medground.operators.searching import (
    Candidate,
    CritiqueInput,
    Feedback,
    RefineQueryInput,
    Signal,
    Tried,
    UpdateTermsInput,
    alignment,
    coverage,
    redundancy,
    refine_query,
    update_terms,
)
from medground.plan.mesh import PubMedQuery, normalised
from medground.pubmed.printer import to_pubmed
from medground.query import Filters, all_of
from medground.question import Question
from medground.rank.fuse import fuse
from medground.recipes.settings.pubmed_reasoner import PubMedReasonerSettings
from medground.run import Run
from medground.steps import QueryChosen


@dataclass(frozen=True)
class QueryResult:
    """What a query found: ranked hits, and titles and abstracts of the first documents (Eq. 4 and 5)."""

    hits: tuple[Hit, ...]
    signals: tuple[Signal, ...]

    @property
    def documents(self) -> int:
        """Number of documents found."""
        return len({hit.passage.document_id for hit in self.hits})


Attempt = tuple[PubMedQuery, QueryResult]
"""A query and what it found."""


async def look(question: Question, query: PubMedQuery, run: Run) -> QueryResult:
    """Search, and get titles and abstracts of the first documents; nothing else is read (Eq. 4 and 5).

    Raises:
        SourceUnavailable: no source could be searched.
    """
    choices = run.settings.section(PubMedReasonerSettings)
    results = await run.look_up(Lookup(asked=query.tree, text=question.text, shown=_with_dates(question, query)))
    hits = fuse([ranking for result in results for ranking in result.rankings], k=run.settings.retrieval.fusion_k)
    first = list(dict.fromkeys(h.passage.document_id for h in hits))[: choices.signals]
    await run.retrieve(first)
    documents = [run.ledger.documents[i] for i in first if i in run.ledger.documents]
    signals = tuple(Signal(title=d.title, abstract=d.text[: choices.signal_length]) for d in documents)
    return QueryResult(tuple(hits), signals)


async def critique(
    question: Question, terms: Sequence[Candidate], query: PubMedQuery, found: QueryResult, run: Run
) -> list[Feedback]:
    """Judge coverage, alignment and redundancy of each term concurrently (Eq. 6 to 8).

    Raises:
        ModelFailed: the model gave no usable output.
    """
    if not terms:
        return []
    value = CritiqueInput(question=question.text, terms=tuple(terms), signals=found.signals, query=query.text)
    covered, aligned, redundant = await asyncio.gather(
        run.ask(coverage, value), run.ask(alignment, value), run.ask(redundancy, value)
    )
    # Duplicates: the first verdict wins.
    said = [{v.heading: v for v in reversed(output.verdicts)} for output in (covered, aligned, redundant)]
    return [
        Feedback(
            heading=term.heading,
            covered=said[0][term.heading].verdict,
            aligned=said[1][term.heading].verdict,
            redundant=said[2][term.heading].verdict,
            linkage=said[2][term.heading].linkage,
            rationale="; ".join(filter(None, (s[term.heading].rationale for s in said))),
        )
        for term in terms
    ]


async def revise_terms(
    question: Question, feedback: Sequence[Feedback], found: QueryResult, run: Run
) -> list[Candidate]:
    """The terms, updated after their critique (Eq. 9).

    Raises:
        ModelFailed: the model gave no usable output.
    """
    value = UpdateTermsInput(question=question.text, feedback=tuple(feedback), signals=found.signals)
    output = await run.ask(update_terms, value)
    revised = [Candidate(heading=h, rationale=r) for h, r in {t.heading: t.rationale for t in output.terms}.items()]
    return revised[: run.settings.section(PubMedReasonerSettings).terms]


async def next_query(
    question: Question,
    terms: Sequence[Candidate],
    found: QueryResult,
    history: Sequence[Attempt],
    run: Run,
) -> PubMedQuery:
    """A better query, given the earlier ones (Eq. 10), normalised (Eq. 11).

    Raises:
        ModelFailed: the model gave no usable output.
    """
    output = await run.ask(
        refine_query,
        RefineQueryInput(
            question=question.text,
            terms=tuple(terms),
            signals=found.signals,
            history=tuple(Tried(query=query.text, found=result.documents) for query, result in history),
        ),
    )
    return normalised(output.query, run)


def final_query(history: Sequence[Attempt], run: Run) -> Attempt:
    """q*, whose documents are read: the query that found the most, counted up to `enough`; the later of equals."""
    enough = run.settings.section(PubMedReasonerSettings).enough
    query, result = max(reversed(history), key=lambda attempt: min(attempt[1].documents, enough))
    with run.step(QueryChosen(query=query.text, rounds=len(history), documents=result.documents)):
        return query, result


def _with_dates(question: Question, query: PubMedQuery) -> str:
    """The query with the question's date limits, as the answer lists it; sources get the limits as filters."""
    asked = question.filters
    limits = Filters(year_from=asked.year_from, year_to=asked.year_to).as_query()
    return query.text if limits is None else to_pubmed(all_of([query.tree, limits]))


def quality(feedback: Sequence[Feedback]) -> float:
    """Share of covered terms plus share of aligned terms, 0 to 2. The loop continues while it grows."""
    if not feedback:
        return 0.0
    return (sum(f.covered for f in feedback) + sum(f.aligned for f in feedback)) / len(feedback)
