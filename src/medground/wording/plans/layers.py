"""A small layered layout: nodes in columns from left to right, in an order with few crossings.

After Sugiyama, Tagawa and Toda (1981): layers by the longest way, points on long edges, and barycentres.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

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
