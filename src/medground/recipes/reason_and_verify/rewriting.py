"""Rewriting: a question in the words of the literature.

Source: Reason and Verify, section 3.1 (query rewriter) and Algorithm 1, line 8.
"""

from __future__ import annotations

from pydantic import Field

from medground.models.operators.base import InvalidOutput, Operator, OperatorInput, OperatorOutput, Untrusted
from medground.models.operators.reading import DATA_RULE
from medground.values.question import MAX_CHARACTERS


class RewriteInput(OperatorInput):
    question: Untrusted
    found: tuple[Untrusted, ...] = Field(default=(), description="passages that it found as it stands")


class RewriteOutput(OperatorOutput):
    question: str = Field(min_length=1, max_length=MAX_CHARACTERS, description="the question, rewritten, on one line")


def _says_something(value: RewriteInput, output: RewriteOutput) -> None:
    if not any(character.isalnum() for character in output.question):
        raise InvalidOutput("the rewritten question contains no words")


rewrite = Operator(
    name="rewrite",
    instructions=(
        "A search with the question below found little that bears on it; the passages are what it found. Rewrite the "
        "question so that a search by words finds the right papers: spell out every abbreviation and keep it beside "
        "its long form, add the precise medical terms and the usual other names of its condition, intervention and "
        "outcome, correct misspellings. Keep its meaning, its population and its direction. Do not answer it and add "
        "no finding. " + DATA_RULE
    ),
    input=RewriteInput,
    output=RewriteOutput,
    writes_queries=True,
    keyless=lambda value: RewriteOutput(question=value.question),
    check=_says_something,
)
