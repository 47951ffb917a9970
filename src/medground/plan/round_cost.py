"""What planning has spent, and whether another round would still leave enough of the budget for the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from medground.run import Run

Spent = Mapping[str, float | None]
"""What a run has spent by the names of the limits; None where it is unknown."""


def spent_so_far(run: Run) -> Spent:
    """What the run has spent until now; its seconds are those of its own clock."""
    used = run.usage
    price = None if used.price is None else float(used.price)
    return {"tokens": used.tokens, "calls": used.model_calls, "seconds": run.seconds, "money": price}


def limit_near(spent: Sequence[Spent], run: Run) -> str:
    """The limit that another round as dear as the dearest so far would bring too near; empty if none.

    As much again as that round is left for the answer. `spent` is before the first round, then after each.
    """
    for name, now in spent[-1].items():
        allowed = getattr(run.settings.budget, name)
        dearest = max((after[name] or 0.0) - (before[name] or 0.0) for before, after in pairwise(spent))
        if allowed is not None and now is not None and float(allowed) - now < 2 * dearest:
            return name
    return ""
