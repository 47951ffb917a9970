"""The critic that asks an operator: a language model as NLI judge, or word statistics if no model is set.

Source: Self-MedRAG, section 3.5 (LLM based verification). The probability comes from the log-probabilities of the word
that states the relation, if the model's server returns them.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence

from medground.author import Author
from medground.errors import ModelFailed
from medground.operators.verifying import EntailInput, EntailOutput, entail
from medground.run import Run
from medground.steps import Judging
from medground.verify.critics.base import Claim, Judgement, Reads, without_judge


class OperatorCritic:
    """Asks the operator `entail`, one call per claim, all at once.

    Claims for which its server was too busy are asked once more, one after the other: a server that limits the rate of
    calls often refuses only some of many at once. The first one that fails again ends that.
    """

    def __init__(self, run: Run) -> None:
        self._run = run

    @property
    def name(self) -> str:
        """The model that answers `entail`."""
        return self._run.models.of(entail.name).name

    @property
    def reads(self) -> Reads:
        """Word statistics compare sentences; a model reads whole passages."""
        return "passages" if Author(self.name).is_model else "sentences"

    async def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """Judge claims; results are in order.

        Raises:
            BudgetExhausted: the run reached one of its limits.
        """
        done = itertools.count(1)

        async def one(claim: Claim) -> Judgement | ModelFailed:
            judgement = await self._one(claim)
            self._run.on_step(Judging(done=next(done), of=len(claims)))
            return judgement

        found = list(await asyncio.gather(*map(one, claims)))
        for number, judgement in enumerate(found):
            if isinstance(judgement, ModelFailed) and judgement.busy:
                found[number] = again = await self._one(claims[number])
                if isinstance(again, ModelFailed):
                    break
        return [self._failed(j) if isinstance(j, ModelFailed) else j for j in found]

    async def _one(self, claim: Claim) -> Judgement | ModelFailed:
        if judgement := without_judge(claim):
            return judgement
        value = EntailInput(statement=claim.statement, evidence=claim.premises, doubts=claim.doubts)
        try:
            output = await self._run.ask(entail, value)
        except ModelFailed as failed:
            return failed
        return judgement_of(claim, output, self._run.settings.verify.entailment)

    def _failed(self, failed: ModelFailed) -> Judgement:
        self._run.warn(f"a sentence could not be verified: {failed}")
        return Judgement("failed", note=failed.reason)


def judgement_of(claim: Claim, output: EntailOutput, tau: float) -> Judgement:
    """The operator's judgement; one with a known probability below tau counts as `related`."""
    probability = output.probabilities.get(output.relation)
    best = output.best
    if output.relation in ("entails", "contradicts"):
        best = best or claim.premises[0].id  # may be omitted for a single premise
        if probability is not None and probability < tau:
            note = f"{output.relation} with a probability of {probability:.2f}, below {tau:g}"
            return Judgement("related", best, entailment=output.probabilities.get("entails"), note=note)
    return Judgement(
        output.relation, best, probability, entailment=output.probabilities.get("entails"), flags=output.flags
    )
