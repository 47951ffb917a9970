"""A plan of sources without a model: research and one more source, with queries by the names of the question.

It makes at most half of the lookups that asking every source takes, one for each source, and one for stored records
where the question is for these. Measured, no order of sources by the type of question found more than this one
(`docs/benchmarks.md`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal, NamedTuple

from medground.document import SourceKind
from medground.operators.keyless.source_queries import by_terms, by_words, graph_terms

Form = Literal["words", "terms", "concept"]
"""How a query is made: `words`, the question without its filler; `terms`, its names; `concept`, a graph's term."""

_ORDER: tuple[SourceKind, ...] = ("research", "book", "guideline", "wiki", "graph", "web", "protein")
_DISEASE_PARTS = (
    r"symptoms?|signs?|(?:clinical )?features|manifestations|genes?|genetic changes|inherit\w*|inheritance|onset|"
    r"mutat(?:ed|ions?)|presentation"
)
_DISEASE = (
    r"syndromes?|diseases?|disorders?|dystroph\w+|anaemia|anemia|deficiency|ataxia|myopath\w+|neuropath\w+|\w+osis"
)
_FEATURES = re.compile(
    rf"^\W*(?:what|which|list|name|how)\b[^.]{{0,80}}\b(?:{_DISEASE_PARTS})\b[^.]{{0,30}}\b(?:of|for|to|in|with|cause\w*|"
    rf"are|is|associated|related|underl\w+|responsible)\b|\b(?:is|are) [^.]{{1,80}} (?:inherited|hereditary)\b|"
    rf"\b(?:is|are) [^.]{{1,60}} (?:a |an )?(?:symptoms?|signs?|features?|manifestations?) of\b[^.]*|"
    rf"^\W*(?:what|which) causes? [^.]{{1,60}}(?:{_DISEASE})\b",
    re.IGNORECASE,
)
"""Signs, genes, inheritance or onset of a named disease: what a graph has relations for."""
_LONG = 45
"""Words of a question; beyond them it tells a case."""


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
    most = max(1, lookups_of_all(question, sources) // 2) + _asks_for_records(question, options)
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
    steps = list(_steps(_asks_for_records(question, options)))
    for part in (slice(0, 1), slice(1, None)):  # further terms of a graph come after everything else
        for kind, form in steps:
            for name in (name for name, its in sources if its == kind):
                for query in _queries(question, name, form)[part]:
                    key = (name, query.term.casefold(), query.text.casefold())
                    if key not in said:
                        said.add(key)
                        yield query


def _asks_for_records(question: str, options: Sequence[str]) -> bool:
    """Whether stored records answer it. They come first, and beside the others: a record takes no text's place."""
    said = " ".join(question.split())
    return not options and len(said.split()) <= _LONG and _FEATURES.search(said) is not None


def _steps(records: bool) -> Iterator[tuple[SourceKind, Form]]:
    """Records first, then research, then the rest, so that the last resort is there too."""
    kinds = dict.fromkeys(("graph", *_ORDER) if records else _ORDER)
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
