"""No critic: statements get the eight labels and nothing else.

Source: Reason and Verify, Algorithm 1, line 13: labels are the only verification.
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.operators.labelling import label
from medground.run import Run
from medground.verify.critics.base import Claim, Judgement, Reads, without_judge


class LabelsOnly:
    """Leaves every claim to whoever answers the operator `label`."""

    def __init__(self, run: Run) -> None:
        self._run = run

    @property
    def name(self) -> str:
        """The model that answers `label`."""
        return self._run.models.of(label.name).name

    @property
    def reads(self) -> Reads:
        """A labeller is given whole passages."""
        return "passages"

    async def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """No relation for any claim; results are in order."""
        return [without_judge(claim) or Judgement("unsure") for claim in claims]
