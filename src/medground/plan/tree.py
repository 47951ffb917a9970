"""SeRTS: a tree of plans. Each round selects a plan, writes a child of it, rates it, and tells all plans above it.

Source: Omni-RAG, appendix D.3, after Hu et al. (2024). Nothing is random: of equals the earlier plan is selected.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from medground.described import SourceDescription
from medground.operators.rating import MOST_POINTS
from medground.plan.rounds import Place, Tried, search_for_plan
from medground.plan.sources import ReadPlan
from medground.question import Question
from medground.run import Run

ROOT = 0
"""The question alone, of which the first plans are children."""
SIBLINGS = 3
"""Most children of a plan: with eight rounds, the tree gets two levels of siblings and the start of a third."""
EXPLORATION = 0.5
"""Weight of the second term of UCT, for scores from 0 to 1: eight rounds leave little to explore."""


@dataclass(frozen=True)
class Worth:
    """What backpropagation has told a plan: how many plans of its subtree were rated, and the sum of their scores."""

    visits: int = 0
    total: float = 0.0

    @property
    def mean(self) -> float:
        """Mean score of the subtree, 0 to 1."""
        return self.total / self.visits / MOST_POINTS if self.visits else 0.0


async def serts(question: Question, sources: tuple[SourceDescription, ...], run: Run) -> ReadPlan:
    """The best-scored plan of a tree of at most `omni_rag.rounds` (eight); the paper does not say which it returns."""
    return await search_for_plan(question, sources, run, expansion)


def expansion(tried: Sequence[Tried]) -> Place:
    """Where the next plan grows: below the selected one, with the feedback on its ancestors and beside its siblings."""
    parent = selected(tried, backpropagated(tried))
    return Place(feedback=_line(tried, parent), siblings=_children(tried, parent), parent=parent)


def backpropagated(tried: Sequence[Tried]) -> Mapping[int, Worth]:
    """What each plan has learnt from its subtree: every score is told to the plan itself and to all plans above it."""
    worth: dict[int, Worth] = {}
    for one in tried:
        for number in (ROOT, *(above.number for above in _line(tried, one.number))):
            known = worth.get(number, Worth())
            worth[number] = Worth(known.visits + 1, known.total + (one.score or 0))
    return worth


def selected(tried: Sequence[Tried], worth: Mapping[int, Worth]) -> int:
    """The plan to expand: from the root down along the best UCT, to the first plan with room for a child.

    UCT is the mean score of the subtree plus `EXPLORATION * sqrt(ln visits of the parent / visits)`.
    """
    at = ROOT
    while len(children := _children(tried, at)) >= SIBLINGS:
        above = worth[at].visits
        at = max(children, key=lambda one: (_uct(worth[one.number], above), -one.number)).number
    return at


def _uct(worth: Worth, above: int) -> float:
    return worth.mean + EXPLORATION * math.sqrt(math.log(above) / worth.visits)


def _children(tried: Sequence[Tried], parent: int) -> tuple[Tried, ...]:
    return tuple(one for one in tried if one.parent == parent)


def _line(tried: Sequence[Tried], number: int) -> tuple[Tried, ...]:
    """A plan and its ancestors, the oldest first."""
    by_number = {one.number: one for one in tried}
    line: list[Tried] = []
    while number != ROOT:
        line.insert(0, by_number[number])
        number = by_number[number].parent
    return tuple(line)
