"""The critic of a search: what each MeSH term is worth, judged from titles and abstracts alone, and a better query.

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


@dataclass(frozen=True)
class QueryResult:
    """What a query found: hits in rank order, and the signals of the first documents (Eq. 4 and 5)."""

    hits: tuple[Hit, ...]
    signals: tuple[Signal, ...]

    @property
    def documents(self) -> int:
        """How many documents the hits come from."""
        return len({hit.passage.document_id for hit in self.hits})


async def look(question: Question, query: PubMedQuery, run: Run) -> QueryResult:
    """Search, and take titles and abstracts of the first documents; nothing else is read (Eq. 4 and 5)."""
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
    """Coverage, alignment and redundancy of each term, asked at once (Eq. 6 to 8)."""
    if not terms:
        return []
    value = CritiqueInput(question=question.text, terms=tuple(terms), signals=found.signals, query=query.text)
    covered, aligned, redundant = await asyncio.gather(
        run.ask(coverage, value), run.ask(alignment, value), run.ask(redundancy, value)
    )
    # Duplicates: the first value wins.
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
    """The terms after their critique (Eq. 9)."""
    value = UpdateTermsInput(question=question.text, feedback=tuple(feedback), signals=found.signals)
    output = await run.ask(update_terms, value)
    revised = [Candidate(heading=h, rationale=r) for h, r in {t.heading: t.rationale for t in output.terms}.items()]
    return revised[: run.settings.section(PubMedReasonerSettings).terms]


async def next_query(
    question: Question,
    terms: Sequence[Candidate],
    found: QueryResult,
    history: Sequence[tuple[PubMedQuery, QueryResult]],
    run: Run,
) -> PubMedQuery:
    """A better query that knows the ones before it (Eq. 10), normalised (Eq. 11)."""
    output = await run.ask(
        refine_query,
        RefineQueryInput(
            question=question.text,
            terms=tuple(terms),
            signals=found.signals,
            history=tuple(Tried(query=query.text, found=was.documents) for query, was in history),
        ),
    )
    return normalised(output.query, run)


def _with_dates(question: Question, query: PubMedQuery) -> str:
    """The query with the date limits of the question, which every source gets beside it."""
    asked = question.filters
    limits = Filters(year_from=asked.year_from, year_to=asked.year_to).as_query()
    return query.text if limits is None else to_pubmed(all_of([query.tree, limits]))


def quality(feedback: Sequence[Feedback]) -> float:
    """Share of terms that are covered plus share that are aligned, 0 to 2: what must grow for the loop to go on."""
    if not feedback:
        return 0.0
    return (sum(f.covered for f in feedback) + sum(f.aligned for f in feedback)) / len(feedback)
