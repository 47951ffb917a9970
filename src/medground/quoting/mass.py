"""Strengths of several sentences together.

The weights are learned so that the softmax of the strengths is the probability that a sentence is the best quote
(`scripts/train_reader.py`). Probabilities of different sentences add up: those of a document, or of two neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Iterable


def log_sum(strengths: Iterable[float]) -> float:
    """The logarithm of the summed exponentials; minus infinity for none."""
    values = list(strengths)
    most = max(values, default=-math.inf)
    return most + math.log(sum(math.exp(value - most) for value in values)) if math.isfinite(most) else most
