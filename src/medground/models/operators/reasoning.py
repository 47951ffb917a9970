"""Reasoning: a rationale that splits the question into parts, cites sentences for each, and leads to an answer.

Source: Reason and Verify, section 3.1 (rationale generator) and appendix B (answer forms); Self-MedRAG, section 3.4
(generator with the history of earlier rounds).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from medground.models.operators.base import (
    InvalidOutput,
    Operator,
    OperatorInput,
    OperatorOutput,
    SentencedPassage,
    Untrusted,
    only_known,
    sentence_ids,
)
from medground.models.operators.reading import DATA_RULE, quotes_on_topic
from medground.models.operators.writing import answer_choices, check_answer_form, chosen_quotes
from medground.values.question import Option, Task


class Demonstration(OperatorInput):
    """A solved example (q, E, r, y): its passages or their quotes, its rationale, its answer (Reason and Verify, 4.1).

    `reference` is the known answer to an open question, in words.
    """

    question: Untrusted
    options: tuple[Option, ...] = ()
    evidence: tuple[Untrusted, ...]
    rationale: Untrusted
    reference: Untrusted = ""
    answer: tuple[str, ...]


class PastRound(OperatorInput):
    """An earlier round: what was asked, what was answered, and which statements nothing supported (history H)."""

    query: Untrusted
    passages: tuple[Untrusted, ...] = ()
    rationale: Untrusted
    answer: tuple[str, ...]
    unsupported: tuple[Untrusted, ...] = ()


class ReasonInput(OperatorInput):
    question: Untrusted
    task: Task
    options: tuple[Option, ...] = ()
    demonstrations: tuple[Demonstration, ...] = ()
    history: tuple[PastRound, ...] = ()
    passages: tuple[SentencedPassage, ...]
    sentences: int = 3


class SubClaim(OperatorOutput):
    text: str = Field(min_length=1, max_length=1200, description="one part of the reasoning, a plain sentence, no ids")
    sentences: tuple[str, ...] = Field(description="ids of the sentences that say so, such as P1.S2")


FinalAnswer = Annotated[
    tuple[str, ...],
    Field(
        description="`yes`, `no` or `maybe`; the letter or letters of the options; `answered` for an open question; "
        "empty when no passage answers it"
    ),
]


class ReasonOutput(OperatorOutput):
    claims: tuple[SubClaim, ...] = Field(description="the rationale, in order, one part of the question each")
    answer: FinalAnswer


class DirectOutput(OperatorOutput):
    """The same the other way round: fields are written in their order, so the answer comes before any reasoning."""

    answer: FinalAnswer
    claims: tuple[SubClaim, ...] = Field(description="one short sentence that says the answer")


def _fits(value: ReasonInput, output: ReasonOutput | DirectOutput) -> None:
    if not all(claim.text.strip() for claim in output.claims):
        raise InvalidOutput("a part of the rationale is empty; write it or leave it out")
    only_known((s for claim in output.claims for s in claim.sentences), sentence_ids(value.passages), "sentence")
    check_answer_form(value.task, value.options, output.answer)


def _choices(value: ReasonInput) -> dict[str, tuple[str, ...]]:
    """The sentence ids and answers that an output may hold."""
    return {"sentences": sentence_ids(value.passages), "answer": answer_choices(value.task, value.options)}


def best_quotes(value: ReasonInput, most: int) -> tuple[SubClaim, ...]:
    """At most `most` sentences quoted from the passages on topic, best first; empty if no passage is on topic."""
    chosen = chosen_quotes(value.question, quotes_on_topic(value.question, value.passages), most)
    return tuple(SubClaim(text=e.quote[:1200], sentences=(e.id,)) for e in chosen)


_ANSWERS = (
    "yes-no: `yes` or `no`; yes-no-maybe: `yes`, `no` or `maybe`; single-choice: one letter; multiple-choice: all "
    "right letters; free: `answered`. "
)
_NO_ANSWER = "Give no answer when no passage supports one. "
_FROM_PASSAGES = "Use nothing that you know from elsewhere. "
_OR_KNOWN = (
    "Where the passages are of no use for the question, answer it from what you know: such a part of the rationale has "
    "no sentence ids and names no passage. "
)

reason = Operator(
    name="reason",
    instructions=(
        "Answer a biomedical question from the passages alone, whose sentences are numbered. First take the question "
        "apart and write the rationale: for each part one short sentence that its passages state, with the ids of the "
        "sentences that state it. Weigh methods, size and significance; name findings for and against, and limits. Do "
        "not be more certain than the passages. "
        + _FROM_PASSAGES
        + "Solved examples, where given, show the form. Earlier rounds, where given, show what was not supported: find "
        "support for it or leave it out. Then give the answer that follows: " + _ANSWERS + _NO_ANSWER + DATA_RULE
    ),
    input=ReasonInput,
    output=ReasonOutput,
    keyless=lambda value: ReasonOutput(claims=best_quotes(value, value.sentences), answer=()),
    check=_fits,
    choices=_choices,
)

direct = Operator(
    name="direct",
    instructions=(
        "Answer a biomedical question from the passages alone, whose sentences are numbered. Give the answer at once: "
        + _ANSWERS
        + _NO_ANSWER
        + "Then one short sentence that says it, with the ids of the sentences that state it. "
        + _FROM_PASSAGES
        + DATA_RULE
    ),
    input=ReasonInput,
    output=DirectOutput,
    keyless=lambda value: DirectOutput(answer=(), claims=best_quotes(value, 1)),
    check=_fits,
    choices=_choices,
)

reason_or_recall = replace(
    reason,
    name="reason_or_recall",
    instructions=(
        "Answer a biomedical question with the help of the passages, whose sentences are numbered. First write a "
        "concise rationale: take the question apart, and for each part say in one short sentence how the passages bear "
        "on it, with the ids of the sentences that state it. For yes-no-maybe be critical: weigh methods, sample sizes "
        "and significance, what speaks for and against, and the limits, then judge. For yes-no be precise: state the "
        "facts that decide. "
        + _OR_KNOWN
        + "Solved examples, where given, show the form. Then give the answer that follows: "
        + _ANSWERS
        + "Give none only if neither the passages nor what you know allow one. "
        + DATA_RULE
    ),
)
"""`reason` as in appendix B, whose base instruction lets the model fall back on its own knowledge."""

direct_or_recall = replace(
    direct,
    name="direct_or_recall",
    instructions=(
        "Answer a biomedical question with the help of the passages, whose sentences are numbered. Give the answer at "
        "once: "
        + _ANSWERS
        + "Then one short sentence that says it, with the ids of the sentences that state it. "
        + _OR_KNOWN
        + DATA_RULE
    ),
)
"""`direct` with the same fallback."""
