"""A research plan for readers: its layered layout, and the plan as a tree of text and as Mermaid."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from textwrap import wrap

from medground.language.clean import joined
from medground.values.research_plan import Keyword, ResearchPlan, SubQuestion

_SWEEPS = 6

Ties = Sequence[tuple[str, str]]
Place = tuple[int, int]
"""A column, and a place in it from the top."""


@dataclass(frozen=True)
class Layout:
    """Columns of nodes and of points that long edges pass; a point is an edge and its column.

    Attributes:
        columns: for each column, its nodes (names) and points (edge and column), from the top.
        ways: for each edge, what it passes: its first node, points, its last node.
    """

    columns: tuple[tuple[str | Point, ...], ...]
    ways: Mapping[tuple[str, str], tuple[str | Point, ...]]


@dataclass(frozen=True)
class Point:
    """A place that an edge passes between its ends."""

    edge: tuple[str, str]
    column: int


Item = str | Point


def layered(nodes: Sequence[str], ties: Ties) -> Layout:
    """The layout of an acyclic graph. Nodes without edges stand in the first column, in the order given."""
    column = _columns(nodes, ties)
    ways: dict[tuple[str, str], tuple[Item, ...]] = {}
    columns: list[list[Item]] = [[] for _ in range(max(column.values(), default=-1) + 1)]
    for node in nodes:
        columns[column[node]].append(node)
    for before, later in ties:
        between = [Point((before, later), n) for n in range(column[before] + 1, column[later])]
        for point in between:
            columns[point.column].append(point)
        ways[before, later] = (before, *between, later)
    _order(columns, ways)
    return Layout(tuple(tuple(items) for items in columns), ways)


def _columns(nodes: Sequence[str], ties: Ties) -> dict[str, int]:
    """The column of each node: one more than the last of those before it."""
    befores: dict[str, list[str]] = {node: [] for node in nodes}
    for before, later in ties:
        befores[later].append(before)
    column: dict[str, int] = {}

    def find(node: str) -> int:
        if node not in column:
            column[node] = max((find(before) + 1 for before in befores[node]), default=0)
        return column[node]

    for node in nodes:
        find(node)
    return column


def _order(columns: list[list[Item]], ways: Mapping[tuple[str, str], tuple[Item, ...]]) -> None:
    """Sort each column by where its neighbours stand in the one before, then in the one after, a few times."""
    lefts: dict[Item, list[Item]] = {}
    rights: dict[Item, list[Item]] = {}
    for way in ways.values():
        for here, there in pairwise(way):
            rights.setdefault(here, []).append(there)
            lefts.setdefault(there, []).append(here)
    for sweep in range(_SWEEPS):
        forward = sweep % 2 == 0
        beside = lefts if forward else rights
        for n in range(1, len(columns)) if forward else range(len(columns) - 2, -1, -1):
            other = columns[n - 1 if forward else n + 1]
            place = {item: (at + 0.5) / len(other) for at, item in enumerate(other)}
            own = {item: (at + 0.5) / len(columns[n]) for at, item in enumerate(columns[n])}
            columns[n].sort(key=lambda item: _mean([place[one] for one in beside.get(item, ())], own[item]))


def _mean(places: Sequence[float], otherwise: float) -> float:
    return sum(places) / len(places) if places else otherwise


def ties_of(after: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """Pairs of what comes before and what comes after."""
    return [(before, later) for later, befores in after.items() for before in befores]


def reduced(ties: Ties) -> list[tuple[str, str]]:
    """The edges of an acyclic graph without those that a longer way implies, in their order."""
    nexts: dict[str, set[str]] = {}
    for before, later in ties:
        nexts.setdefault(before, set()).add(later)
    reach: dict[str, set[str]] = {}

    def reached(start: str) -> set[str]:
        if start not in reach:
            following = nexts.get(start, set())
            reach[start] = following.union(*(reached(one) for one in following))
        return reach[start]

    return [
        (before, later)
        for before, later in ties
        if not any(later in reached(other) for other in nexts[before] if other != later)
    ]


def tree(plan: ResearchPlan, width: int = 100) -> list[str]:
    """The lines of the tree, each at most `width` characters where its words allow it."""
    lines = wrap(joined(plan.question), width) or [""]
    after = plan.after()
    for number, one in enumerate(plan.subquestions):
        last = number == len(plan.subquestions) - 1
        head, rest = ("└─ ", "   ") if last else ("├─ ", "│  ")
        shown = _shown(plan, one, after[one.id], width - len(rest) - 4)
        lines += [f"{head if n == 0 else rest}{f'{one.id:<3} ' if n == 0 else '    '}{t}" for n, t in enumerate(shown)]
    for note in plan.notes:
        lines += wrap(f"note: {joined(note)}", width, subsequent_indent="      ")
    return [line.rstrip() for line in lines]


def _shown(plan: ResearchPlan, one: SubQuestion, after: tuple[str, ...], width: int) -> list[str]:
    facts = [joined(one.dimension), ", ".join(plan.tools_of(one)), f"after {', '.join(after)}" if after else "first"]
    lines = [*wrap(joined(one.text), width), *wrap(" · ".join(filter(None, facts)), width)]
    named = ", ".join(_keyword(keyword) for keyword in plan.keywords_of(one))
    return [*lines, *wrap(f"keywords: {named}", width, subsequent_indent="          ")] if named else lines


def _keyword(keyword: Keyword) -> str:
    fine = joined(keyword.dimension)
    name = joined(keyword.name)
    return f"{name} ({fine})" if fine and fine.casefold() != name.casefold() else name


_PLAIN = re.compile(r"[^\w ,.:?()/+-]")
"""Anything else could end a label or be read as Mermaid, HTML or Markdown, and becomes its number."""


def mermaid(plan: ResearchPlan) -> str:
    """The text of a flow chart. Labels hold no character that Mermaid reads as its own."""
    lines = ["flowchart LR", f'  question["{_label(plan.question)}"]']
    after = plan.after()
    for one in plan.subquestions:
        facts = f"{_label(one.dimension)}<br/>{', '.join(plan.tools_of(one))}"
        lines.append(f'  {one.id}["{one.id}: {_label(one.text)}<br/>{facts}"]')
    lines += [f"  question --> {one.id}" for one in plan.subquestions if not after[one.id]]
    lines += [f"  {before} --> {later}" for before, later in reduced(ties_of(after))]
    if plan.keywords:
        ids = {keyword.name: f"k{number}" for number, keyword in enumerate(plan.keywords, start=1)}
        lines.append('  subgraph keywords["keywords"]')
        lines += [f'    {ids[keyword.name]}(["{_node(plan, keyword)}"])' for keyword in plan.keywords]
        lines += [f"    {ids[edge.before]} -- {edge.weight:g} --> {ids[edge.after]}" for edge in plan.edges]
        lines.append("  end")
    return "\n".join(lines) + "\n"


def _node(plan: ResearchPlan, keyword: Keyword) -> str:
    users = ", ".join(one.id for one in plan.subquestions if keyword.name in one.keywords)
    facts = [_label(keyword.dimension), ", ".join(keyword.tools), users]
    return "<br/>".join([_label(keyword.name), *filter(None, facts)])


def _label(text: str) -> str:
    plain = joined(text)
    return _PLAIN.sub(lambda match: f"#{ord(match[0])};", plain)
