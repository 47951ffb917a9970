"""A source plan: which queries go to which source, and the tagged form in which models write it.

Source: Omni-RAG, section 4.1, and prompts E.2 and E.7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from medground.described import SourceDescription
from medground.document import Frozen, Hit
from medground.graph.finding import GraphFact
from medground.plan.forms.marks import written

MOST_QUERIES = 3
"""Most queries for one source (section 4.1: fewer than 4)."""

OneLine = Annotated[str, AfterValidator(lambda text: " ".join(text.split()))]


class SourceQuery(Frozen):
    """One query. For a graph, `term` is the concept and `text` what is asked about it; elsewhere `term` is empty."""

    text: OneLine
    term: OneLine = ""

    def __str__(self) -> str:
        return f"{self.term} , {self.text}" if self.term else self.text


def _asked(queries: Mapping[str, tuple[SourceQuery, ...]]) -> Mapping[str, tuple[SourceQuery, ...]]:
    return {name: asked for name, asked in queries.items() if asked}


class SourcePlan(Frozen):
    """`P = {(i, j, q_j^i)}`: the queries of each source, by its name. A source without queries is not searched."""

    queries: Annotated[Mapping[str, tuple[SourceQuery, ...]], AfterValidator(_asked)] = Field(default_factory=dict)

    @property
    def size(self) -> int:
        """Number of queries: each is one lookup."""
        return sum(map(len, self.queries.values()))

    def __iter__(self) -> Iterator[tuple[str, SourceQuery]]:  # type: ignore[override]
        return ((name, query) for name, queries in self.queries.items() for query in queries)


SourceState = Literal["found", "empty", "failed", "not configured", "not asked"]
"""`empty`: searched, and it has nothing. `failed`: it could not be searched. `not configured`: it is not open here."""


@dataclass(frozen=True)
class QueryFound:
    """A query and what it found, best first. `facts` are the stored facts of a graph that answer it."""

    query: SourceQuery
    hits: tuple[Hit, ...] = ()
    facts: tuple[GraphFact, ...] = ()


@dataclass(frozen=True)
class SourceFound:
    """A source of a plan: what became of it, and what each of its queries found. `failure` says why it failed."""

    source: SourceDescription
    state: SourceState
    queries: tuple[QueryFound, ...] = ()
    failure: str = ""
    names: tuple[str, ...] = field(default=(), compare=False)
    """The sources of the run that hold it."""

    @property
    def passages(self) -> int:
        """Number of different passages found."""
        return len({hit.passage.key for query in self.queries for hit in query.hits})


def tagged(plan: SourcePlan, sources: tuple[str, ...]) -> str:
    """The plan as a planner writes it: one tag for each source, empty where nothing is asked of it.

    `<book> heart sounds ; heart failure </book>`, one line per source, in the order of `sources`. Whatever marks a
    query holds, `plan.sources.read_plan` reads it back.
    """
    return "\n".join(_tag(name, plan.queries.get(name, ())) for name in sources)


def _tag(name: str, queries: tuple[SourceQuery, ...]) -> str:
    inside = " ; ".join(written(query.text, query.term) for query in queries)
    return f"<{name}> {inside} </{name}>" if inside else f"<{name}> </{name}>"
