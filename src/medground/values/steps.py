"""Typed steps of answering a question, which interfaces show, traces store and metrics read.

A step that takes time is one span of the trace. The same class writes and reads it, so renaming a span or field cannot
silently drop a figure. Names of spans and fields are those of stored traces.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, ClassVar, Literal, Protocol, Self

from pydantic import Field, ValidationError

from medground.values.document import Frozen
from medground.values.research_plan import ResearchPlan

FACT = "medground."
TEXT = "medground.text."
"""Prefixes of span attributes: facts, and document or prompt text, which stays on this machine by default."""


class Step(Frozen):
    """Base of all steps. `span` is the name of its span; `texts` are the fields that hold document or prompt text."""

    span: ClassVar[str]
    texts: ClassVar[frozenset[str]] = frozenset()

    @property
    def span_name(self) -> str:
        """Name of its span in the trace."""
        return self.span

    def attributes(self) -> dict[str, Any]:
        """Its fields as span attributes, without those that are None."""
        values = ((name, getattr(self, name)) for name in type(self).model_fields if name != "type")
        return {(TEXT if name in self.texts else FACT) + name: value for name, value in values if value is not None}

    @classmethod
    def stored(cls, spans: Iterable[Mapping[str, Any]]) -> list[Self]:
        """The steps of this type among the spans of a trace, in order, without spans that lack a field."""
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
    """A source is being searched."""

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
    """A source has returned results or failed."""

    span: ClassVar[str] = "search"
    type: Literal["found"] = "found"
    source: str
    status: Literal["found", "empty", "failed"]
    found: int = 0
    node: str = ""


class ReadingBatch(Step):
    """A batch of documents is being read. `of` is the highest possible number of batches."""

    span: ClassVar[str] = "read batch"
    type: Literal["reading"] = "reading"
    documents: tuple[str, ...]
    number: int = 1
    of: int = 1


class Asking(Step):
    """A model or word statistics are answering an operator."""

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
        """Span name of an operator's calls."""
        return f"{cls.span} {operator}"


class Judging(Step):
    """Statements are being compared with their evidence: `done` of `of`."""

    span: ClassVar[str] = "judging"
    type: Literal["judging"] = "judging"
    done: int
    of: int


class QueryWritten(Step):
    """A query as written (`before`) and as searched (`after`), with notes on repairs."""

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


class RewriteTrigger(Step):
    """Whether a question is rewritten because its search found too little. `evidence` is None without a reranker."""

    span: ClassVar[str] = "rewrite trigger"
    type: Literal["rewrite trigger"] = "rewrite trigger"
    overlap: float
    evidence: float | None = None
    rewrite: bool


class RoundBegun(Step):
    """A round of a loop starts. `number` counts from 1."""

    span: ClassVar[str] = "round"
    type: Literal["round"] = "round"
    number: int
    of: int


class RoundEnded(Step):
    """The answer of a round and its steering score, which is None if nothing could be judged."""

    span: ClassVar[str] = "round"
    type: Literal["round ended"] = "round ended"
    answer: tuple[str, ...]
    steering_score: float | None = None
    statements: int = 0
    drifted: int = 0


class PlanningSources(Step):
    """A planner writes the queries of each source. Searches that it makes to improve a plan are inside its span."""

    span: ClassVar[str] = "source plan"
    type: Literal["planning sources"] = "planning sources"
    planner: str


class SourcesPlanned(Step):
    """The plan that is searched: `plan` is JSON, the queries of each source by its name (Omni-RAG, section 4.1)."""

    span: ClassVar[str] = "source plan"
    texts: ClassVar[frozenset[str]] = frozenset(["plan"])
    type: Literal["sources planned"] = "sources planned"
    plan: str
    queries: int
    repairs: int = 0

    @classmethod
    def of(cls, queries: Mapping[str, Iterable[object]], repairs: int = 0) -> Self:
        """The step of a plan's queries by source; `repairs` counts what its parser mended."""
        written = {source: [str(query) for query in asked] for source, asked in queries.items()}
        count = sum(map(len, written.values()))
        return cls(plan=json.dumps(written, ensure_ascii=False), queries=count, repairs=repairs)

    @property
    def by_source(self) -> dict[str, list[str]]:
        """The queries of each source; a graph's as `term , query`."""
        queries: dict[str, list[str]] = json.loads(self.plan)
        return queries


