"""Compile a query tree for the record index."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import assert_never

import tantivy

from medground.corpus.lexical_query import TreeCompiler
from medground.pubmed.mesh import find_qualifier, vocabulary
from medground.pubmed.mesh.index_values import publication_types
from medground.pubmed.records_fields import DATES, FIELDS, SUBSETS, YEAR, journal_values, schema, value_of, words_of
from medground.pubmed.subsets import searched
from medground.query import (
    DateRange,
    Everything,
    Leaf,
    Mesh,
    Metadata,
    Near,
    Phrase,
    PublicationType,
    Query,
    Range,
    Term,
    Words,
    leaves,
)

_MOST_REORDERED = 4
_LAST_DAY = 99_991_231


def unsupported(query: Query) -> list[str]:
    """Return the fields, filters and dates in a query that the index does not support, without duplicates."""
    return list(dict.fromkeys(name for leaf in leaves(query) for name in _missing(leaf)))


def _missing(leaf: Leaf) -> list[str]:
    if isinstance(leaf, DateRange):
        return [] if leaf.field in DATES else [f"date {leaf.field}"]
    if not isinstance(leaf, Term | Phrase | Near | Words):
        return []
    field = leaf.field or "all"
    if isinstance(leaf, Term) and field == "subset" and leaf.value not in SUBSETS and not searched(leaf.value):
        return [f"filter {leaf.value}"]
    return [] if field in FIELDS or field == YEAR else [f"field {field}"]


class RecordsCompiler(TreeCompiler):
    """Compiles a query for the index of whole records."""

    def __init__(self, searcher: tantivy.Searcher) -> None:
        super().__init__(searcher, schema())

    def leaf(self, query: Leaf) -> tantivy.Query:
        match query:
            case Everything():
                return tantivy.Query.all_query()
            case Range():
                return self._days(YEAR, query.low, query.high)
            case DateRange():
                low, high = (int(f"{d:%Y%m%d}") if d else None for d in (query.low, query.high))
                return self._days(query.field, low, high) if query.field in DATES else tantivy.Query.empty_query()
            case Mesh():
                return self._mesh(query)
            case PublicationType():
                return self._values("publication_type", publication_types(query))
            case Metadata():
                return tantivy.Query.empty_query()
            case Words():
                return _any(self._leaf(Term(value=word, field=query.field)) for word in words_of(query.text))
            case Term(field="subset") if (meant := searched(query.value)) is not None:
                return self.compile(meant)
            case Term() | Phrase() | Near():
                return self._leaf(query)
            case _:
                assert_never(query)

    def _mesh(self, query: Mesh) -> tantivy.Query:
        """Compile a heading. The index includes broader headings, so exploding costs nothing here."""
        field = ("mesh_major" if query.major else "mesh") + ("_below" if query.explode else "")
        found = vocabulary().find(query.heading) if query.heading else None
        name = found.name if found else query.heading or ""
        attached = [known.name if (known := find_qualifier(q)) else q for q in query.qualifiers]
        return self._values(field, [f"{name}/{qualifier}" for qualifier in attached] or [name])

    def _leaf(self, leaf: Term | Phrase | Near) -> tantivy.Query:
        field = leaf.field or "all"
        text = leaf.value if isinstance(leaf, Term) else leaf.text
        prefix = isinstance(leaf, Term) and leaf.prefix
        if field == YEAR:
            year = int(text) if text.isascii() and text.isdigit() and len(text) <= 4 else None
            return tantivy.Query.empty_query() if year is None else self._days(YEAR, year, year)
        analysis = FIELDS.get(field)
        match analysis:
            case None:
                return tantivy.Query.empty_query()
            case "words":
                return self._prefixed(field, text) if prefix else self._row(field, text, leaf)
            case "name":
                return self._person(field, value_of(field, text), prefix=prefix)
            case "value":
                values = journal_values(text) if field == "journal" else [value_of(field, text)]
                return self._starting_with(field, values[0]) if prefix else self._values(field, values)

    def _person(self, field: str, name: str, *, prefix: bool) -> tantivy.Query:
        """Match a name. A family name alone matches any initials; a truncated query completes the initials."""
        if not name:
            return tantivy.Query.empty_query()
        if prefix:
            return self._starting_with(field, name)
        if " " in name:
            return self._values(field, [name])
        return _any([self._starting_with(field, f"{name} "), self._values(field, [name])])

    def _row(self, field: str, text: str, leaf: Term | Phrase | Near) -> tantivy.Query:
        words = words_of(text)
        if not words:
            return tantivy.Query.empty_query()
        if len(words) == 1:
            return tantivy.Query.term_query(self._schema, field, words[0])
        slop = leaf.distance if isinstance(leaf, Near) else leaf.slop if isinstance(leaf, Phrase) else 0
        reorder = isinstance(leaf, Near) or slop
        if not reorder or len(words) > _MOST_REORDERED:
            return tantivy.Query.phrase_query(self._schema, field, [*words], slop)
        orders = dict.fromkeys(itertools.permutations(words))
        return _any(tantivy.Query.phrase_query(self._schema, field, list(order), slop) for order in orders)

    def _prefixed(self, field: str, text: str) -> tantivy.Query:
        words = words_of(text)
        if not words:
            return tantivy.Query.empty_query()
        if len(words) == 1:
            return self._starting_with(field, words[0])
        return tantivy.Query.phrase_prefix_query(self._schema, field, [*words])

    def _values(self, field: str, values: Iterable[str]) -> tantivy.Query:
        stored = list(dict.fromkeys(value_of(field, value) for value in values))
        if len(stored) == 1:
            return tantivy.Query.term_query(self._schema, field, stored[0])
        return tantivy.Query.term_set_query(self._schema, field, stored)

    def _days(self, field: str, low: int | None, high: int | None) -> tantivy.Query:
        return self._between(field, low, high, 0, _LAST_DAY)


def _any(parts: Iterable[tantivy.Query]) -> tantivy.Query:
    return tantivy.Query.boolean_query([(tantivy.Occur.Should, part) for part in parts])
