"""What happens while a question is answered: typed steps that faces show, the trace stores and the metrics read.

A step that takes time is one span of the trace. Whoever writes it and whoever reads it use the same class, so a renamed
span or field cannot silently lose a figure. Names of spans and fields are those of stored traces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, ValidationError

from medground.document import Frozen

FACT = "medground."
TEXT = "medground.text."
"""Prefixes of attributes in a span: facts, and text of documents or prompts, which stays on this machine by default."""


class Step(Frozen):
    """Base of all steps. `span` names the span that stores it; `texts` are the fields that hold text."""

    span: ClassVar[str]
    texts: ClassVar[frozenset[str]] = frozenset()

    @property
    def span_name(self) -> str:
        """Name of its span in the trace."""
        return self.span

    def attributes(self) -> dict[str, Any]:
        """Its fields as attributes of a span; fields without a value are left out."""
        values = ((name, getattr(self, name)) for name in type(self).model_fields if name != "type")
        return {(TEXT if name in self.texts else FACT) + name: value for name, value in values if value is not None}

    @classmethod
    def stored(cls, spans: Iterable[Mapping[str, Any]]) -> list[Self]:
        """The steps of this type among the spans of a trace, in order; a span that lacks a field is left out."""
        found = []
        for span in spans:
            if span["name"] == cls.span or span["name"].startswith(f"{cls.span} "):
                try:
                    found.append(cls.model_validate(_fields(cls, span["attributes"])))
                except ValidationError:
                    continue
        return found


def _fields(kind: type[Step], attributes: Mapping[str, Any]) -> dict[str, Any]:
    keys = {name: (TEXT if name in kind.texts else FACT) + name for name in kind.model_fields if name != "type"}
    return {name: attributes[key] for name, key in keys.items() if key in attributes}


class Searching(Step):
    """A source is asked."""

    span: ClassVar[str] = "search"
    texts: ClassVar[frozenset[str]] = frozenset(["query"])
    type: Literal["searching"] = "searching"
    source: str
    query: str
    node: str = ""

    @property
    def span_name(self) -> str:
        """`search corpus:papers`."""
        return f"{self.span} {self.source}"


class Searched(Step):
    """A source has answered, or failed."""

    span: ClassVar[str] = "search"
    type: Literal["found"] = "found"
    source: str
    status: Literal["found", "empty", "failed"]
    found: int = 0
    node: str = ""


class ReadingBatch(Step):
    """A batch of documents is read. `of` is how many batches there are at most."""

    span: ClassVar[str] = "read batch"
    type: Literal["reading"] = "reading"
    documents: tuple[str, ...]
    number: int = 1
    of: int = 1


class Asking(Step):
    """An operator is answered by a model, or by word statistics."""

    span: ClassVar[str] = "operator"
    type: Literal["asking"] = "asking"
    operator: str
    model: str

    @property
    def span_name(self) -> str:
        """`operator write`."""
        return self.name_of(self.operator)

    @classmethod
    def name_of(cls, operator: str) -> str:
        """Name of the span of an operator's calls."""
        return f"{cls.span} {operator}"


class Judging(Step):
    """Statements are compared with their evidence: `done` of `of`."""

    span: ClassVar[str] = "judging"
    type: Literal["judging"] = "judging"
    done: int
    of: int


class QueryWritten(Step):
    """A query as it was written (`before`) and as it is searched (`after`), with what was repaired."""

    span: ClassVar[str] = "normalise query"
    texts: ClassVar[frozenset[str]] = frozenset(["before", "after"])
    type: Literal["query"] = "query"
    after: str
    before: str = ""
    notes: tuple[str, ...] = ()


class QueryChosen(Step):
    """The query whose documents are read."""

    span: ClassVar[str] = "final query"
    texts: ClassVar[frozenset[str]] = frozenset(["query"])
    type: Literal["final query"] = "final query"
    query: str
    rounds: int = 1
    documents: int = 0


class RoundBegun(Step):
    """A round of a loop begins. `number` counts from 1."""

    span: ClassVar[str] = "round"
    type: Literal["round"] = "round"
    number: int
    of: int


class RoundEnded(Step):
    """What a round answered, and its steering score; the score is None where nothing could be judged."""

    span: ClassVar[str] = "round"
    type: Literal["round ended"] = "round ended"
    answer: tuple[str, ...]
    steering_score: float | None = None
    statements: int = 0
    drifted: int = 0


class Kept(Step):
    """The answer is stored, whole or as far as it came. It can be had again by `trace_id`."""

    span: ClassVar[str] = "kept"
    type: Literal["kept"] = "kept"
    trace_id: str
    stopped: str | None = None


AnyStep = Annotated[
    Searching
    | Searched
    | ReadingBatch
    | Asking
    | Judging
    | QueryWritten
    | QueryChosen
    | RoundBegun
    | RoundEnded
    | Kept,
    Field(discriminator="type"),
]
"""Every step, for faces that send them as JSON."""

OnStep = Callable[[Step], None]
"""Told of each step as it happens; it is called often and must be cheap."""


def ignore_steps(step: Step) -> None:
    """Show no steps."""
