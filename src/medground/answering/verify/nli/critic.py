"""The critic that uses an NLI model."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from medground.answering.run import Run
from medground.answering.verify.critic import Claim, Judgement, Reads, without_judge
from medground.errors import ModelFailed
from medground.models.operators.base import EvidenceView


@dataclass(frozen=True)
class Score:
    """Highest probabilities over the windows of a premise; NaN if any window gave a value that is not finite."""

    entailment: float
    contradiction: float


_STOPPED = "the model took too long; allow more time with --set model.timeout=N"


class Scorer(Protocol):
    """What scores pairs of premise and hypothesis, such as an `NliModel`."""

    def problem(self, statement: str) -> str | None:
        """Why the model cannot judge a statement, or None."""
        ...

    def score(self, pairs: Sequence[tuple[str, str]], stopped: Callable[[], bool]) -> list[Score]:
        """Score pairs in order; NaN once `stopped` is true.

        Raises:
            ModelFailed: the network could not run.
        """
        ...


class NliCritic:
    """Judges all claims together, in a thread.

    It may take `model.timeout` seconds per claim, like a critic that is asked one claim at a time. After that time, or
    if the caller is cancelled, it stops after the current batch.
    """

    def __init__(self, run: Run, name: str, model: Scorer) -> None:
        self._run = run
        self._name = name
        self._model = model

    @property
    def name(self) -> str:
        """`nli:` and the model's name or folder."""
        return self._name

    @property
    def reads(self) -> Reads:
        """Whole passages, in windows of the model's length."""
        return "passages"

    async def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """Judge claims; results are in order."""
        without_model = [without_judge(claim) for claim in claims]
        waiting = [claim for claim, judgement in zip(claims, without_model, strict=True) if judgement is None]
        with self._run.trace.span("critic", critic=self._name, claims=len(claims), judged=len(waiting)):
            found = iter(await self._judged(waiting) if waiting else [])
        return [next(found) if judgement is None else judgement for judgement in without_model]

    async def _judged(self, claims: Sequence[Claim]) -> list[Judgement]:
        stop = threading.Event()
        try:
            async with asyncio.timeout(self._run.settings.model.timeout * len(claims)):
                found = await asyncio.to_thread(self._read, claims, stop)
        except TimeoutError:
            found = [Judgement("failed", note=_STOPPED)] * len(claims)
        except ModelFailed as failed:
            found = [Judgement("failed", note=failed.reason)] * len(claims)
        finally:
            stop.set()
        for reason in dict.fromkeys(j.note for j in found if j.relation == "failed"):
            self._run.warn(f"a sentence could not be verified: {self._name}: {reason}")
        return found

    def _read(self, claims: Sequence[Claim], stop: threading.Event) -> list[Judgement]:
        problems = [self._model.problem(claim.statement) for claim in claims]
        premises = [[] if problem else self._near(claim) for claim, problem in zip(claims, problems, strict=True)]
        pairs = [(p.quote, claim.statement) for claim, near in zip(claims, premises, strict=True) for p in near]
        scores = iter(self._model.score(pairs, stop.is_set))
        return [
            Judgement("failed", note=problem)
            if problem
            else self._final(self._decide(claim, near, [next(scores) for _ in near]))
            for claim, near, problem in zip(claims, premises, problems, strict=True)
        ]

    def _near(self, claim: Claim) -> list[EvidenceView]:
        return [premise for premise in claim.premises if premise.quote.strip()]

    def _decide(self, claim: Claim, premises: Sequence[EvidenceView], scores: Sequence[Score]) -> Judgement:
        """The judgement of a claim that the scores of the premises that were read give."""
        verify = self._run.settings.verify
        return decide(premises, scores, verify.entailment, overruled=verify.contradiction)

    def _final(self, judgement: Judgement) -> Judgement:
        """What the critic says of a judgement."""
        return judgement


def decide(
    premises: Sequence[EvidenceView], scores: Sequence[Score], tau: float, *, overruled: bool = True
) -> Judgement:
    """Judge one statement from the scores of its premises, at least one.

    Contradiction decides if it reaches tau and is above the highest entailment; otherwise entailment decides if it
    reaches tau. If both reach tau, the note names both premises. The probability of neutral is one minus the higher of
    the two. Without `overruled`, entailment that reaches tau decides, however high the contradiction: the paper's rule.
    """
    if not all(math.isfinite(s.entailment) and math.isfinite(s.contradiction) for s in scores):
        return Judgement("failed", note="the model returned a value that is not a finite number")
    numbers = range(len(scores))
    near = max(numbers, key=lambda i: (scores[i].entailment, -i))
    against = max(numbers, key=lambda i: (scores[i].contradiction, -i))
    entailment, contradiction = scores[near].entailment, scores[against].contradiction
    both = f"entailed by {premises[near].id} ({entailment:.2f}), contradicted by {premises[against].id}"
    note = f"{both} ({contradiction:.2f})" if min(entailment, contradiction) >= tau else ""
    if contradiction >= tau and contradiction > entailment and (overruled or entailment < tau):
        return Judgement("contradicts", premises[against].id, contradiction, entailment, note=note)
    if entailment >= tau:
        return Judgement("entails", premises[near].id, entailment, entailment, note=note)
    return Judgement("neutral", premises[near].id, 1 - max(entailment, contradiction), entailment)
