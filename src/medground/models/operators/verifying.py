"""Verifying: does the evidence entail a statement, and does a short answer follow from the checked statements?

Source: Self-MedRAG, section on the NLI critic; Reason and Verify, section 3.4; the check of the short answer is ours.
The keyless implementations are no judges: they tell `related` from `neutral` and raise flags, never say `entails` or
`contradicts`, and cannot tell what follows from sentences.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from medground.models.operators.base import (
    EvidenceView,
    FewWords,
    InvalidOutput,
    Operator,
    OperatorInput,
    OperatorOutput,
    Untrusted,
    WeighedOutput,
)
from medground.models.operators.compare import compare
from medground.models.operators.differences import RULES
from medground.models.operators.reading import DATA_RULE
from medground.models.operators.writing import allowed_answers, answer_choices
from medground.values.question import Option, Task

Entailment = Literal["entails", "contradicts", "related", "neutral"]

FLAGS = tuple(RULES)
"""Names of differences between a statement and its source."""


class EntailInput(OperatorInput):
    statement: Untrusted
    evidence: tuple[EvidenceView, ...]
    doubts: tuple[Untrusted, ...] = ()
    """What word filters noticed about the pair."""


class EntailOutput(WeighedOutput):
    weighed: ClassVar[str] = "relation"

    relation: Entailment
    best: str | None = Field(default=None, description="id of the quote that decides it")
    flags: tuple[str, ...] = Field(
        default=(), description="kinds of difference between statement and quote; empty where there is none"
    )


def _known(value: EntailInput, output: EntailOutput) -> None:
    if output.best is not None and output.best not in {e.id for e in value.evidence}:
        raise InvalidOutput(f"unknown evidence id {output.best[:40]!r}; use only ids that are given")
    # A single quote must be the one that decides, so a small model need not name it.
    if output.best is None and output.relation in ("entails", "contradicts") and len(value.evidence) != 1:
        raise InvalidOutput(f"{output.relation!r} needs the id of the quote that decides it")
    if unknown := set(output.flags) - set(FLAGS):
        raise InvalidOutput(f"unknown flag {min(unknown)[:40]!r}; flags are {', '.join(FLAGS)}")


def _keyless(value: EntailInput) -> EntailOutput:
    found = compare(value.statement, value.evidence)
    return EntailOutput(relation="related" if found.related else "neutral", best=found.best, flags=found.flags)


entail = Operator(
    name="entail",
    instructions=(
        "Compare one statement with quoted evidence. `entails`: a careful reader of the quotes alone must accept the "
        "statement as it stands, with its numbers, direction, population and degree of certainty. `contradicts`: the "
        "quotes show that it is false. `related`: same topic, neither shown true nor false. `neutral`: they do not "
        "bear on it. Judge from the quotes, not from what you know. Name the id of the quote that decides, and flag "
        "each difference in number, unit, negation, direction, comparison order, subject, population, certainty, or "
        "cause against association. A quote that only asks, plans or supposes something does not show it. `doubts`, "
        "where given, are what simple word rules noticed; they are often wrong, so look at each and decide yourself. "
        + DATA_RULE
    ),
    input=EntailInput,
    output=EntailOutput,
    keyless=_keyless,
    check=_known,
    choices=lambda value: {"best": tuple(e.id for e in value.evidence), "flags": FLAGS},
)


class CheckAnswerInput(OperatorInput):
    question: Untrusted
    task: Task
    options: tuple[Option, ...] = ()
    sentences: tuple[Untrusted, ...]
    answer: tuple[Untrusted, ...]


class CheckAnswerOutput(OperatorOutput):
    """What the sentences answer comes before the comparison, because fields are written in their order."""

    found: tuple[str, ...] = Field(
        default=(), description="the answer that the sentences give, in the form of `answer`; empty if they give none"
    )
    relation: Literal["follows", "contradicted", "not shown"] | None = Field(
        description="how `answer` stands to the sentences; none only when it cannot be told"
    )
    reason: FewWords = Field(default="", description="why, in a few words")


def _allowed(value: CheckAnswerInput, output: CheckAnswerOutput) -> None:
    allowed = allowed_answers(value.task, value.options)
    if not allowed >= set(output.found):
        raise InvalidOutput(f"found {', '.join(output.found)[:60]!r} is not one of {', '.join(sorted(allowed))}")


check_answer = Operator(
    name="check_answer",
    instructions=(
        "A biomedical question got a short answer, and the sentences that are meant to lead to it were checked against "
        "their sources. Read the question and the sentences as if no answer had been given, and say which answer they "
        "give: `yes`, `no` or `maybe`, or the letters of the options; none if they leave it open. Use nothing that you "
        "know from elsewhere. Then compare `answer` with it. `follows`: a careful reader of the sentences alone must "
        "give this answer. `contradicted`: the sentences give another one. `not shown`: they do not decide it, or are "
        "about something else than the question. Mind negations, and questions that ask for what does not hold. Say "
        "why in a few words. " + DATA_RULE
    ),
    input=CheckAnswerInput,
    output=CheckAnswerOutput,
    keyless=lambda value: CheckAnswerOutput(relation=None),
    check=_allowed,
    choices=lambda value: {"found": answer_choices(value.task, value.options)},
)
