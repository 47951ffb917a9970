"""What all literature databases that are searched live have in common as sources."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from medground.answer import SnapshotReference
from medground.corpus.chunk import chunk
from medground.document import Document, Hit, Passage, SourceKind
from medground.errors import SourceUnavailable, UsageError
from medground.lookup import ConceptQuery, Found, Lookup, PlainWords, ProteinQuery, Ranker
from medground.query import And, Filters, Query
from medground.sources.literature.syntax import Syntax
from medground.text import words
from medground.where import own_fields


@dataclass(frozen=True)
class Read:
    """What a database returned: its records in its order, and how many more it has that could not be read."""

    documents: tuple[Document, ...]
    unread: int = 0


class LiveSource(ABC):
    """Searches a literature database. One ranking, named after it, in its own order with one hit for each record.

    The hit is the passage of the record that shares most words with the question. Records of recent searches stay in
    memory, so that fetching them needs no request.

    Args:
        name: its name in answers, such as `europepmc`.
        syntax: how its queries are written.
        most: most records of one search.
        held: most records kept in memory.
    """

    kinds: frozenset[SourceKind] = frozenset(["research"])

    def __init__(self, name: str, syntax: Syntax, *, most: int, held: int = 2000) -> None:
        self.name = name
        self._syntax = syntax
        self._most = most
        self._held = held
        self._read: dict[str, Document] = {}
        self._closed = False

    @property
    def state(self) -> SnapshotReference | None:
        """None, because the database changes."""
        return None

    def accepts(self, lookup: Lookup) -> bool:
        """Query trees, for rankers by words."""
        return lookup.wants(Ranker.LEXICAL) and not isinstance(lookup.asked, PlainWords | ConceptQuery | ProteinQuery)

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        """Search, and read the records found.

        Raises:
            UsageError: the lookup is not a query tree, only vectors are wanted, the database has no such field, or
                the limit is too high.
            NotConfigured: the database needs a key that is not set.
            SourceUnavailable: the database could not be searched.
            RateLimited: the database asks for fewer requests.
        """
        self._check_open()
        limit = lookup.limit or self._most
        if limit > self._most:
            raise UsageError(f"a search of {self.name} takes a limit from 1 to {self._most}, not {limit}")
        query = lookup.asked
        if isinstance(query, PlainWords | ConceptQuery | ProteinQuery):
            raise UsageError(f"{self.name} takes query trees, not a {query.type} query")
        if not self.accepts(lookup):
            raise UsageError(f"{self.name} cannot search by vectors; ask for the lexical ranker")
        if why := self._cannot_hold(filters):
            return Found(lookup, self.name, rankings=((),), notes=(f"{self._syntax.name} {why}",))
        asked = self._compiled(query, filters)
        if not asked:
            return Found(lookup, self.name, rankings=((),))
        read = await self._find(asked, limit)
        self._keep(read.documents)
        notes = (f"{read.unread} records found could not be read",) if read.unread else ()
        documents = [document for document in read.documents[:limit] if _is_within(document, filters)]
        return Found(lookup, self.name, rankings=(_ranking(documents, lookup.text, self.name),), notes=notes)

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
        """Records by id, in the order of `ids`. Unknown ids are left out.

        Raises:
            NotConfigured: the database needs a key that is not set.
            SourceUnavailable: the database could not be asked.
        """
        self._check_open()
        found = {i: self._read[i] for i in ids if i in self._read}
        missing = [i for i in dict.fromkeys(ids) if i not in found and self._syntax.id_of(i)]
        if missing:
            read = await self._find_by_id(missing)
            self._keep(read)
            found |= {document.id: document for document in read}
        return {i: found[i] for i in ids if i in found}

    def held(self, ids: Sequence[str]) -> dict[str, Document]:
        """Records of recent searches, from memory."""
        return {i: self._read[i] for i in ids if i in self._read}

    @abstractmethod
    async def _find(self, asked: str, limit: int) -> Read:
        """The records that a compiled query finds, best first."""

    @abstractmethod
    async def _find_by_id(self, ids: Sequence[str]) -> tuple[Document, ...]:
        """The records with these ids, as far as there are any."""

    @abstractmethod
    async def close(self) -> None:
        """Close the connections. Safe to call twice."""

    def _keep(self, documents: Sequence[Document]) -> None:
        for document in documents:
            self._read.pop(document.id, None)
            self._read[document.id] = document
        while len(self._read) > self._held:
            del self._read[next(iter(self._read))]

    def _check_open(self) -> None:
        if self._closed:
            raise SourceUnavailable("the source is closed", source=self.name)


def _is_within(document: Document, filters: Filters) -> bool:
    """Whether a record keeps the limits that not every database can search by."""
    first, last = filters.year_from or 0, filters.year_to or 9999
    in_time = (first, last) == (0, 9999) or first <= (document.year or 0) <= last
    return in_time and (not filters.ids or document.id in filters.ids)


def _ranking(documents: Sequence[Document], text: str, name: str) -> tuple[Hit, ...]:
    distinct = {document.id: document for document in documents}.values()
    return tuple(
        Hit(passage=_best_passage(document, text), ranker=name, rank=rank, score=1 / rank, source=name)
        for rank, document in enumerate(distinct, start=1)
    )


def _best_passage(document: Document, text: str) -> Passage:
    """The passage that shares most words with the question; the first if several do."""
    wanted = set(words.terms(text))
    return max(chunk(document), key=lambda passage: len(wanted.intersection(words.terms(passage.text))))
