"""What all literature databases that are searched live have in common as sources."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from lxml import html
from lxml.etree import ParserError

from medground.corpus.chunk import chunk
from medground.corpus.readers.compose import Composition, printable
from medground.errors import UsageError
from medground.sources.base import tree_of
from medground.sources.literature.syntax import Syntax
from medground.sources.live import Closable, LiveSource, best_of
from medground.values.document import Document, SourceKind
from medground.values.lookup import Found, Lookup
from medground.values.query import And, Filters, Query
from medground.values.where import own_fields


@dataclass(frozen=True)
class Read:
    """What a database returned: its records in its order, and how many more it has that could not be read."""

    documents: tuple[Document, ...]
    unread: int = 0

    @classmethod
    def of(cls, read: Sequence[Document | None]) -> Self:
        """Records, None for each that could not be read."""
        documents = tuple(document for document in read if document is not None)
        return cls(documents, unread=len(read) - len(documents))


class LiteratureSource(LiveSource, ABC):
    """Searches a literature database. One ranking, named after it, in its own order with one hit for each record.

    The hit is the passage of the record that shares most words with the question.

    Args:
        name: its name in answers, such as `europepmc`.
        syntax: how its queries are written.
        client: asks the database; None where it is not configured.
        most: most records of one search.
        kept: most records kept in memory.
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
        documents = {document.id: document for document in read.documents[:limit] if _is_within(document, filters)}
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
        """What is sent; empty if there is nothing to look for."""
        limits = filters.model_copy(update={"kinds": ()}).as_query()
        asked = self._syntax.compiled(query)
        return self._syntax.compiled(And(parts=(query, limits))) if asked and limits is not None else asked

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Records by id, in the order of `ids`. Raises what `Source.fetch` raises, and NotConfigured without a key."""
        self._check_open()
        found = self.held(ids)
        missing = [i for i in dict.fromkeys(ids) if i not in found and self._syntax.id_of(i)]
        if missing:
            read = await self._find_by_id(missing)
            self._keep(read)
            found |= {document.id: document for document in read}
        return {i: found[i] for i in ids if i in found}

    @abstractmethod
    async def _find(self, asked: str, limit: int) -> Read:
        """The records that a compiled query finds, best first."""

    @abstractmethod
    async def _find_by_id(self, ids: Sequence[str]) -> tuple[Document, ...]:
        """The records with these ids, as far as there are any."""


def _is_within(document: Document, filters: Filters) -> bool:
    """Whether a record keeps the limits that not every database can search by."""
    first, last = filters.year_from or 0, filters.year_to or 9999
    in_time = (first, last) == (0, 9999) or first <= (document.year or 0) <= last
    return in_time and (not filters.ids or document.id in filters.ids)


_HEADING = re.compile(r"<h[1-6][^>]*>(.*?)</h[1-6]\s*>", re.IGNORECASE | re.DOTALL)
_BREAK = re.compile(r"<(?:br|/?p|/?div|/?li|/?ul|/?ol)\b[^>]*>", re.IGNORECASE)
_COVERED = re.compile(r"<(script|style)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)


def plain(marked: str) -> str:
    """The text of a piece of HTML in one line; scripts are left out."""
    visible = _BREAK.sub(" ", _COVERED.sub(" ", printable(marked)))
    if "<" in visible or "&" in visible:
        try:
            visible = html.fromstring(f"<div>{visible}</div>").text_content()
        except (ParserError, ValueError):
            return ""
    return " ".join(printable(visible).split())


def abstract_of(marked: str) -> Composition:
    """An abstract with a section for each of its headings (`<h4>Methods</h4>`)."""
    composition = Composition()
    parts = _HEADING.split(marked)
    composition.add(plain(parts[0]))
    for label, part in zip(parts[1::2], parts[2::2], strict=True):
        composition.add(plain(part), plain(label).rstrip(":") or None)
    return composition
