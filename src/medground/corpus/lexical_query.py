"""The query tree, compiled to Tantivy's query objects. No query text is ever parsed by the engine."""

from __future__ import annotations

import itertools
from typing import assert_never

import tantivy

from medground.corpus.lexical_fields import ANALYSES, DEFAULT, YEAR, Analysis, analyser, exact, schema
from medground.query import And, Everything, FieldName, Filters, Not, Or, Phrase, Query, Range, Term, Words

_MUST, _SHOULD, _NOT = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot
_FIRST_YEAR, _LAST_YEAR = 0, 9999
_MOST_EXPANSIONS = 10_000
"""Words that one truncated word may stand for."""
_MOST_REORDERED = 4
"""A near-phrase of more words than this is looked for in the order given only."""


def compile_query(query: Query, filters: Filters, searcher: tantivy.Searcher) -> tantivy.Query:
    """What to ask the engine. Filters decide what may be found and add nothing to a score."""
    compiled = _Compiler(searcher).compile(query)
    limits = filters.as_query()
    if limits is None:
        return compiled
    allowed = tantivy.Query.const_score_query(_Compiler(searcher).compile(limits), 0.0)
    return tantivy.Query.boolean_query([(_MUST, compiled), (_MUST, allowed)])


class _Compiler:
    def __init__(self, searcher: tantivy.Searcher) -> None:
        self._searcher = searcher
        self._schema = schema()

    def compile(self, query: Query) -> tantivy.Query:
        match query:
            case Words():
                return self._words(query)
            case Term():
                return self._term(query)
            case Phrase():
                return self._phrase(query)
            case Range():
                return self._years(query.low, query.high)
            case And():
                return self._all(query.parts)
            case Or():
                return tantivy.Query.boolean_query([(_SHOULD, self.compile(part)) for part in query.parts])
            case Not():
                return self._all((query,))
            case Everything():
                return tantivy.Query.all_query()
            case _:
                assert_never(query)

    def _all(self, parts: tuple[Query, ...]) -> tantivy.Query:
        clauses = [
            (_NOT, self.compile(part.part)) if isinstance(part, Not) else (_MUST, self.compile(part)) for part in parts
        ]
        if all(isinstance(part, Not) for part in parts):
            # A negation alone matches nothing in Tantivy: it takes away from what another clause has found.
            clauses.append((_MUST, tantivy.Query.all_query()))
        return tantivy.Query.boolean_query(clauses)

    def _words(self, query: Words) -> tantivy.Query:
        field, analysis = _place(query.field)
        if analysis is None:
            return self._year(query.text)
        if analysis == "exact":
            return self._one(field, exact(field, query.text))
        words = analyser(analysis, stop_words=False).analyze(query.text) or analyser(analysis).analyze(query.text)
        return tantivy.Query.boolean_query([(_SHOULD, self._one(field, word)) for word in dict.fromkeys(words)])

    def _term(self, query: Term) -> tantivy.Query:
        field, analysis = _place(query.field, whole=True)
        if analysis is None:
            return self._year(query.value)
        if analysis == "exact":
            value = exact(field, query.value)
            return self._starting_with(field, value) if query.prefix else self._one(field, value)
        if query.prefix:
            return self._truncated(field, analysis, query.value)
        return self._row(field, analyser(analysis).analyze(query.value))

    def _phrase(self, query: Phrase) -> tantivy.Query:
        field, analysis = _place(query.field)
        if analysis is None:
            return self._year(query.text)
        if analysis == "exact":
            return self._one(field, exact(field, query.text))
        return self._row(field, analyser(analysis).analyze(query.text), query.slop)

    def _row(self, field: str, words: list[str], slop: int = 0) -> tantivy.Query:
        """Words next to one another, or near one another in any order where `slop` allows it."""
        if not words:
            return tantivy.Query.empty_query()
        if len(words) == 1:
            return self._one(field, words[0])
        if slop == 0 or len(words) > _MOST_REORDERED:
            return tantivy.Query.phrase_query(self._schema, field, [*words], slop)
        orders = dict.fromkeys(itertools.permutations(words))
        return tantivy.Query.disjunction_max_query(
            [tantivy.Query.phrase_query(self._schema, field, list(order), slop) for order in orders]
        )

    def _truncated(self, field: str, analysis: Analysis, value: str) -> tantivy.Query:
        words = analyser("plain").analyze(value)
        if not words:
            return tantivy.Query.empty_query()
        if len(words) > 1:
            first = analyser("english" if analysis == "english" else "plain").analyze(" ".join(words[:-1]))
            return tantivy.Query.phrase_prefix_query(self._schema, field, [*first, words[-1]])
        start = self._starting_with(field, words[0])
        # The index holds stems: "inflammations*" must find "inflammation", which stands there as "inflamm".
        stems = analyser("english").analyze(value) if analysis == "english" else []
        return tantivy.Query.boolean_query([(_SHOULD, q) for q in (start, *(self._one(field, s) for s in stems))])

    def _starting_with(self, field: str, start: str) -> tantivy.Query:
        found = self._searcher.terms_with_prefix(field, start, limit=_MOST_EXPANSIONS)
        return tantivy.Query.term_set_query(self._schema, field, [word for word, _ in found])

    def _one(self, field: str, word: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, field, word)

    def _year(self, value: str) -> tantivy.Query:
        text = value.strip()
        if not (text.isascii() and text.isdigit()):
            return tantivy.Query.empty_query()
        return self._years(int(text[:5]), int(text[:5]))

    def _years(self, low: int | None, high: int | None) -> tantivy.Query:
        first = min(max(_FIRST_YEAR, _FIRST_YEAR if low is None else low), _LAST_YEAR + 1)
        last = max(min(_LAST_YEAR, _LAST_YEAR if high is None else high), _FIRST_YEAR - 1)
        if first > last:
            return tantivy.Query.empty_query()
        return tantivy.Query.range_query(self._schema, YEAR, tantivy.FieldType.Integer, first, last)


def _place(field: FieldName | None, *, whole: bool = False) -> tuple[str, Analysis | None]:
    """The engine's field, and how its values are cut; None for the year. `whole`: MeSH is asked for a whole heading."""
    if field is None:
        return DEFAULT, "english"
    if field == "year":
        return YEAR, None
    name = "mesh_exact" if field == "mesh" and whole else field
    return name, ANALYSES[name]
