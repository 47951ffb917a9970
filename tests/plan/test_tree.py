"""SeRTS as a tree: selection by UCT, expansion, backpropagation."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from medground.recipes.omni_rag.improving import ROOT, SIBLINGS, Tried, Worth, backpropagated, expansion, selected
from medground.values.source_plan import SourcePlan, SourceQuery


def _grown(scores: Sequence[int]) -> list[Tried]:
    """The tree that grows if plans get these scores in turn."""
    tried: list[Tried] = []
    for number, score in enumerate(scores, start=1):
        plan = SourcePlan(queries={"book": (SourceQuery(text=f"query {number}"),)})
        tried.append(Tried(number=number, parent=expansion(tried).parent, plan=plan, score=score))
    return tried


def test_every_score_is_told_to_all_plans_above_it() -> None:
    tried = _grown([2, 4, 1, 3, 5])
    assert [one.parent for one in tried[3:]] == [2, 2]
    worth = backpropagated(tried)
    assert worth[2] == Worth(3, 4 + 3 + 5)
    assert worth[4] == Worth(1, 3)
    assert worth[ROOT] == Worth(5, 2 + 4 + 1 + 3 + 5)
    assert (worth[ROOT].mean, Worth().mean) == (15 / 25, 0.0)


def test_selection_is_uct_by_hand() -> None:
    tried = _grown([3, 3, 3, 0, 0])
    assert [one.parent for one in tried[3:]] == [1, 2]
    # After five rounds: plans 1 and 2 have two visits and mean 0.3, plan 3 has one visit and mean 0.6.
    twice, once = 0.3 + 0.5 * math.sqrt(math.log(5) / 2), 0.6 + 0.5 * math.sqrt(math.log(5))
    assert expansion(_grown([2, 2, 2])).parent == 1  # of equals the earlier
    uct = {1: twice, 2: twice, 3: once}
    assert selected(tried, backpropagated(tried)) == max(uct, key=lambda number: uct[number]) == 3


@given(st.lists(st.integers(0, 4), min_size=1, max_size=8))
def test_any_tree_is_bounded_and_repeatable(scores: list[int]) -> None:
    tried = _grown(scores)
    assert tried == _grown(scores)
    parents = [one.parent for one in tried]
    assert all(parent < one.number for parent, one in zip(parents, tried, strict=True))
    assert max(parents.count(parent) for parent in parents) <= SIBLINGS
    worth = backpropagated(tried)
    assert worth[ROOT].visits == len(tried)
    assert worth[ROOT].total == sum(scores)