class PlanRound(Step):
    """A planner that searches writes, tries and rates a plan. `parent` is the round whose plan it improves, or 0."""

    span: ClassVar[str] = "plan round"
    type: Literal["plan round"] = "plan round"
    number: int
    of: int
    parent: int = 0


class PlanRated(Step):
    """What a round's plan found and how it was rated; `score` is None if it could not be rated."""

    span: ClassVar[str] = "plan round"
    texts: ClassVar[frozenset[str]] = frozenset(["plan", "suggestion"])
    type: Literal["plan rated"] = "plan rated"
    number: int
    parent: int = 0
    plan: str
    queries: int
    passages: int
    score: int | None = None
    suggestion: str = ""
    failed: tuple[str, ...] = ()
    """Sources that could not be searched in this round."""


class PlanChosen(Step):
    """The round whose plan is used, of how many, and why no more followed."""

    span: ClassVar[str] = "plan chosen"
    type: Literal["plan chosen"] = "plan chosen"
    number: int
    rounds: int
    ended: str


class ResearchBegun(Step):
    """Research begins or is gone on with. What it finds is kept under `id` until there is an answer."""

    span: ClassVar[str] = "research"
    type: Literal["research begun"] = "research begun"
    id: str
    resumed: bool = False


class SubQuestionBegun(Step):
    """A sub-question is looked for, by these tools at once; `names` of earlier ones sharpen its queries."""

    span: ClassVar[str] = "sub-question"
    texts: ClassVar[frozenset[str]] = frozenset(["text", "names"])
    type: Literal["sub-question begun"] = "sub-question begun"
    id: str
    text: str
    tools: tuple[str, ...]
    names: tuple[str, ...] = ()


class SubQuestionDone(Step):
    """The tools of a sub-question have ended: what was kept, and the tools that could search nothing."""

    span: ClassVar[str] = "sub-question"
    type: Literal["sub-question done"] = "sub-question done"
    id: str
    kept: int
    failed: tuple[str, ...] = ()


class WritingReport(Step):
    """A report is being written from what was kept for this many sub-questions."""

    span: ClassVar[str] = "report"
    type: Literal["writing report"] = "writing report"
    subquestions: int


class PlanningResearch(Step):
    """A question is being split into sub-questions with their keywords (BioMedSearch, section III.A)."""

    span: ClassVar[str] = "research plan"
    type: Literal["planning research"] = "planning research"


class ResearchPlanned(Step):
    """The plan of the research. `plan` is the JSON of a `ResearchPlan`; `mended` counts what was repaired in it."""

    span: ClassVar[str] = "research plan"
    texts: ClassVar[frozenset[str]] = frozenset(["plan"])
    type: Literal["planned"] = "planned"
    plan: str
    subquestions: int
    keywords: int = 0
    mended: int = 0

    @classmethod
    def of(cls, plan: ResearchPlan) -> Self:
        """The step of a plan."""
        return cls(
            plan=plan.model_dump_json(),
            subquestions=len(plan.subquestions),
            keywords=len(plan.keywords),
            mended=len(plan.notes),
        )

    @property
    def research(self) -> ResearchPlan:
        """The plan."""
        return ResearchPlan.model_validate_json(self.plan)


class Kept(Step):
    """The answer, complete or partial, has been stored and can be loaded by its `trace_id`."""

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
    | RewriteTrigger
    | RoundBegun
    | RoundEnded
    | PlanningSources
    | SourcesPlanned
    | PlanRound
    | PlanRated
    | PlanChosen
    | ResearchBegun
    | SubQuestionBegun
    | SubQuestionDone
    | WritingReport
    | PlanningResearch
    | ResearchPlanned
    | Kept,
    Field(discriminator="type"),
]
"""Any step, for interfaces that send steps as JSON."""

OnStep = Callable[[Step], None]
"""Called with each step as it happens: often, so it must be fast."""


def ignore_steps(step: Step) -> None:
    """Show no steps."""


# Progress reports of long tasks.


class Progress(Protocol):
    """Called often, so it must be cheap. `total` is None if it is unknown."""

    def __call__(self, step: str, done: int, total: int | None, /) -> None:
        """Report that `done` of `total` units of a step are done."""
        ...


def no_progress(step: str, done: int, total: int | None) -> None:
    """Report nothing."""
