"""The objectives of planning learning, in plain numbers: what the trainers of trl minimise, to be compared with them.

Source: Omni-RAG, section 4.2.3, Eq. 2 to 4. All logarithms are natural.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from medground_evaluate.planning.trainset import BETA


@dataclass(frozen=True)
class PairScore:
    """Log-probabilities of the two plans of a question, summed over the tokens of each plan.

    Attributes:
        positive: log M(P+ | x) by the planner that is trained.
        negative: log M(P- | x) by the planner that is trained.
        reference_positive: log M_SFT(P+ | x), by the planner after supervised fine-tuning.
        reference_negative: log M_SFT(P- | x).
    """

    positive: float
    negative: float
    reference_positive: float
    reference_negative: float


def sft_loss(log_probabilities: Sequence[float]) -> float:
    """Eq. 2: minus the mean of `log M(P+ | x)` over questions, each summed over the tokens of its plan.

    Raises:
        ValueError: there is no question.
    """
    if not log_probabilities:
        raise ValueError("the loss of no question is not defined")
    return -math.fsum(log_probabilities) / len(log_probabilities)


def reward(log_probability: float, reference: float, *, beta: float = BETA) -> float:
    """Eq. 4: `r(x, P) = beta * log(M(P | x) / M_SFT(P | x))`."""
    return beta * (log_probability - reference)


def dpo_loss(pairs: Sequence[PairScore], *, beta: float = BETA) -> float:
    """Eq. 3: minus the mean of `log sigmoid(r(x, P+) - r(x, P-))` over pairs.

    Raises:
        ValueError: there is no pair.
    """
    if not pairs:
        raise ValueError("the loss of no pair is not defined")
    return -math.fsum(_log_sigmoid(margin(pair, beta=beta)) for pair in pairs) / len(pairs)


def margin(pair: PairScore, *, beta: float = BETA) -> float:
    """`r(x, P+) - r(x, P-)`: above 0 where the planner prefers the positive plan more than it did before."""
    positive = reward(pair.positive, pair.reference_positive, beta=beta)
    return positive - reward(pair.negative, pair.reference_negative, beta=beta)


def _log_sigmoid(x: float) -> float:
    """`log(1 / (1 + exp(-x)))` without overflow."""
    return -math.log1p(math.exp(-x)) if x >= 0 else x - math.log1p(math.exp(x))
