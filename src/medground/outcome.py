"""The outcome of one of several questions."""

from __future__ import annotations

from dataclasses import dataclass

from medground.answer import Answer
from medground.errors import MedgroundError


@dataclass(frozen=True)
class Outcome:
    """A question with its answer or its error.

    If a budget ran out, both are set: `answer` is what was found so far.
    """

    question: str
    answer: Answer | None = None
    error: MedgroundError | None = None

    def __str__(self) -> str:
        return f"{self.question}\n{self.answer if self.error is None else self.error}"
