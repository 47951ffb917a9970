"""Breaking cycles: a graph that a model wrote becomes acyclic, and loses as little as it can.

Source: BioMedSearch, section III.A: the graph of keywords is acyclic (Eq. 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from medground.research_plan import Edge


def acyclic(edges: Sequence[Edge]) -> tuple[list[Edge], list[Edge]]:
    """The edges without cycles, and those that were removed: of each cycle the weakest edge, of equals the last one.

    A removed edge is the weakest of a cycle that all stronger edges and it would close.
    """
    kept, removed = list(edges), list[Edge]()
    while cycle := _cycle(kept):
        steps = set(pairwise(cycle))
        on_it = [n for n, edge in enumerate(kept) if (edge.before, edge.after) in steps]
        removed.append(kept.pop(min(on_it, key=lambda n: (kept[n].weight, -n))))
    return kept, removed


def _cycle(edges: Sequence[Edge]) -> list[str]:
    """The nodes of one cycle, from a node to itself; empty where there is none."""
    befores: dict[str, set[str]] = {}
    for edge in edges:
        befores.setdefault(edge.after, set()).add(edge.before)
    try:
        TopologicalSorter({after: sorted(before) for after, before in sorted(befores.items())}).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []
