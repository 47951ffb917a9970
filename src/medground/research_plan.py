"""A plan of research as a value: sub-questions, their keywords, and the graph that orders them.

Source: BioMedSearch, section III.A, Eq. 1 and 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Literal, Self, get_args

from pydantic import Field, model_validator

from medground.document import Frozen

Tool = Literal["literature", "protein", "web"]
"""The three modules of the retrieval executor (section III.B)."""

TOOLS: tuple[Tool, ...] = get_args(Tool)


class Keyword(Frozen):
    """A node of the graph: a keyword and the tools that are to look for it.

    Attributes:
        name: the keyword, unique in a plan.
        dimension: the fine semantic dimension that it belongs to, such as hormone synthesis.
        synonyms: other names that mean the same, for queries and for counting coverage.
        tools: what is to look for it; empty for those of its sub-questions' other keywords.
    """

    name: str = Field(min_length=1, max_length=200)
    dimension: str = ""
    synonyms: tuple[str, ...] = ()
    tools: tuple[Tool, ...] = ()


class SubQuestion(Frozen):
    """One bounded part of a question: `q1`, `q2`, ... Its keywords are names of the plan's, most salient first.

    `tools` look for it beside those of its keywords.
    """

    id: str = Field(pattern=r"^q[1-9][0-9]?$")
    text: str = Field(min_length=1, max_length=500)
    dimension: str = ""
    keywords: tuple[str, ...] = ()
    tools: tuple[Tool, ...] = ()


class Edge(Frozen):
    """What is found for the keyword `before` sharpens the search for `after`. `weight` says how sure that is."""

    before: str
    after: str
    weight: float = Field(default=1.0, ge=0, le=1)


class ResearchPlan(Frozen):
    """A question's sub-questions, the union of their keywords as a directed acyclic graph, and notes on repairs.

    Raises:
        ValueError: an id or a keyword is there twice, a sub-question or an edge names an unknown keyword, or the edges
            have a cycle.
    """

    question: str
    subquestions: tuple[SubQuestion, ...]
    keywords: tuple[Keyword, ...] = ()
    edges: tuple[Edge, ...] = ()
    notes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _whole(self) -> Self:
        names = [keyword.name for keyword in self.keywords]
        ids = [one.id for one in self.subquestions]
        for what in (names, ids):
            if twice := sorted({one for one in what if what.count(one) > 1}):
                raise ValueError(f"{twice[0]!r} is in the plan twice; give each its own name")
        used = [name for one in self.subquestions for name in one.keywords]
        used += [name for edge in self.edges for name in (edge.before, edge.after)]
        if unknown := [name for name in used if name not in names]:
            raise ValueError(f"the plan has no keyword {unknown[0]!r}; add it to `keywords`")
        try:
            TopologicalSorter(self._befores()).prepare()
        except CycleError as error:
            raise ValueError(f"the keywords have a cycle: {' after '.join(reversed(error.args[1]))}") from None
        return self

    def _befores(self) -> dict[str, set[str]]:
        befores: dict[str, set[str]] = {keyword.name: set() for keyword in self.keywords}
        for edge in self.edges:
            befores[edge.after].add(edge.before)
        return befores

    def keyword(self, name: str) -> Keyword:
        """The keyword with this name."""
        return next(keyword for keyword in self.keywords if keyword.name == name)

    def keywords_of(self, one: SubQuestion) -> tuple[Keyword, ...]:
        """The keywords of a sub-question, most salient first."""
        return tuple(self.keyword(name) for name in one.keywords)

    def tools_of(self, one: SubQuestion) -> tuple[Tool, ...]:
        """The tools of a sub-question and of its keywords together; literature where none is named."""
        wanted = {*one.tools, *(tool for keyword in self.keywords_of(one) for tool in keyword.tools)}
        return tuple(tool for tool in TOOLS if tool in wanted) or ("literature",)

    def after(self) -> Mapping[str, tuple[str, ...]]:
        """For each sub-question, those that it comes after, in their order.

        A keyword belongs to the first sub-question that has it. An edge between keywords of two sub-questions orders
        these; where edges lead both ways, the heavier side counts, and of equals the order in the plan, so that the
        order of sub-questions has no cycle either.
        """
        owner: dict[str, int] = {}
        for place, one in enumerate(self.subquestions):
            for name in one.keywords:
                owner.setdefault(name, place)
        ties: dict[tuple[int, int], float] = {}
        for edge in self.edges:
            first, second = owner.get(edge.before), owner.get(edge.after)
            if first is not None and second is not None and first != second:
                ties[first, second] = ties.get((first, second), 0.0) + edge.weight
        befores: dict[int, set[int]] = {place: set() for place in range(len(self.subquestions))}
        for first, second in sorted(ties, key=lambda tie: (-ties[tie], tie)):
            if not _leads(second, first, befores):
                befores[second].add(first)
        ids = [one.id for one in self.subquestions]
        return {ids[place]: tuple(ids[n] for n in sorted(before)) for place, before in befores.items()}


def _leads(start: int, end: int, befores: Mapping[int, set[int]]) -> bool:
    """Whether `end` comes after `start` already, directly or not."""
    return any(before == start or _leads(start, before, befores) for before in befores[end])
