"""What literature databases that are searched live have in common: as sources, and in how a query tree is written."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self, assert_never

from medground.corpus.chunk import chunk
from medground.errors import UsageError
from medground.home.files import tables
from medground.language.words import FUNCTION_WORDS
from medground.sources.base import tree_of
from medground.sources.live import Closable, LiveSource, best_of, within
from medground.values import query as nodes
from medground.values.document import Document, SourceKind
from medground.values.lookup import Found, Lookup
from medground.values.query import FieldName, Filters, Leaf, Query, all_of, any_of, fold
from medground.values.where import own_fields

# Our query tree in the syntax of a database. Every word of a user or a model is sent between double quotes, without the
# characters that could end them or that a database reads as a wildcard: no text can become an operator or a field.

_UNSAFE = re.compile(r"[\"“”„«»\\*?{}\[\]()<>^~|&:;=\x00-\x1f\x7f\ud800-\udfff]")
"""Quotes, escapes, wildcards, brackets and operators; none of them is part of a word that is looked for."""


def fields_of(database: str) -> Mapping[FieldName | None, tuple[str, ...]]:
    """Where a database looks for each of our fields."""
    found = tables("sources/literature", "fields")[database]
    return {None if name == "default" else name: tuple(places) for name, places in found.items()}


@dataclass(frozen=True)
class Syntax:
    """How a database writes queries.

    Attributes:
        name: name of the database in messages.
        fields: for each of our fields, the places to look in: templates in which `{}` stands for quoted words. None
            is the default field. A field that is not here is not searched by the database.
        id_of: a query for a document by its id; empty where that cannot be asked.
        without: the operator before what is left out.
        dates: a template for days of publication from `{low}` to `{high}`; empty where the query cannot say them.
        dash: what stands between year, month and day.
    """

    name: str
    fields: Mapping[FieldName | None, tuple[str, ...]]
    id_of: Callable[[str], str]
    without: str = "NOT"
    dates: str = ""
    dash: str = "-"

    def compiled(self, query: Query) -> str:
        """The query as text; empty if it has nothing that can be looked for.

        Raises UsageError: the database does not have a field of the query.
        """
        return fold(query, self._leaf, self._all, self._any) or ""

    def _leaf(self, query: Leaf) -> str | None:
        """A query without parts; None for everything, which is not a limit."""
        match query:
            case nodes.Everything():
                return None
            case nodes.Range(field="id"):
                raise UsageError("only PubMed can be searched by a range of PMIDs; name them one by one")
            case nodes.Range():
                return self._days(f"{query.low or 1000}-01-01", f"{query.high or 3000}-12-31")
            case nodes.DateRange():
                return self._days(str(query.low or "1000-01-01"), str(query.high or "3000-12-31"))
            case nodes.Words():
                return self._joined([self._looked_for(word, query.field) for word in _telling(query)], "OR")
            case nodes.Near():
                return self._joined([self._looked_for(word, query.field) for word in query.text.split()], "AND")
            case nodes.Phrase():
                return self._looked_for(query.text, query.field)
            case nodes.Term(field="id" | "identifier"):
                kind, colon, name = query.value.partition(":")
                return self.id_of(f"{kind.upper()}{colon}{name}")
            case nodes.Term():
                return self._looked_for(query.value, query.field)
            case nodes.Mesh():
                names = (query.heading,) if query.heading else query.qualifiers
                return self._joined([self._looked_for(name, "mesh") for name in names], "OR")
            case nodes.PublicationType():
                return self._looked_for(query.name, "publication_type")
            case nodes.Metadata():
                raise UsageError(f"{self.name} has no field {query.name!r}; leave this limit out to search it")
            case _:
                assert_never(query)

    def _any(self, parts: Sequence[str | None], best: bool) -> str:
        return "" if None in parts else self._joined(parts, "OR")

    def _all(self, parts: Sequence[tuple[str | None, bool]]) -> str:
        wanted = self._joined([part for part, left_out in parts if not left_out], "AND")
        unwanted = [part for part, left_out in parts if left_out and part]
        if not wanted or not unwanted:
            return wanted
        return f"({wanted} {self.without} {self._joined(unwanted, 'OR')})"

    def _joined(self, parts: Sequence[str | None], operator: str) -> str:
        found = list(dict.fromkeys(part for part in parts if part))
        return f"({f' {operator} '.join(found)})" if len(found) > 1 else "".join(found)

    def _looked_for(self, text: str, name: FieldName | None) -> str:
        if name not in self.fields:
            raise UsageError(f"{self.name} has no field for {name}; remove this part of the query")
        words = quoted(text)
        return self._joined([place.format(words) for place in self.fields[name]], "OR") if words else ""

    def _days(self, low: str, high: str) -> str:
        return self.dates.format(low=low.replace("-", self.dash), high=high.replace("-", self.dash))


def quoted(text: str) -> str:
    """The words of a text between double quotes; empty if it has none."""
    plain = " ".join(_UNSAFE.sub(" ", text).split()).strip(" '-.,/!+")
    return f'"{plain}"' if any(letter.isalnum() for letter in plain) else ""


def _telling(query: nodes.Words) -> list[str]:
    return [word for word in query.text.split() if word.strip(".,;:!?").casefold() not in FUNCTION_WORDS]


# Shorten a query for a service that takes only so many AND, OR and NOT.


def at_most(limit: int, query: Query) -> Query:
    """The query with at most `limit` connectors, counting one for each part after the first.

    Alternatives are cut to as many parts as fit, because synonyms come after the names that they stand for; where one
    part of each is too much, the last conditions go.
    """
    for width in range(limit + 1, 0, -1):
        shorter = _narrowed(query, width)
        if _connectors(shorter) <= limit:
            return shorter
    while _connectors(shorter) > limit and isinstance(shorter, nodes.And) and len(shorter.parts) > 1:
        shorter = all_of(shorter.parts[:-1])
    return shorter


def _narrowed(query: Query, width: int) -> Query:
    """The query with at most so many parts in each alternative; words are alternatives too."""
    match query:
        case nodes.Words():
            words = [nodes.Words(text=word, field=query.field) for word in _telling(query)]
            return any_of(words[:width]) if words else query
        case nodes.Or():
            return any_of([_narrowed(part, width) for part in query.parts[:width]])
        case nodes.And():
            return all_of([_narrowed(part, width) for part in query.parts])
        case nodes.Not():
            return nodes.Not(part=_narrowed(query.part, width))
    return query


def _connectors(query: Query) -> int:
    parts = (
        query.parts
        if isinstance(query, nodes.And | nodes.Or)
        else (query.part,)
        if isinstance(query, nodes.Not)
        else ()
    )
    return max(len(parts) - 1, 0) + sum(map(_connectors, parts))


@dataclass(frozen=True)
class Read:
    """What a database returned: its records in its order, and how many more it has that could not be read."""

    documents: tuple[Document, ...]
    unread: int = 0

    @classmethod
    def from_documents(cls, read: Sequence[Document | None]) -> Self:
        """Records, None for each that could not be read."""
        documents = tuple(document for document in read if document is not None)
        return cls(documents, unread=len(read) - len(documents))


class LiteratureSource(LiveSource, ABC):
    """Searches a literature database. One ranking, named after it, in its own order with one hit for each record.

    The hit is the passage of the record that shares most words with the question. A search finds at most `most`.
    """

    kinds = frozenset[SourceKind](["research"])

    def __init__(self, name: str, syntax: Syntax, client: Closable | None, *, most: int, kept: int = 2000) -> None:
        super().__init__(name, client, kept=kept)
        self._syntax = syntax
        self._most = most

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        """Search, and read the records found. Raises what `Source.search` raises, and NotConfigured without a key."""
        self._check_open()
        query = tree_of(lookup, self.name, self._most)
        if not self.accepts(lookup):
            raise UsageError(f"{self.name} cannot search by vectors; ask for the lexical ranker")
        if why := self._cannot_hold(filters):
            return Found(lookup, self.name, rankings=((),), notes=(f"{self._syntax.name} {why}",))
        asked = self._compiled(query, filters)
        if not asked:
            return Found(lookup, self.name, rankings=((),))
        limit = lookup.limit or self._most
        read = await self._find(asked, limit)
        self._keep(read.documents)
        notes = (f"{read.unread} records found could not be read",) if read.unread else ()
        dates = {"date_from": None, "date_to": None} if self._syntax.dates else {}
        left = filters.replace(publication_types=(), where=(), **dates)  # what it did not search by
        documents = {document.id: document for document in read.documents[:limit] if within(document, left)}
        passages = (best_of(chunk(document), lookup.text) for document in documents.values())
        return Found(lookup, self.name, rankings=(self._ranking(passages),), notes=notes)

    def _cannot_hold(self, filters: Filters) -> str:
        """Why the database has nothing within these limits; empty if it may have."""
        if own := own_fields(filters):
            return f"has no field {', '.join(own)}"
        if filters.publication_types and "publication_type" not in self._syntax.fields:
            return "does not know types of publication"
        if filters.kinds and not self.kinds & set(filters.kinds):
            return "contains only research articles"
        return ""

    def _compiled(self, query: Query, filters: Filters) -> str:
        limits = filters.replace(kinds=()).as_query()
        asked = self._syntax.compiled(query)
        return self._syntax.compiled(nodes.And(parts=(query, limits))) if asked and limits is not None else asked

    def _may_have(self, document_id: str) -> bool:
        return bool(self._syntax.id_of(document_id))

    @abstractmethod
    async def _find(self, asked: str, limit: int) -> Read:
        """The records that a compiled query finds, best first."""
