"""Search with a PubMed query, or only count what it finds.

Source: PubMed Reasoner, section 3.1, Eq. 4 and 5.
"""

from __future__ import annotations

from dataclasses import dataclass

from medground.document import Hit
from medground.lookup import Lookup
from medground.operators.searching import Signal
from medground.plan.relax import PubMedQuery
from medground.pubmed.printer import to_pubmed
from medground.query import Filters, Query, all_of
from medground.question import Question
from medground.rank.fuse import fuse
from medground.recipes.settings.pubmed_reasoner import PubMedReasonerSettings
from medground.run import Run


@dataclass(frozen=True)
class QueryResult:
    """What a query found: ranked hits, and titles and abstracts of the first documents (Eq. 4 and 5)."""

    hits: tuple[Hit, ...]
    signals: tuple[Signal, ...]

    @property
    def documents(self) -> int:
        """Number of documents found."""
        return len({hit.passage.document_id for hit in self.hits})


async def look(question: Question, query: PubMedQuery, run: Run) -> QueryResult:
    """Search, and get titles and abstracts of the first documents; nothing else is read (Eq. 4 and 5).

    Raises:
        SourceUnavailable: no source could be searched.
    """
    choices = run.settings.section(PubMedReasonerSettings)
    results = await run.look_up(_lookup(question, query, run))
    hits = fuse([ranking for result in results for ranking in result.rankings], k=run.settings.retrieval.fusion_k)
    first = list(dict.fromkeys(h.passage.document_id for h in hits))[: choices.signals]
    await run.retrieve(first)
    documents = [run.ledger.documents[i] for i in first if i in run.ledger.documents]
    signals = tuple(Signal(title=d.title, abstract=d.text[: choices.signal_length]) for d in documents)
    return QueryResult(tuple(hits), signals)


async def count(question: Question, query: PubMedQuery, run: Run) -> int:
    """Number of documents that a query finds, without fetching any.

    Raises:
        SourceUnavailable: no source could be asked.
    """
    return await run.count(_lookup(question, query, run))


def _lookup(question: Question, query: PubMedQuery, run: Run) -> Lookup:
    """The query with the question's years, as the answer lists it.

    Sources get the user's own limits as filters; those that only the text of the question states join the query.
    """
    years = _years(question)
    dated = query.tree if years is None else all_of([query.tree, years])
    stated_only = question.filters != run.question.filters
    return Lookup(asked=dated if stated_only else query.tree, text=question.text, shown=to_pubmed(dated))


def _years(question: Question) -> Query | None:
    asked = question.filters
    return Filters(year_from=asked.year_from, year_to=asked.year_to).as_query()
