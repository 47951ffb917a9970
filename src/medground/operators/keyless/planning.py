"""A plan of sources without a model: research, and what fits the type of the question; queries by its names.

It makes at most half of the lookups that asking every source takes, one for each source, and one for stored records
where the question is for these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal, NamedTuple

from medground.document import SourceKind
from medground.operators.keyless.question_types import QuestionType, question_type
from medground.operators.keyless.source_queries import by_terms, by_words, graph_terms

Form = Literal["words", "terms", "concept"]
"""How a query is made: `words`, the question without its filler; `terms`, its names; `concept`, a graph's term."""

FITS: dict[QuestionType, tuple[SourceKind, ...]] = {
    "case": ("book", "guideline", "wiki"),
    "exam": ("book", "wiki", "guideline"),
    "features": ("book", "guideline", "wiki"),
    "advice": ("guideline", "book", "wiki"),
    "definition": ("wiki", "book", "graph", "guideline"),
    "study": ("guideline", "book"),
    "molecule": ("wiki", "book", "protein"),
    "claim": ("wiki",),
    "fact": ("book", "guideline", "wiki"),
}
"""What fits a type of question beside research, best first, by what it is written for. Research comes first: measured,
no order of sources found more than research alone did (`docs/benchmarks.md`)."""

_RECORDS: dict[QuestionType, SourceKind] = {"features": "graph"}
"""Types that stored records answer. They come first, and beside the others: a record takes no text's place."""
_REST: tuple[SourceKind, ...] = ("book", "guideline", "wiki", "graph", "web", "protein")


class Sought(NamedTuple):
    """A query for a source; `term` only of a graph."""

    source: str
    text: str
    term: str = ""

    def __str__(self) -> str:
        return f"{self.term} , {self.text}" if self.term else self.text


def plan(question: str, sources: Sequence[tuple[str, SourceKind]], *, options: Sequence[str] = ()) -> list[Sought]:
    """The queries of a plan, best first: at most half as many as asking every source would take, and at least one.

    One for stored records comes beside these where such a question is asked.

    Args:
        question: the question.
        sources: name and kind of each source.
        options: texts to choose from.
    """
    records = question_type(question, options=bool(options)) in _RECORDS
    most = max(1, lookups_of_all(question, sources) // 2) + records
    return list(islice(ladder(question, sources, options=options), most))


def lookups_of_all(question: str, sources: Sequence[tuple[str, SourceKind]]) -> int:
    """How many lookups asking every source takes at least: one for each, none for a graph where nothing is named."""
    terms = graph_terms(question)
    return sum(1 for _, kind in sources if kind != "graph" or terms)


def ladder(
    question: str, sources: Sequence[tuple[str, SourceKind]], *, options: Sequence[str] = ()
) -> Iterator[Sought]:
    """Every different query that is worth trying, best first. No two are the same."""
    said: set[tuple[str, str, str]] = set()
    steps = list(_steps(question_type(question, options=bool(options))))
    for part in (slice(0, 1), slice(1, None)):  # further terms of a graph come after everything else
        for kind, form in steps:
            for name in (name for name, its in sources if its == kind):
                for query in _queries(question, name, form)[part]:
                    key = (name, query.term.casefold(), query.text.casefold())
                    if key not in said:
                        said.add(key)
                        yield query


def _steps(of: QuestionType) -> Iterator[tuple[SourceKind, Form]]:
    """Records first, then research, then what fits, then the rest, so that the last resort is there too."""
    records = [_RECORDS[of]] if of in _RECORDS else []
    kinds = dict.fromkeys((*records, "research", *FITS[of], *_REST))
    yield from ((kind, "concept" if kind == "graph" else "words") for kind in kinds)
    yield from ((kind, "terms") for kind in kinds if kind != "graph")


def _queries(question: str, source: str, form: Form) -> list[Sought]:
    if form == "concept":
        return [Sought(source, by_words(question), term) for term in graph_terms(question)]
    text = by_terms(question) if form == "terms" else by_words(question)
    return [Sought(source, text)] if text else []


Past = tuple[Sequence[tuple[str, str]], int, Sequence[str]]
"""The queries of an earlier plan, each with its source; its points; the sources that had nothing."""


def improved(
    question: str,
    sources: Sequence[tuple[str, SourceKind]],
    past: Sequence[Past],
    siblings: int,
    *,
    options: Sequence[str] = (),
) -> list[Sought]:
    """The next plan: the queries of the best one that found something, and the next ones that were not tried.

    The first plan is that of `plan`. Every later one goes on along the ladder by as many queries, so that each reaches
    a source or a wording that no earlier one had; at its end the best plan comes again. `siblings` is the number of
    plans that were made from the same feedback.
    """
    first = plan(question, sources, options=options)
    best = max(past, key=lambda one: one[1], default=None)
    if best is None and not siblings:
        return first
    rungs = list(ladder(question, sources, options=options))
    rest = [one for one in rungs if one not in first]
    begin = (max(len(past) - 1, 0) + siblings) * len(first)
    kept = [one for one in rungs if best and (one.source, str(one)) in best[0] and one.source not in best[2]]
    added = [one for one in rest[begin : begin + len(first)] if one not in kept]
    return [*kept, *added] or first
