"""The contract of a source: a query goes in, ranked hits and documents come out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from medground.answer import SnapshotReference
from medground.document import Document, Hit
from medground.graph.finding import GraphFact, GraphFinding
from medground.query import Filters, Query

Ranking = tuple[Hit, ...]
"""Hits of one ranker, best first, ranks 1, 2, 3, ..."""


@dataclass(frozen=True)
class Found:
    """What a source gave for one query: one ranking per ranker it runs (`bm25`, `dense`).

    No hits means that the source was asked and has nothing; a source that cannot be asked raises.
    """

    rankings: tuple[Ranking, ...]
    notes: tuple[str, ...] = ()
    """What the reader should know, such as "no vectors in this snapshot: searched by words alone"."""


class Source(Protocol):
    """Where documents come from."""

    @property
    def name(self) -> str:
        """How answers name it, such as `corpus:starter`."""
        ...

    @property
    def snapshot(self) -> SnapshotReference | None:
        """The frozen state that is searched, or None for a live source."""
        ...

    async def search(self, query: Query, *, text: str, limit: int, filters: Filters) -> Found:
        """Search. `text` is the question in words, for rankers that take no tree (dense). At most `limit` hits each.

        Raises:
            SourceUnavailable: the source could not be asked.
            RateLimited: the source asks to wait.
        """
        ...

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Documents by id; ids that the source does not hold are absent from the result.

        Raises:
            SourceUnavailable: the source could not be asked.
        """
        ...

    async def close(self) -> None:
        """Free what it holds. Safe to call twice."""
        ...


class KnowledgeGraph(Protocol):
    """A store of relations that can answer some questions by itself. Its documents come from a `Source`."""

    @property
    def name(self) -> str:
        """How answers name it, such as `graph:HPO 2025-01-16`."""
        ...

    async def ask(self, question: str) -> GraphFinding | None:
        """What the graph says to the question, or None when it does not ask for a stored relation."""
        ...

    def entails(self, fact: GraphFact) -> bool:
        """Whether the stored relation, read again, states the fact's sentence."""
        ...

    async def close(self) -> None:
        """Free what it holds. Safe to call twice."""
        ...
