"""Entries in an answer's list of searches."""

from __future__ import annotations

from medground.errors import SourceUnavailable
from medground.values.answer import Search
from medground.values.document import SourceKind
from medground.values.lookup import Found, Lookup


def search_of(found: Found, *, cached: bool) -> Search:
    """A search that was answered; `cached` where the same lookup had been made before."""
    lookup = found.lookup
    kinds: set[SourceKind] = {hit.passage.kind for ranking in found.rankings for hit in ranking}
    if found.facts:
        kinds.add("graph")
    return Search(
        source=found.source,
        query=found.named,
        status="found" if found.size else "empty",
        hits=found.size,
        kinds=tuple(sorted(kinds)) or lookup.kinds,
        node=lookup.node,
        cached=cached,
    )


def failed_search(source: str, lookup: Lookup, error: SourceUnavailable) -> Search:
    """A search that failed."""
    return Search(
        source=source,
        query=lookup.named,
        status="failed",
        error=str(error),
        kinds=lookup.kinds,
        node=lookup.node,
    )
