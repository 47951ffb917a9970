"""Answering without evidence, and finding the gaps of an answer: the baselines' operators.

Source: PubMed Reasoner, section 4.2 and appendix D (LLM and self-reflection baselines).
"""

from __future__ import annotations

from pydantic import Field

from medground.operators.base import FewWords, Operator, OperatorInput, OperatorOutput, Untrusted
from medground.operators.keyless import critique, drafting
from medground.operators.reading import DATA_RULE
from medground.operators.summarising import ObservationView
from medground.operators.writing import WriteOutput, check_written, written_choices
from medground.question import Option, Task


class RecallInput(OperatorInput):
    question: Untrusted
    task: Task
    options: tuple[Option, ...] = ()


def _no_citation(value: RecallInput, output: WriteOutput) -> None:
    check_written(value.task, value.options, set(), output)


recall = Operator(
    name="recall",
    instructions=(
        "Answer a biomedical question from what you know; there is no evidence to cite, so every list of ids stays "
        "empty. First a rationale of a few short sentences, then the answer in the form of the task: yes-no: `yes` or "
        "`no`; yes-no-maybe: `yes`, `no` or `maybe`; single-choice: one letter; multiple-choice: all right letters; "
        "free: `answered`. Give no answer when you do not know. " + DATA_RULE
    ),
    input=RecallInput,
    output=WriteOutput,
    keyless=lambda value: WriteOutput(sentences=(), answer=()),
    check=_no_citation,
    choices=lambda value: written_choices(value.task, value.options, ()),
)


MOST_GAPS = 8
"""Without a limit, a weak model lists gaps until its output is cut off."""


class ReflectInput(OperatorInput):
    question: Untrusted
    answer: Untrusted
    summary: tuple[ObservationView, ...]
    history: tuple[Untrusted, ...]


class ReflectOutput(OperatorOutput):
    gaps: tuple[FewWords, ...] = Field(
        max_length=MOST_GAPS, description="claims or ideas that the summary does not support; empty when none"
    )
    query: str = Field(default="", max_length=2000, description="one new PubMed query for the gaps; empty when none")


def _reflected(value: ReflectInput) -> ReflectOutput:
    gaps = critique.unsupported(value.question, [o.text for o in value.summary])
    query = drafting.draft(value.question, gaps, core=1) if gaps else ""
    return ReflectOutput(gaps=tuple(gaps[:MOST_GAPS]), query="" if query in value.history else query)


reflect = Operator(
    name="reflect",
    instructions=(
        "Below are a biomedical question, an answer, and the summary of evidence that it rests on. Name the gaps: "
        "claims without support, parts of the question that the evidence does not address, evidence too general for "
        "it. If there are gaps, write one new PubMed query that aims at them and is not in the history; headings as "
        '"Heading"[mesh], ideas joined with AND, names of one idea in parentheses joined with OR, no dates. '
        + DATA_RULE
    ),
    input=ReflectInput,
    output=ReflectOutput,
    writes_queries=True,
    keyless=_reflected,
)
