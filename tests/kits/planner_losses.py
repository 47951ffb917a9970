"""The objectives of planning learning, in plain numbers: what the trainers of trl minimise, to be compared with them.

Source: Omni-RAG, section 4.2.3, Eq. 2 to 4. All logarithms are natural.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from medground_evaluate.planning.trainset import BETA


class PairScore(NamedTuple):
    """log M(P+ | x) and log M(P- | x), summed over the tokens of a plan, by the planner and by its reference M_SFT."""

    positive: float
    negative: float
    reference_positive: float
    reference_negative: float


def sft_loss(log_probabilities: Sequence[float]) -> float:
    """Eq. 2: minus the mean of `log M(P+ | x)` over questions, each summed over the tokens of its plan."""
    return -math.fsum(log_probabilities) / len(log_probabilities)


def reward(log_probability: float, reference: float, *, beta: float = BETA) -> float:
    """Eq. 4: `r(x, P) = beta * log(M(P | x) / M_SFT(P | x))`."""
    return beta * (log_probability - reference)


def dpo_loss(pairs: Sequence[PairScore], *, beta: float = BETA) -> float:
    """Eq. 3: minus the mean of `log sigmoid(r(x, P+) - r(x, P-))` over pairs."""
    margins = [
        reward(pair.positive, pair.reference_positive, beta=beta)
        - reward(pair.negative, pair.reference_negative, beta=beta)
        for pair in pairs
    ]
    return math.fsum(math.log1p(math.exp(-margin)) for margin in margins) / len(pairs)
