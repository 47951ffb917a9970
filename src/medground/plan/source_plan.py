"""A source plan: which queries go to which source, and the tagged form in which models write it.

Source: Omni-RAG, section 4.1, and prompts E.2 and E.7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import Field

from medground.document import Frozen

MOST_QUERIES = 3
"""Most queries for one source (section 4.1: fewer than 4)."""


class SourceQuery(Frozen):
    """One query. For a graph, `term` is the concept and `text` what is asked about it; elsewhere `term` is empty."""

    text: str
    term: str = ""

    def __str__(self) -> str:
        return f"{self.term} , {self.text}" if self.term else self.text


class SourcePlan(Frozen):
    """`P = {(i, j, q_j^i)}`: the queries of each source, by its name. A source without queries is not searched."""

    queries: Mapping[str, tuple[SourceQuery, ...]] = Field(default_factory=dict)

    @property
    def size(self) -> int:
        """Number of queries: each is one lookup."""
        return sum(map(len, self.queries.values()))

    def __iter__(self) -> Iterator[tuple[str, SourceQuery]]:  # type: ignore[override]
        return ((name, query) for name, queries in self.queries.items() for query in queries)


def tagged(plan: SourcePlan, sources: tuple[str, ...]) -> str:
    """The plan as a planner writes it: one tag for each source, empty where nothing is asked of it.

    `<book> heart sounds ; heart failure </book>`, one line per source, in the order of `sources`.
    """
    return "\n".join(_tag(name, plan.queries.get(name, ())) for name in sources)


def _tag(name: str, queries: tuple[SourceQuery, ...]) -> str:
    inside = " ; ".join(map(str, queries))
    return f"<{name}> {inside} </{name}>" if inside else f"<{name}> </{name}>"
