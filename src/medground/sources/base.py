"""The contract of a source: a lookup goes in; ranked hits, facts and documents come out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from medground.answer import SnapshotReference
from medground.document import Document, SourceKind
from medground.graph.finding import GraphFact
from medground.lookup import Found, Lookup
from medground.query import Filters

MOST_HITS = 10_000
"""Most hits of a ranking that a lookup may ask for."""


class Source(Protocol):
    """Where documents and facts come from."""

    @property
    def name(self) -> str:
        """How answers name it, such as `corpus:starter`."""
        ...

    @property
    def kinds(self) -> frozenset[SourceKind]:
        """The kinds of document that it holds."""
        ...

    @property
    def state(self) -> SnapshotReference | None:
        """The frozen state that is searched, or None for a live source."""
        ...

    def accepts(self, lookup: Lookup) -> bool:
        """Whether it can look this up: it takes this form of question, and has one of the rankers that are wanted."""
        ...

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        """Look something up that it accepts, within the limits of `filters`. `lookup.limit` is set.

        Raises:
            UsageError: the source does not accept the lookup, the limit is too high, or the source lacks a field of
                the query.
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


@runtime_checkable
class FactSource(Protocol):
    """The optional ability of a source whose stored facts can be an answer by themselves."""

    def entails(self, fact: GraphFact) -> bool:
        """Whether the stored relation, read again, states the fact's sentence."""
        ...
