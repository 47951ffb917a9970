"""The critic that ships with the package, once `medground models fetch` has made it.

It was measured on statements beside a few neighbouring sentences of an abstract, so that is what it is given: the
windows of each passage that tell most (`telling`). The quote that an answer shows is a window that it read. It says
nothing below the probability at which it was right often enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from medground.errors import ConfigError
from medground.operators.views import EvidenceView
from medground.run import Run
from medground.verify.critics.base import Claim, Judgement, Reads
from medground.verify.critics.nli.critic import NliCritic
from medground.verify.critics.nli.score import Score
from medground.verify.critics.telling import of_passages, on_subject, telling
from medground.verify.judges import domain

if TYPE_CHECKING:
    from medground.models.pairs.network import PairNetwork

_SAID = {"entails": "supports", "contradicts": "contradicts"}
_OFF_SUBJECT = "no text that was found names what the statement is about; this is the nearest"
_OPPOSED = "another text that was read says the opposite, less clearly"


class TrainedCritic(NliCritic):
    """Judges claims with a shipped network, in a thread.

    Args:
        run: the run, for its settings and trace.
        scorer: the network.
    """

    def __init__(self, run: Run, scorer: PairScorer) -> None:
        super().__init__(run, scorer.name, scorer)
        self._least = scorer.least

    @property
    def reads(self) -> Reads:
        """Neighbouring sentences."""
        return "windows"

    async def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """Judge claims; results are in order. Where it says anything, the answer tells what it was measured on."""
        found = await super().judge(claims)
        on = domain(self.name)
        if on and any(judgement.relation in _SAID for judgement in found):
            self._run.warn(f"{self.name} was measured on {on}; it may be wrong more often on other texts")
        return found

    def _near(self, claim: Claim) -> list[EvidenceView]:
        return telling(claim.statement, on_subject(claim.statement, super()._near(claim)))

    def _decide(self, claim: Claim, premises: Sequence[EvidenceView], scores: Sequence[Score]) -> Judgement:
        if not premises:
            nearest = telling(claim.statement, super()._near(claim))[0]
            return Judgement("unsure", nearest.id, note=_OFF_SUBJECT)
        return super()._decide(claim, *of_passages(premises, scores))

    def _final(self, judgement: Judgement) -> Judgement:
        said = _SAID.get(judgement.relation)
        if said is None or judgement.probability is None:
            return judgement
        if judgement.probability >= self._least:
            return replace(judgement, note=_OPPOSED if judgement.note else "")
        note = (
            f"{self.name} is not sure enough to judge: it {said} with a probability of {judgement.probability:.0%}, "
            f"and counts from {self._least:.0%}"
        )
        return Judgement("unsure", judgement.best, note=note)


class PairScorer:
    """A shipped network as the source of the two scores that a critic needs.

    Attributes:
        name: as in the settings.
        least: probability below which nothing is said.

    Args:
        network: the network.
        judges_from: the same, of its card; the higher of its own and this counts.

    Raises:
        ConfigError: its labels do not name entailment and contradiction.
    """

    def __init__(self, network: PairNetwork, judges_from: float = 0.0) -> None:
        from medground.verify.critics.nli.labels import read_labels

        self.name, self._network = network.name, network
        self.least = max(network.about.abstain_below, judges_from)
        labels = read_labels(network.name, dict(enumerate(network.about.labels)))
        if labels.contradiction is None:
            raise ConfigError(f"the weights of {network.name} tell no contradictions; reinstall medground")
        self._places = labels.entailment, labels.contradiction

    def problem(self, statement: str) -> str | None:
        """Why the model cannot judge a statement, or None."""
        return self._network.problem(statement)

    def score(self, pairs: Sequence[tuple[str, str]], stopped: Callable[[], bool] = lambda: False) -> list[Score]:
        """Score pairs of premise and hypothesis; results are in order. This blocks.

        Raises:
            ModelFailed: the network could not run.
        """
        entailment, contradiction = self._places
        found = self._network.probabilities(pairs, stopped)
        return [Score(float(row[entailment]), float(row[contradiction])) for row in found]


def open_trained(name: str, models: Path) -> PairScorer:
    """Open a shipped critic, once.

    Raises:
        ConfigError: it was not fetched, an extra is missing, or a file is damaged.
    """
    from medground.models.pairs.make import made

    folder, card = made(name, models)
    return _opened(name, folder, card.judges_from)


@lru_cache(maxsize=2)
def _opened(name: str, folder: Path, judges_from: float) -> PairScorer:
    from medground.models.pairs.network import open_network

    return PairScorer(open_network(name, folder), judges_from)
