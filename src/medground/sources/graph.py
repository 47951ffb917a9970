"""A knowledge graph as a source.

A question in plain words is answered by the stored relations that it asks for. A concept query gives what the graph
states about a term: quoted lines of its documents, the best for the question first.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from medground.corpus.chunk import region
from medground.errors import SnapshotCorrupt, SourceUnavailable, UsageError
from medground.graph.answer import entails, find, read_question, wordings
from medground.graph.base import Graph, StatedRow, best
from medground.graph.relation import StatedAt, line
from medground.graph.store import GraphStore
from medground.values.answer import SnapshotReference
from medground.values.document import Document, Hit, Passage, SourceKind
from medground.values.graph import ConceptFound, GraphFact, GraphFinding
from medground.values.lookup import ConceptQuery, Found, Lookup, PlainWords, Ranking
from medground.values.query import Filters
from medground.values.source_plan import SourceDescription

RANKER = "concept"
"""The ranker of the lines about a concept."""
_LIMIT = 10
"""Lines about a concept where a lookup names no limit."""
_LICENCE = 1000

Fetch = Callable[[Sequence[str]], Awaitable[dict[str, Document]]]
"""Fetches documents by id: `CorpusSource.fetch` of the snapshot that the graph belongs to."""


class GraphSource:
    """A graph file, and the documents of its snapshot, which state its relations. The source closes the graph.

    Without a description for planners, it has what the graph file says of itself.
    """

    kinds: frozenset[SourceKind] = frozenset(["graph"])

    def __init__(
        self,
        store: Graph,
        documents: Fetch,
        state: SnapshotReference | None = None,
        described: SourceDescription | None = None,
    ) -> None:
        self._store = store
        self._facts = store if isinstance(store, GraphStore) else None
        self._documents = documents
        self._closed = False
        self.state = state
        self.described: SourceDescription = described or _described(store)

    @property
    def name(self) -> str:
        """`graph:HPO 2025-01-16`."""
        return f"graph:{self._store.name}"

    def accepts(self, lookup: Lookup) -> bool:
        """Questions in plain words, and questions about a concept."""
        return isinstance(lookup.asked, PlainWords | ConceptQuery)

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        """Find the stored relations that answer a question, or what is stated about a concept.

        A concept whose question the stored facts answer has these too. Relations have no date, so year limits are
        ignored; do not ask a graph if they matter. Raises what `Source.search` raises, and SnapshotCorrupt if the
        graph cannot be read, or the documents of its snapshot do not state its facts.
        """
        self._check_open()
        asked = lookup.asked
        if isinstance(asked, ConceptQuery):
            return await self._about(lookup, asked, filters)
        if not isinstance(asked, PlainWords):
            raise UsageError(f"{self.name} takes questions, not a {asked.type} query")
        finding = await self._finding([asked.text])
        if finding is None:
            store = self._facts
            working = await asyncio.to_thread(wordings, store, asked.text) if store is not None else ()
            return Found(lookup, self.name, understood=False, wordings=working)
        return Found(lookup, self.name, finding=finding)

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Documents of the graph's snapshot by id. Raises what `Source.fetch` raises."""
        self._check_open()
        return await self._documents(ids)

    async def concept(self, term: str, limit: int) -> ConceptFound:
        """The concepts that a term names, by id, name or synonym, and at most `limit` lines about them.

        Raises what `ConceptSource.concept` raises, and SnapshotCorrupt as for `search`.
        """
        self._check_open()
        named = await asyncio.to_thread(self._store.named, term)
        if not named.concepts:
            nearest = await asyncio.to_thread(self._store.nearest, term)
            return ConceptFound(term, self.name, nearest=nearest)
        rows = await asyncio.to_thread(self._store.rows_of, named)
        ranking = await self._best(rows, "", limit)
        return ConceptFound(
            term,
            self.name,
            entries=tuple(self._store.entry(concept, name) for concept, name in named.concepts),
            by=named.by,
            lines=tuple(hit.passage for hit in ranking),
        )

    def entails(self, fact: GraphFact) -> bool:
        """Whether the stored relation, read again, entails the fact's sentence."""
        return self._facts is not None and entails(self._facts, fact)

    async def close(self) -> None:
        """Close the graph file. Safe to call twice."""
        self._closed = True
        self._store.close()

    def _check_open(self) -> None:
        if self._closed:
            raise SourceUnavailable("the source is closed", source=self.name)

    async def _about(self, lookup: Lookup, asked: ConceptQuery, filters: Filters) -> Found:
        """The lines about a concept, and the stored facts that its question asks for."""
        finding = await self._finding([asked.question, f"What is {asked.term}?"])
        rows, notes = await asyncio.to_thread(self._rows, asked, filters)
        if not rows:
            return Found(lookup, self.name, finding=finding, notes=notes)
        ranking = await self._best(rows, asked.question or lookup.text, lookup.limit or _LIMIT)
        return Found(lookup, self.name, rankings=(ranking,), finding=finding, notes=notes)

    async def _best(self, rows: Sequence[StatedRow], question: str, limit: int) -> Ranking:
        """The best lines for a question, as passages of their documents; a line that two concepts share stands once."""
        chosen = await asyncio.to_thread(best, rows, question, limit)
        documents = await self._documents(list(dict.fromkeys(row.place.document_id for row, _ in chosen)))
        passages: dict[str, tuple[Passage, float]] = {}
        for row, score in chosen:
            passage = self._quoted(row, documents)
            passages.setdefault(passage.key, (passage, score))
        return tuple(
            Hit(passage=passage, ranker=RANKER, rank=rank, score=score, source=self.name)
            for rank, (passage, score) in enumerate(passages.values(), start=1)
        )

    def _rows(self, asked: ConceptQuery, filters: Filters) -> tuple[list[StatedRow], tuple[str, ...]]:
        """Every line about a term within the filters, and what the reader should know of how the term was read."""
        named = self._store.named(asked.term)
        if not named.concepts:
            near = self._store.nearest(asked.term)
            nearest = f"; nearest names: {', '.join(near)}" if near else ""
            return [], (f"no concept of {self._store.name} is called {asked.term!r}{nearest}",)
        rows = self._store.rows_of(named)
        wanted = not filters.kinds or "graph" in filters.kinds
        rows = [r for r in rows if wanted and (not filters.ids or r.place.document_id in filters.ids)]
        loosely = named.by not in ("id", "name", "exact")
        read_as = ", ".join(f"{name} ({concept})" for concept, name in named.concepts[:3])
        return rows, (f"{asked.term!r} was read as {read_as}",) * loosely

    def _quoted(self, row: StatedRow, documents: dict[str, Document]) -> Passage:
        """A line as a passage of its document. Raises SnapshotCorrupt: the document does not have it."""
        document, (document_id, start, end) = documents.get(row.place.document_id), row.place
        if document is not None and end < start:
            start = f"{document.text}\n".find(f"\n{row.line}\n") + 1
            end = start + len(row.line)
        if document is None or not row.line or document.text[start:end] != row.line:
            raise SnapshotCorrupt(f"{self.name}: {document_id} does not state {row.line[:80]!r}; rebuild the corpus")
        return next(region(document, start, end, document.section_at(start), limit=end - start))

    async def _finding(self, asked_in: Sequence[str]) -> GraphFinding | None:
        """What the stored facts say, each checked against its document; None where they do not understand."""
        store = self._facts
        if store is None:
            return None
        read = (await asyncio.to_thread(read_question, store, wording) for wording in asked_in)
        asked = await anext((one async for one in read if one is not None), None)
        finding = await asyncio.to_thread(find, store, asked) if asked is not None else None
        if finding is None or not finding.facts:
            return finding
        documents = await self._documents(list(dict.fromkeys(fact.document_id for fact in finding.facts)))
        for fact in finding.facts:
            document = documents.get(fact.document_id)
            relation = store.stated_at(StatedAt(fact.document_id, fact.start, fact.end))
            if document is None or relation is None or document.text[fact.start : fact.end] != line(relation):
                raise SnapshotCorrupt(
                    f"{self.name}: {fact.document_id} does not state the fact at {fact.start}; rebuild the corpus"
                )
        return finding


def _described(store: Graph) -> SourceDescription:
    known = SourceDescription.of_kind("graph")
    licence, origin = store.licence[:_LICENCE] or known.licence, store.origin[:_LICENCE] or store.name
    return known.replace(licence=licence, origin=origin)
