"""How often a lookup held evidence for the gold answer, by type of question: counted once, on training questions.

`scripts/count_source_yields.py` counts it; the file holds numbers only.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Literal, get_args

from pydantic import Field

from medground.document import Frozen, SourceKind
from medground.operators.keyless.question_types import QuestionType

Form = Literal["words", "terms", "concept"]
"""How a query is made: `words`, the question without its filler; `terms`, its names; `concept`, a graph's term."""
FORMS: tuple[Form, ...] = get_args(Form)

_ENOUGH = 20
"""Fewest questions of a type whose yields are believed."""


class Step(Frozen):
    """One more lookup, in the best order: what it adds to those before it.

    Attributes:
        kind: the kind of source.
        form: the form of the query.
        alone: share of questions whose evidence it holds by itself.
        adds: share of questions for which it holds evidence and no lookup before it does.
    """

    kind: SourceKind
    form: Form
    alone: float = Field(ge=0, le=1)
    adds: float = Field(ge=0, le=1)


class Yields(Frozen):
    """The yields of all types.

    Attributes:
        counted: on what they were counted, in a sentence.
        kinds: the kinds of source that were there; nothing is known of the others.
        questions: number of questions by type.
        steps: the lookups of each type, best first.
        overall: the lookups of all questions together, for types of which too few were counted.
    """

    counted: str
    kinds: tuple[SourceKind, ...]
    questions: dict[QuestionType, int]
    steps: dict[QuestionType, tuple[Step, ...]]
    overall: tuple[Step, ...] = ()

    def of(self, kind: QuestionType) -> tuple[Step, ...]:
        """The lookups for a type of question, best first; those of all where too few of the type were counted."""
        return self.steps.get(kind, ()) if self.questions.get(kind, 0) >= _ENOUGH else self.overall


@cache
def source_yields() -> Yields:
    """The yields that ship with the package."""
    stored = (resources.files("medground") / "data" / "source_yields.json").read_text(encoding="utf-8")
    return Yields.model_validate(json.loads(stored))
