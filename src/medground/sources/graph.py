"""A knowledge graph that answers questions about its stored relations."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from medground.document import Document
from medground.errors import SnapshotCorrupt
from medground.graph.answer import entails, find
from medground.graph.finding import GraphFact, GraphFinding
from medground.graph.question import read_question
from medground.graph.relation import StatedAt
from medground.graph.store import GraphStore
from medground.graph.wording import line

Fetch = Callable[[Sequence[str]], Awaitable[dict[str, Document]]]
"""Documents by id, such as `CorpusSource.fetch` of the snapshot that the graph belongs to."""


class GraphSource:
    """A graph file and the documents that state its relations.

    Args:
        store: the graph.
        documents: gives the documents of the same snapshot.
    """

    def __init__(self, store: GraphStore, documents: Fetch) -> None:
        self._store = store
        self._documents = documents

    @property
    def name(self) -> str:
        """`graph:HPO 2025-01-16`."""
        return f"graph:{self._store.name}"

    async def ask(self, question: str) -> GraphFinding | None:
        """What the graph says to the question, or None when it does not ask for a stored relation.

        Raises:
            SnapshotCorrupt: the graph cannot be read, or the documents beside it do not state its facts.
            SourceUnavailable: the documents cannot be fetched.
        """
        finding = await asyncio.to_thread(self._find, question)
        if finding is not None and finding.facts:
            await self._check(finding.facts)
        return finding

    def entails(self, fact: GraphFact) -> bool:
        """Whether the stored relation, read again, states the fact's sentence."""
        return entails(self._store, fact)

    async def close(self) -> None:
        """Close the graph file. Safe to call twice."""
        self._store.close()

    def _find(self, question: str) -> GraphFinding | None:
        asked = read_question(self._store, question)
        return find(self._store, asked) if asked is not None else None

    async def _check(self, facts: Sequence[GraphFact]) -> None:
        documents = await self._documents(list(dict.fromkeys(fact.document_id for fact in facts)))
        for fact in facts:
            document = documents.get(fact.document_id)
            if document is None or not self._states(document, fact):
                raise SnapshotCorrupt(
                    f"{self.name}: {fact.document_id} does not state the fact at {fact.start}; build the corpus again"
                )

    def _states(self, document: Document, fact: GraphFact) -> bool:
        relation = self._store.stated_at(StatedAt(fact.document_id, fact.start, fact.end))
        return relation is not None and document.text[fact.start : fact.end] == line(relation)
