"""A knowledge graph as a source: it reads a question in plain words and returns the stored relations that answer it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from medground.answer import SnapshotReference
from medground.document import Document, SourceKind
from medground.errors import SnapshotCorrupt, SourceUnavailable, UsageError
from medground.graph.answer import entails, find
from medground.graph.finding import GraphFact, GraphFinding
from medground.graph.question import read_question
from medground.graph.relation import StatedAt
from medground.graph.store import GraphStore
from medground.graph.suggest import wordings
from medground.graph.wording import line
from medground.lookup import ConceptQuery, Found, Lookup, PlainWords
from medground.query import Filters

Fetch = Callable[[Sequence[str]], Awaitable[dict[str, Document]]]
"""Fetches documents by id: `CorpusSource.fetch` of the snapshot that the graph belongs to."""


class GraphSource:
    """A graph file, and the documents that state its relations.

    Args:
        store: the graph; the source closes it.
        documents: fetches documents of the same snapshot.
        state: that snapshot.
    """

    kinds: frozenset[SourceKind] = frozenset(["graph"])

    def __init__(self, store: GraphStore, documents: Fetch, state: SnapshotReference | None = None) -> None:
        self._store = store
        self._documents = documents
        self._closed = False
        self.state = state

    @property
    def name(self) -> str:
        """`graph:HPO 2025-01-16`."""
        return f"graph:{self._store.name}"

    def accepts(self, lookup: Lookup) -> bool:
        """Questions in plain words, and questions about a concept."""
        return isinstance(lookup.asked, PlainWords | ConceptQuery)

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        """Find the stored relations that answer a question. For a concept whose question it cannot read, define it.

        Relations have no date, so year limits are ignored; do not ask a graph if they matter.

        Raises:
            UsageError: the lookup is neither in plain words nor about a concept.
            SnapshotCorrupt: the graph cannot be read, or the documents of its snapshot do not state its facts.
            SourceUnavailable: the source is closed, or its documents cannot be fetched.
        """
        self._check_open()
        asked = lookup.asked
        if isinstance(asked, PlainWords):
            named, asked_in = asked.text, [asked.text]
        elif isinstance(asked, ConceptQuery):
            named, asked_in = asked.term, [asked.question, f"What is {asked.term}?"]
        else:
            raise UsageError(f"{self.name} takes questions, not a {asked.type} query")
        finding = await asyncio.to_thread(self._find, asked_in)
        if finding is None:
            working = await asyncio.to_thread(wordings, self._store, named)
            return Found(lookup, self.name, understood=False, wordings=working)
        if finding.facts:
            await self._check(finding.facts)
        return Found(lookup, self.name, finding=finding)

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Documents of the graph's snapshot by id. Unknown ids are left out.

        Raises:
            SourceUnavailable: the source is closed, or its documents cannot be fetched.
        """
        self._check_open()
        return await self._documents(ids)

    def entails(self, fact: GraphFact) -> bool:
        """Whether the stored relation, read again, entails the fact's sentence."""
        return entails(self._store, fact)

    async def close(self) -> None:
        """Close the graph file. Safe to call twice."""
        self._closed = True
        self._store.close()

    def _check_open(self) -> None:
        if self._closed:
            raise SourceUnavailable("the source is closed", source=self.name)

    def _find(self, asked_in: Sequence[str]) -> GraphFinding | None:
        read = (read_question(self._store, wording) for wording in asked_in)
        asked = next(filter(None, read), None)
        return find(self._store, asked) if asked is not None else None

    async def _check(self, facts: Sequence[GraphFact]) -> None:
        documents = await self._documents(list(dict.fromkeys(fact.document_id for fact in facts)))
        for fact in facts:
            document = documents.get(fact.document_id)
            if document is None or not self._states(document, fact):
                raise SnapshotCorrupt(
                    f"{self.name}: {fact.document_id} does not state the fact at {fact.start}; rebuild the corpus"
                )

    def _states(self, document: Document, fact: GraphFact) -> bool:
        relation = self._store.stated_at(StatedAt(fact.document_id, fact.start, fact.end))
        return relation is not None and document.text[fact.start : fact.end] == line(relation)
