"""How well rationales are supported, over a run: the mean support score and the mean faithfulness.

The scores of one answer are `verify.scores.support_score` (S, Self-MedRAG section 3.5) and `verify.scores.faithfulness`
(Faith(R), Reason and Verify, Eq. 1); a run's line has them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from medground.evaluate.base import RunLine
from medground.evaluate.metrics.share import Mean, mean


@dataclass(frozen=True)
class SupportScores:
    """Means over answers, 0 to 1, each with how many answers have that score and how many have none.

    An answer has no score where it states nothing or nobody able has judged it: that is not a score of 0.
    """

    support: Mean
    faithfulness: Mean
    statements: Mean
    """Statements per answer."""


def support_scores(lines: Iterable[RunLine]) -> SupportScores:
    """Average the scores of a run's answers. Lines without a statement have none."""
    kept = list(lines)
    return SupportScores(
        support=mean(line.support for line in kept),
        faithfulness=mean(line.faithfulness for line in kept),
        statements=mean(float(line.statements) for line in kept),
    )
