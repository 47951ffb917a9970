"""The contract of a critic: it takes a statement and premise passages and returns a relation with its probability.

Source: Self-MedRAG, section 3.5; Reason and Verify, section 3.1 (rationale verifier).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from medground.models.operators.base import EvidenceView
from medground.models.operators.verifying import Entailment


@dataclass(frozen=True)
class Claim:
    """A statement and the passages that it is compared with, best first. Without passages it cannot be supported.

    `doubts` are what word filters noticed about the pair, for a critic that can read them.
    """

    statement: str
    premises: tuple[EvidenceView, ...]
    doubts: tuple[str, ...] = ()


Reads = Literal["sentences", "windows", "passages"]
"""What a critic is given of a passage: each sentence, neighbouring sentences together, or the whole."""


@dataclass(frozen=True)
class Judgement:
    """A critic's judgement of one claim.

    Attributes:
        relation: `entails`, `contradicts`, `related` (same topic, not judged) or `neutral`. `unsure` means that the
            critic leans one way, but not by enough to say so. `failed` means that it gave no usable result (an error, a
            timeout, NaN): the statement is `unverified`, never supported.
        best: id of the deciding premise, or of the one with the highest entailment; None if none is close.
        probability: probability of the relation, from 0 to 1, if the critic measures it.
        entailment: highest probability of entailment over the premises, if the critic measures it.
        flags: differences from a similar premise that make the statement wrong, such as `number` or `negation`.
        note: one line for a reader; for a failure, the reason.
    """

    relation: Entailment | Literal["unsure", "failed"]
    best: str | None = None
    probability: float | None = None
    entailment: float | None = None
    flags: tuple[str, ...] = ()
    note: str = ""


def without_judge(claim: Claim) -> Judgement | None:
    """The judgement of a claim that needs no critic: it is empty, or there is no text to compare it with."""
    if not claim.statement.strip():
        return Judgement("failed", note="the statement is empty")
    if not any(premise.quote.strip() for premise in claim.premises):
        return Judgement("neutral", note="there is no text to compare it with")
    return None


def sound(claim: Claim, judgement: Judgement) -> Judgement:
    """The judgement, or a failed one if a number is not a probability or `best` is not one of the premises."""
    numbers = [number for number in (judgement.probability, judgement.entailment) if number is not None]
    if not all(0 <= number <= 1 for number in numbers):  # False for NaN
        return Judgement("failed", note="the critic returned a number that is not a probability")
    decisive = judgement.best is not None or judgement.relation in ("entails", "contradicts")
    if decisive and judgement.best not in {premise.id for premise in claim.premises}:
        return Judgement("failed", note="the critic did not name one of the passages it was given")
    return judgement


class Critic(Protocol):
    """Judges claims. One instance serves many concurrent calls."""

    @property
    def name(self) -> str:
        """The critic's name, as in `verify.trusted_judges`: `keyless`, `nli:roberta-large-mnli`, ..."""
        ...

    @property
    def reads(self) -> Reads:
        """What it is given of each passage of a context."""
        ...

    async def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """Judge claims; results are in order. A claim that cannot be judged is `failed`, with the reason.

        Raises:
            BudgetExhausted: the run reached one of its limits.
        """
        ...
