"""How well the rationales of a run are supported: the mean support score and the mean faithfulness.

The scores of one answer come from `verify.scores.support_score` (S, Self-MedRAG section 3.5) and
`verify.scores.faithfulness` (Faith(R), Reason and Verify, Eq. 1) and are stored in the run's lines.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from medground.evaluate.base import RunLine
from medground.evaluate.metrics.share import Mean, mean


@dataclass(frozen=True)
class SupportScores:
    """Means over answers, 0 to 1, each with the number of answers that have and do not have that score.

    An answer without statements, or not assessed by a validated judge, has no score, which differs from a score of 0.
    """

    support: Mean
    faithfulness: Mean
    statements: Mean
    """Statements per answer."""


def support_scores(lines: Iterable[RunLine]) -> SupportScores:
    """Average the scores of a run's answers. Lines without statements have no score."""
    kept = list(lines)
    return SupportScores(
        support=mean(line.support for line in kept),
        faithfulness=mean(line.faithfulness for line in kept),
        statements=mean(float(line.statements) for line in kept),
    )
