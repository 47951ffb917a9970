"""A plan of sources without a model: sources by the type of the question and by measured yield, queries by its names.

It makes at most half of the lookups that asking every source takes, one for each source, and one for stored records
where the question is for these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from medground.document import SourceKind
from medground.operators.keyless.question_types import QuestionType, question_type
from medground.operators.keyless.source_queries import by_terms, by_words, graph_terms
from medground.operators.keyless.source_yields import Form, Yields, source_yields

FITS: dict[QuestionType, tuple[SourceKind, ...]] = {
    "case": ("book", "guideline", "wiki", "research"),
    "exam": ("book", "wiki", "guideline", "research"),
    "features": ("graph", "book", "guideline", "wiki", "research"),
    "advice": ("guideline", "book", "wiki", "research"),
    "definition": ("wiki", "book", "graph", "guideline", "research"),
    "study": ("research", "guideline", "book"),
    "molecule": ("research", "wiki", "book", "protein"),
    "claim": ("research", "wiki"),
    "fact": ("book", "guideline", "wiki", "research"),
}
"""The kinds of source for a type of question by what they are written for, best first, where no yield was counted."""

_RECORDS: dict[QuestionType, SourceKind] = {"features": "graph"}
"""Types that stored records answer. They come first, and beside the others: a record is no paper, so a count of gold
papers cannot see it, and it takes no text's place."""

_LEAST = 0.02
"""A lookup that adds less than this share of what all lookups find is not made."""
_TRUSTED = 2
"""Of kinds that were not counted, as many as come first by what they are written for may be asked."""


class Sought(NamedTuple):
    """A query for a source; `term` only of a graph."""

    source: str
    text: str
    term: str = ""

    def __str__(self) -> str:
        return f"{self.term} , {self.text}" if self.term else self.text


def plan(
    question: str,
    sources: Sequence[tuple[str, SourceKind]],
    *,
    options: Sequence[str] = (),
    yields: Yields | None = None,
) -> list[Sought]:
    """The queries of a plan, best first: at most half as many as asking every source would take, and at least one.

    One for stored records comes beside these where such a question is asked.

    Args:
        question: the question.
        sources: name and kind of each source.
        options: texts to choose from.
        yields: measured yields; by default those that ship with the package.
    """
    counted = yields or source_yields()
    of = _type(question, options)
    most = max(1, lookups_of_all(question, sources) // 2) + (of in _RECORDS)
    wanted = list(ladder(question, sources, options=options, yields=counted))
    steps = counted.of(of)
    total = sum(step.adds for step in steps)
    worth = {(step.kind, step.form) for step in steps if step.adds >= _LEAST * total}
    fitting = {kind for kind in FITS[of][:_TRUSTED] if kind not in counted.kinds} | {_RECORDS.get(of)}
    kinds = dict(sources)
    chosen = [
        one
        for place, (one, form) in enumerate(wanted)
        if place == 0 or not worth or kinds[one.source] in fitting or (kinds[one.source], form) in worth
    ]
    return chosen[:most]


def lookups_of_all(question: str, sources: Sequence[tuple[str, SourceKind]]) -> int:
    """How many lookups asking every source takes at least: one for each, none for a graph where nothing is named."""
    terms = graph_terms(question)
    return sum(1 for _, kind in sources if kind != "graph" or terms)


def ladder(
    question: str,
    sources: Sequence[tuple[str, SourceKind]],
    *,
    options: Sequence[str] = (),
    yields: Yields | None = None,
) -> Iterator[tuple[Sought, Form]]:
    """Every different query that is worth trying, best first, with its form. No two are the same."""
    said: set[tuple[str, str, str]] = set()
    steps = list(_steps(_type(question, options), yields or source_yields()))
    for part in (slice(0, 1), slice(1, None)):  # further terms of a graph come after everything else
        for kind, form in steps:
            for name in (name for name, its in sources if its == kind):
                for query in _queries(question, name, form)[part]:
                    key = (name, query.term.casefold(), query.text.casefold())
                    if key not in said:
                        said.add(key)
                        yield query, form


def _type(question: str, options: Sequence[str]) -> QuestionType:
    return question_type(question, options=bool(options))


def _steps(of: QuestionType, yields: Yields) -> Iterator[tuple[SourceKind, Form]]:
    """Records first, then what was measured, then what was not, then the rest, so that the last resort is there too."""
    if record := _RECORDS.get(of):
        yield record, "concept"
    measured = yields.of(of)
    yield from ((step.kind, step.form) for step in measured if step.adds > 0)
    known = yields.kinds if measured else ()
    yield from ((kind, _first_form(kind)) for kind in FITS[of] if kind not in known)
    yield from ((step.kind, step.form) for step in measured)
    kinds: tuple[SourceKind, ...] = (*FITS[of], "book", "guideline", "research", "wiki", "graph", "web", "protein")
    yield from ((kind, _first_form(kind)) for kind in kinds)
    yield from ((kind, "terms") for kind in kinds if kind != "graph")


def _first_form(kind: SourceKind) -> Form:
    return "concept" if kind == "graph" else "words"


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
    rungs = [one for one, _ in ladder(question, sources, options=options)]
    rest = [one for one in rungs if one not in first]
    begin = (max(len(past) - 1, 0) + siblings) * len(first)
    kept = [one for one in rungs if best and (one.source, str(one)) in best[0] and one.source not in best[2]]
    added = [one for one in rest[begin : begin + len(first)] if one not in kept]
    return [*kept, *added] or first
