"""What the steps of Source Planning Optimisation hand on, one line of JSON Lines for each training question."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from pydantic import Field

from medground.document import DocumentId, Frozen, SourceKind
from medground.plan.source_plan import SourceQuery
from medground.question import Option, Task
from medground.usage import Usage

State = Literal["found", "empty", "failed"]
"""What became of a query. `failed`: the source could not be asked, so nothing is known about the query."""

Label = Literal["positive", "negative", "failed"]
"""Eq. 1. `failed`: nobody judged it, so it is neither; the reason is beside it."""


class Spent(Frozen):
    """Cost of one question in one step; seconds of the clock. `price` is in US dollars, None if it is unknown."""

    retrieval_seconds: float = 0.0
    inference_seconds: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    model_calls: int = 0
    searches: int = 0
    price: Decimal | None = Decimal(0)

    @classmethod
    def of(cls, usage: Usage, *, retrieval: float, inference: float) -> Spent:
        """The cost of a run, with its seconds divided into those of retrieval and those of inference."""
        return cls(
            retrieval_seconds=round(retrieval, 4),
            inference_seconds=round(inference, 4),
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            model_calls=usage.model_calls,
            searches=usage.searches,
            price=usage.price,
        )


class Asked(Frozen):
    """A training question and its gold answer.

    Attributes:
        gold: the gold values: `yes`, the letter of an option.
        answer: the gold answer in words, as the judge reads it.
        documents: ids of the documents that the question was written from, if the set names them.
    """

    id: str
    text: str
    task: Task
    options: tuple[Option, ...] = ()
    context: str = ""
    gold: tuple[str, ...] = ()
    reference: str = ""
    answer: str
    documents: tuple[DocumentId, ...] = ()


class Piece(Frozen):
    """A passage that a query found, verbatim."""

    document_id: DocumentId
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    title: str = ""
    kind: SourceKind
    text: str


class Tried(Frozen):
    """A query of the exploration and the keys of the passages that it found, best first: `d_j^i`."""

    source: str
    query: SourceQuery
    state: State
    found: tuple[str, ...] = ()


class Explored(Frozen):
    """A question with the queries that were tried for it (section 4.2.1).

    Attributes:
        passages: each passage once, by its key.
        why: why it could not be explored; there are no queries then.
    """

    question: Asked
    queries: tuple[Tried, ...] = ()
    passages: dict[str, Piece] = Field(default_factory=dict)
    spent: Spent = Spent()
    why: str = ""


class JudgedQuery(Frozen):
    """A query with its label (Eq. 1).

    Attributes:
        why: the judge's reason, or why there is no judgement.
        score: of a label that is a measured gain or score; None of a judge who says yes or no.
    """

    source: str
    query: SourceQuery
    label: Label
    why: str = ""
    score: float | None = None


class Judged(Frozen):
    """A question with its labelled queries (section 4.2.2), in the order in which they were explored."""

    question: Asked
    queries: tuple[JudgedQuery, ...] = ()
    spent: Spent = Spent()
    why: str = ""
