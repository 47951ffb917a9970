"""The edges of a plan that a drawing needs: an edge that others imply is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Ties = Sequence[tuple[str, str]]


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
