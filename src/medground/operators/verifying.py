"""Verifying: does the evidence entail a statement, contradict it, or say nothing about it?

Source: Self-MedRAG, section on the NLI critic; Reason and Verify, section 3.4. The keyless implementation is no judge:
it tells `related` from `neutral` and raises flags, and never says `entails` or `contradicts`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from medground.operators.base import InvalidOutput, Operator, OperatorInput, OperatorOutput, Untrusted
from medground.operators.keyless import flags as keyless
from medground.operators.reading import DATA_RULE
from medground.operators.views import EvidenceView

Relation = Literal["entails", "contradicts", "related", "neutral"]


class EntailInput(OperatorInput):
    statement: Untrusted
    evidence: tuple[EvidenceView, ...]


class EntailOutput(OperatorOutput):
    relation: Relation
    best: str | None = Field(default=None, description="id of the quote that decides it")
    flags: tuple[str, ...] = Field(
        default=(), description="differences between statement and quote, in a word or two each: number, negation, ..."
    )


def _known(value: EntailInput, output: EntailOutput) -> None:
    if output.best is not None and output.best not in {e.id for e in value.evidence}:
        raise InvalidOutput(f"unknown evidence id {output.best[:40]!r}; use only ids that are given")
    if output.best is None and output.relation in ("entails", "contradicts"):
        raise InvalidOutput(f"{output.relation!r} needs the id of the quote that decides it")


def _keyless(value: EntailInput) -> EntailOutput:
    found = keyless.compare(value.statement, value.evidence)
    return EntailOutput(relation="related" if found.related else "neutral", best=found.best, flags=found.flags)


entail = Operator(
    name="entail",
    instructions=(
        "Compare one statement with quoted evidence. `entails`: a careful reader of the quotes alone must accept the "
        "statement as it stands, with its numbers, direction, population and degree of certainty. `contradicts`: the "
        "quotes show that it is false. `related`: same topic, neither shown true nor false. `neutral`: they do not "
        "bear on it. Judge from the quotes, not from what you know. Name the id of the quote that decides, and flag "
        "each difference in number, negation, direction, comparison, population, certainty, or cause against "
        "association. " + DATA_RULE
    ),
    input=EntailInput,
    output=EntailOutput,
    keyless=_keyless,
    check=_known,
)
