"""The contract of a critic: premise passages and a statement in, a relation with its probability out.

Source: Self-MedRAG, section 3.5; Reason and Verify, section 3.1 (rationale verifier).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from medground.operators.verifying import Entailment
from medground.operators.views import EvidenceView


@dataclass(frozen=True)
class Claim:
    """A statement and the passages that it is compared with, best ranked first. No passages: nothing can support it."""

    statement: str
    premises: tuple[EvidenceView, ...]


@dataclass(frozen=True)
class Judgement:
    """What a critic says of one claim.

    Attributes:
        relation: `entails`, `contradicts`, `related` (same topic, not judged), `neutral`; `failed` when the critic gave
            nothing usable (an error, a time-out, a number that is none): it is then `unverified`, never supported.
        best: id of the premise with the highest entailment, or of the one that decides; None where none is near.
        probability: of the relation, in 0..1, where the critic measures one.
        entailment: highest probability of entailment over the premises, where the critic measures one.
        flags: differences that make a lookalike wrong, such as `number` or `negation`.
        note: one line for a reader; the reason of a failure.
    """

    relation: Entailment | Literal["failed"]
    best: str | None = None
    probability: float | None = None
    entailment: float | None = None
    flags: tuple[str, ...] = ()
    note: str = ""


def without_judge(claim: Claim) -> Judgement | None:
    """The judgement on a claim that needs no critic: nothing is stated, or there is nothing to compare it with."""
    if not claim.statement.strip():
        return Judgement("failed", note="the statement is empty")
    if not any(premise.quote.strip() for premise in claim.premises):
        return Judgement("neutral", note="nothing to compare it with")
    return None


def sound(claim: Claim, said: Judgement) -> Judgement:
    """The judgement; a failed one where a number is no probability or a premise was not given: no proof is in that."""
    numbers = [number for number in (said.probability, said.entailment) if number is not None]
    if not all(0 <= number <= 1 for number in numbers):  # NaN is not
        return Judgement("failed", note="the critic gave a number that is no probability")
    decisive = said.best is not None or said.relation in ("entails", "contradicts")
    if decisive and said.best not in {premise.id for premise in claim.premises}:
        return Judgement("failed", note="the critic names no passage that it was given")
    return said


class Critic(Protocol):
    """Judges claims. One instance serves many concurrent calls."""

    @property
    def name(self) -> str:
        """Who judges, as `verify.trusted_judges` names it too: `keyless`, `nli:roberta-large-mnli`, ..."""
        ...

    async def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """One judgement per claim, in order. A claim that cannot be judged is `failed`, with the reason.

        Raises:
            BudgetExhausted: a limit of the run was reached.
        """
        ...
