"""The critic that `verify.critic` names: an operator, labels alone, an NLI model, or the network that ships."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from pathlib import Path

from medground.answering.run import Run
from medground.answering.verify.critic import Claim, Critic, Judgement, Reads, Scorer, without_judge
from medground.answering.verify.judges import NLI, OPERATOR
from medground.answering.verify.nli_critic import NliCritic, open_nli
from medground.answering.verify.trained_critic import PairScorer, TrainedCritic, open_trained
from medground.errors import ConfigError, ModelFailed
from medground.models.catalogue import shipped
from medground.models.operators.verifying import EntailInput, EntailOutput, entail, label
from medground.values.steps import Judging
from medground.values.usage import Author


class OperatorCritic:
    """Asks the operator `entail`, one call per claim, all at once.

    Claims for which its server was too busy are asked once more, one after the other: a server that limits the rate of
    calls often refuses only some of many at once. The first one that fails again ends that.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self.name = run.models.of(entail.name).name
        # Word statistics compare sentences; a model reads whole passages.
        self.reads: Reads = "passages" if Author(self.name).is_model else "sentences"

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
        for failed in (judgement for judgement in found if isinstance(judgement, ModelFailed)):
            self._run.warn(f"a sentence could not be verified: {failed}")
        return [Judgement("failed", note=j.reason) if isinstance(j, ModelFailed) else j for j in found]

    async def _one(self, claim: Claim) -> Judgement | ModelFailed:
        if judgement := without_judge(claim):
            return judgement
        value = EntailInput(statement=claim.statement, evidence=claim.premises, doubts=claim.doubts)
        try:
            output = await self._run.ask(entail, value)
        except ModelFailed as failed:
            return failed
        return judgement_of(claim, output, self._run.settings.verify.entailment)


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


class LabelsOnly:
    """Leaves every claim to the model that answers the operator `label`."""

    reads: Reads = "passages"

    def __init__(self, run: Run) -> None:
        self.name = run.models.of(label.name).name

    async def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """No relation for any claim; results are in order."""
        return [without_judge(claim) or Judgement("unsure") for claim in claims]


LABELS = "label"


def open_critic(run: Run) -> Critic:
    """Open the critic that the run's settings name. A model is loaded on first use, or earlier by `check_critic`.

    Raises:
        ConfigError: no critic has that name, an extra is missing, or the model is not an NLI model.
    """
    name = run.settings.verify.critic
    if name == LABELS:
        return LabelsOnly(run)
    model = check_critic(name, run.settings.home / "models")
    if isinstance(model, PairScorer):
        return TrainedCritic(run, model)
    return OperatorCritic(run) if model is None else NliCritic(run, name, model)


def check_critic(name: str, models: Path) -> Scorer | None:
    """Load the model of a critic, once. Returns None for an operator, whose model is opened with the others.

    This blocks: call it in a thread, before anything is paid for.

    Raises:
        ConfigError: see `open_critic`.
    """
    if name in (OPERATOR, LABELS):
        return None
    ours = list(shipped())
    if name in ours:
        return open_trained(name, models)
    if not name.startswith(NLI) or not name.removeprefix(NLI).strip():
        known = "`, `".join([OPERATOR, LABELS, *ours])
        raise ConfigError(f"unknown critic {name!r}; set verify.critic to `{known}` or `nli:` and a folder or hub name")
    return open_nli(name.removeprefix(NLI).strip())
