"""The critic that is an operator: a language model as NLI judge, or keyless words when no model is named.

Source: Self-MedRAG, section 3.5 (LLM based verification).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from medground.errors import ModelFailed
from medground.operators.verifying import EntailInput, entail
from medground.run import Run
from medground.verify.critics.base import Claim, Judgement


class OperatorCritic:
    """Asks the operator `entail`, one call per claim, all at once."""

    def __init__(self, run: Run) -> None:
        self._run = run

    @property
    def name(self) -> str:
        """The model that answers `entail`."""
        return self._run.models.of(entail.name).name

    async def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """One judgement per claim, in order.

        Raises:
            BudgetExhausted: a limit of the run was reached.
        """
        return list(await asyncio.gather(*(self._one(claim) for claim in claims)))

    async def _one(self, claim: Claim) -> Judgement:
        if not claim.premises:
            return Judgement("neutral", note="nothing to compare it with")
        try:
            output = await self._run.ask(entail, EntailInput(statement=claim.statement, evidence=claim.premises))
        except ModelFailed as failed:
            self._run.warn(f"a sentence could not be verified: {failed}")
            return Judgement("failed", note=failed.reason)
        return Judgement(output.relation, best=output.best, flags=output.flags)
