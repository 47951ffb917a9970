"""What all services that are searched live have in common: no snapshot, and documents of recent searches at hand."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

from medground.corpus.chunk import chunk
from medground.errors import SourceUnavailable, UsageError
from medground.language import words
from medground.language.words import terms
from medground.sources.base import MOST_HITS
from medground.values.document import Document, Hit, Passage, SourceKind
from medground.values.lookup import Found, Lookup, ProteinQuery, Ranker
from medground.values.query import Filters

if TYPE_CHECKING:
    from medground.sources.http.service import Client


class Closable(Protocol):
    """A client with connections."""

    async def close(self) -> None:
        """Close them. Safe to call twice."""
        ...


class LiveSource:
    """A service that is searched live. One ranking in its own order, with one hit for each document.

    Documents of recent searches stay in memory, so that fetching them needs no request.

    Args:
        name: its name in settings and answers.
        client: asks the service; the source closes it. None where it is not configured.
        kept: most documents kept in memory.
    """

    kinds: frozenset[SourceKind]
    state: ClassVar[None] = None
    """A live service changes, so that no snapshot is searched."""

    def __init__(self, name: str, client: Closable | None, *, kept: int) -> None:
        self.name = name
        self._connections = client
        self._most_kept = kept
        self._kept: dict[str, Document] = {}
        self._closed = False

    def accepts(self, lookup: Lookup) -> bool:
        """Query trees, for rankers by words."""
        return lookup.wants(Ranker.LEXICAL) and lookup.of_texts

    def held(self, ids: Sequence[str]) -> dict[str, Document]:
        """Documents of recent searches, from memory."""
        return {i: self._kept[i] for i in ids if i in self._kept}

    async def close(self) -> None:
        """Close the connections. Safe to call twice."""
        self._closed = True
        if self._connections is not None:
            await self._connections.close()

    def _keep(self, documents: Iterable[Document]) -> None:
        for document in documents:
            self._kept.pop(document.id, None)
            self._kept[document.id] = document
        for oldest in list(self._kept)[: max(len(self._kept) - self._most_kept, 0)]:
            del self._kept[oldest]

    def _ranking(self, passages: Iterable[Passage]) -> tuple[Hit, ...]:
        return tuple(
            Hit(passage=passage, ranker=self.name, rank=rank, score=1 / rank, source=self.name)
            for rank, passage in enumerate(passages, start=1)
        )

    def _check_open(self) -> None:
        if self._closed:
            raise SourceUnavailable("the source is closed", source=self.name)


def best_passage(document: Document, text: str) -> Passage:
    """The passage that shares most words with the question; the first if several do."""
    wanted = set(words.terms(text))
    return max(chunk(document), key=lambda passage: len(wanted.intersection(words.terms(passage.text))))


# What sources of protein records share: one lookup finds few whole records, and each is fetched by its id.

_MOST_KEPT = 200
"""Most records kept in memory: those of one question."""


@dataclass(frozen=True)
class Records:
    """The records found for a query, best first, and what a reader should know of them."""

    documents: tuple[Document, ...] = ()
    notes: tuple[str, ...] = ()


class RecordSource(LiveSource, ABC):
    """A service of protein records. One ranking in its own order, one hit for each record.

    The hit is the line of the record that shares most words with the question.

    Args:
        name: its name in settings and answers.
        prefix: of the ids of its documents.
        client: asks the service; the source closes it.
    """

    kinds = frozenset[SourceKind](["protein"])

    def __init__(self, name: str, prefix: str, client: Client) -> None:
        super().__init__(name, client, kept=_MOST_KEPT)
        self._prefix = prefix
        self._client = client

    def accepts(self, lookup: Lookup) -> bool:
        """Proteins by name or accession, for rankers by words."""
        return lookup.wants(Ranker.LEXICAL) and isinstance(lookup.asked, ProteinQuery)

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        """Search, and read the records found.

        Raises:
            UsageError: the lookup does not name a protein, or the limit is too high.
            SourceUnavailable: the service could not be searched.
            RateLimited: the service asks for fewer requests.
        """
        self._check_open()
        if not isinstance(lookup.asked, ProteinQuery) or not self.accepts(lookup):
            raise UsageError(f"{self.name} takes a protein by name or accession, and ranks by words only")
        if (lookup.limit or 1) > MOST_HITS:
            raise UsageError(f"a search takes a limit from 1 to {MOST_HITS}, not {lookup.limit}")
        if filters.kinds and "protein" not in filters.kinds:
            return Found(lookup, self.name, rankings=((),), notes=(f"{self.name} contains only records of proteins",))
        records = await self.find(lookup.asked)
        self._keep(records.documents)
        kept = [one for one in records.documents if _within(one, filters)][: lookup.limit]
        hits = self._ranking(best_line(one, lookup.text) for one in kept)
        return Found(lookup, self.name, rankings=(hits,), notes=records.notes)

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Records by id, in the order of `ids`. Unknown ids are left out.

        Raises:
            SourceUnavailable: the service could not be asked.
        """
        self._check_open()
        wanted = [one for one in dict.fromkeys(ids) if one.startswith(f"{self._prefix}:")]
        found = self.held(wanted)
        missing = [one for one in wanted if one not in found]
        read = await asyncio.gather(*(self.read(one.removeprefix(f"{self._prefix}:")) for one in missing))
        found |= {one.id: one for one in read if one is not None and one.id in missing}
        self._keep(found.values())
        return {one: found[one] for one in wanted if one in found}

    @abstractmethod
    async def find(self, asked: ProteinQuery) -> Records:
        """The records for a protein.

        Raises:
            SourceUnavailable: the service could not be searched.
        """

    @abstractmethod
    async def read(self, name: str) -> Document | None:
        """The record whose id has this name after the prefix; None if there is none.

        Raises:
            SourceUnavailable: the service could not be asked.
        """


def lines_in(document: Document) -> list[Passage]:
    """The lines of a record, each a passage with its section."""
    passages: list[Passage] = []
    at = 0
    for line in document.text.split("\n"):
        if line.strip():
            passages.append(line_passage(document, at, at + len(line)))
        at += len(line) + 1
    return passages


def line_passage(document: Document, start: int, end: int) -> Passage:
    """A slice of a record."""
    return Passage(
        document_id=document.id,
        start=start,
        end=end,
        text=document.text[start:end],
        section=document.section_at(start),
        title=document.title,
        year=document.year,
        kind=document.kind,
        retraction=document.retraction,
        paper=document.paper,
    )


def best_line(document: Document, text: str) -> Passage:
    """The line that shares most words with a text; the first if several do."""
    wanted = set(terms(text))
    return max(lines_in(document), key=lambda one: len(wanted.intersection(terms(one.text))))


def _within(document: Document, filters: Filters) -> bool:
    """Whether the filters allow a record; its date is that of its last revision."""
    if filters.publication_types or filters.where or (filters.ids and document.id not in filters.ids):
        return False
    day = document.dates.get("revised", "")
    year = document.year or 0
    return not (
        (filters.year_from is not None and year < filters.year_from)
        or (filters.year_to is not None and year > filters.year_to)
        or (filters.date_from is not None and day < filters.date_from)
        or (filters.date_to is not None and day[: len(filters.date_to)] > filters.date_to)
    )
