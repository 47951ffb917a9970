"""What a network says of a premise."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Score:
    """Highest probabilities over the windows of a premise; NaN if any window gave a value that is not finite."""

    entailment: float
    contradiction: float
