"""Typed steps of answering a question, which interfaces show, traces store and metrics read.

A step that takes time is one span of the trace. The same class writes and reads it, so renaming a span or field cannot
silently drop a figure. Names of spans and fields are those of stored traces.
"""

import contextlib
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, ClassVar, Literal, Protocol, Self, runtime_checkable

from pydantic import ConfigDict, Field, ValidationError

from medground.values.document import Frozen
from medground.values.research_plan import ResearchPlan

FACT = "medground."
TEXT = "medground.text."
"""Prefixes of span attributes: facts, and document or prompt text, which stays on this machine by default."""


class Step(Frozen):
    """Base of all steps: `class Asking(Step, span="operator")`; `texts` are the fields of document or prompt text."""

    model_config = ConfigDict(defer_build=True)  # few of them are made in one run

    span: ClassVar[str]
    texts: ClassVar[frozenset[str]]

    def __init_subclass__(cls, *, span: str, texts: Iterable[str] = (), **config: Any) -> None:
        super().__init_subclass__(**config)
        cls.span, cls.texts = span, frozenset(texts)

    @property
    def span_name(self) -> str:
        """Name of its span in the trace."""
        return self.span

    def attributes(self) -> dict[str, Any]:
        """Its fields as span attributes, without those that are None."""
        values = {key: getattr(self, name) for name, key in self._keys().items()}
        return {key: value for key, value in values.items() if value is not None}

    @classmethod
    def stored(cls, spans: Iterable[Mapping[str, Any]]) -> list[Self]:
        """The steps of this type among the spans of a trace, in order, without spans that lack a field."""
        found = []
        for span in spans:
            if span["name"] == cls.span or span["name"].startswith(f"{cls.span} "):
                given = span["attributes"]
                with contextlib.suppress(ValidationError):
                    found.append(cls(**{name: given[key] for name, key in cls._keys().items() if key in given}))
        return found

    @classmethod
    def _keys(cls) -> dict[str, str]:
        fields = (name for name in cls.model_fields if name != "type")
        return {name: (TEXT if name in cls.texts else FACT) + name for name in fields}


class Searching(Step, span="search", texts=["query"]):
    """A source is being searched."""

    type: Literal["searching"] = "searching"
    source: str
    query: str
    node: str = ""

    @property
    def span_name(self) -> str:
        """`search corpus:papers`."""
        return f"{self.span} {self.source}"


class Searched(Step, span="search"):
    """A source has returned results or failed."""

    type: Literal["found"] = "found"
    source: str
    status: Literal["found", "empty", "failed"]
    found: int = 0
    node: str = ""


class ReadingBatch(Step, span="read batch"):
    """A batch of documents is being read. `of` is the highest possible number of batches."""

    type: Literal["reading"] = "reading"
    documents: tuple[str, ...]
    number: int = 1
    of: int = 1


class Asking(Step, span="operator"):
    """A model or word statistics are answering an operator."""

    type: Literal["asking"] = "asking"
    operator: str
    model: str

    @property
    def span_name(self) -> str:
        return self.name_of(self.operator)

    @classmethod
    def name_of(cls, operator: str) -> str:
        """Span name of an operator's calls."""
        return f"{cls.span} {operator}"


class Written(Step, span="written", texts=["text"]):
    """A model has written this sentence of an answer. Nothing has checked it yet, and it may not be in the answer."""

    type: Literal["written"] = "written"
    text: str


class Judging(Step, span="judging"):
    """Statements are being compared with their evidence: `done` of `of`."""

    type: Literal["judging"] = "judging"
    done: int
    of: int


class QueryWritten(Step, span="normalise query", texts=["before", "after"]):
    """A query as written (`before`) and as searched (`after`), with notes on repairs."""

    type: Literal["query"] = "query"
    after: str
    before: str = ""
    notes: tuple[str, ...] = ()


class QueryChosen(Step, span="final query", texts=["query"]):
    """The query whose documents are read."""

    type: Literal["final query"] = "final query"
    query: str
    rounds: int = 1
    documents: int = 0


class RewriteTrigger(Step, span="rewrite trigger"):
    """Whether a question is rewritten because its search found too little. `evidence` is None without a reranker."""

    type: Literal["rewrite trigger"] = "rewrite trigger"
    overlap: float
    evidence: float | None = None
    rewrite: bool


class RoundBegun(Step, span="round"):
    """A round of a loop starts. `number` counts from 1."""

    type: Literal["round"] = "round"
    number: int
    of: int


class RoundEnded(Step, span="round"):
    """The answer of a round and its steering score, which is None if nothing could be judged."""

    type: Literal["round ended"] = "round ended"
    answer: tuple[str, ...]
    steering_score: float | None = None
    statements: int = 0
    drifted: int = 0


class PlanningSources(Step, span="source plan"):
    """A planner writes the queries of each source. Searches that it makes to improve a plan are inside its span."""

    type: Literal["planning sources"] = "planning sources"
    planner: str


class SourcesPlanned(Step, span="source plan", texts=["plan"]):
    """The plan that is searched: `plan` is JSON, the queries of each source by its name."""

    type: Literal["sources planned"] = "sources planned"
    plan: str
    queries: int
    repairs: int = 0
    unread: bool = False

    @classmethod
    def from_queries(cls, queries: Mapping[str, Iterable[object]], repairs: int = 0, *, unread: bool = False) -> Self:
        """The step of a plan's queries by source; `repairs` counts what its parser corrected.

        `unread`: what the planner wrote could not be read, so nothing was searched.
        """
        written = {source: [str(query) for query in asked] for source, asked in queries.items()}
        count = sum(map(len, written.values()))
        return cls(plan=json.dumps(written, ensure_ascii=False), queries=count, repairs=repairs, unread=unread)

    @property
    def by_source(self) -> dict[str, list[str]]:
        """The queries of each source; a graph's as `term , query`."""
        queries: dict[str, list[str]] = json.loads(self.plan)
        return queries


class PlanRound(Step, span="plan round"):
    """A planner that searches writes, tries and rates a plan. `parent` is the round whose plan it improves, or 0."""

    type: Literal["plan round"] = "plan round"
    number: int
    of: int
    parent: int = 0


class PlanRated(Step, span="plan round", texts=["plan", "suggestion"]):
    """What a round's plan found and how it was rated; `score` is None if it could not be rated."""

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


class PlanChosen(Step, span="plan chosen"):
    """The round whose plan is used, of how many, and why no more followed."""

    type: Literal["plan chosen"] = "plan chosen"
    number: int
    rounds: int
    ended: str


class ResearchBegun(Step, span="research"):
    """Research begins or is gone on with. What it finds is kept under `id` until there is an answer."""

    type: Literal["research begun"] = "research begun"
    id: str
    resumed: bool = False


class SubQuestionBegun(Step, span="sub-question", texts=["text", "names"]):
    """A sub-question is looked for, by these tools at once; `names` of earlier ones sharpen its queries."""

    type: Literal["sub-question begun"] = "sub-question begun"
    id: str
    text: str
    tools: tuple[str, ...]
    names: tuple[str, ...] = ()


class SubQuestionDone(Step, span="sub-question"):
    """The tools of a sub-question have ended: what was kept, and the tools that could search nothing."""

    type: Literal["sub-question done"] = "sub-question done"
    id: str
    kept: int
    failed: tuple[str, ...] = ()


class WritingReport(Step, span="report"):
    """A report is being written from what was kept for this many sub-questions."""

    type: Literal["writing report"] = "writing report"
    subquestions: int


class PlanningResearch(Step, span="research plan"):
    """A question is being split into sub-questions with their keywords."""

    type: Literal["planning research"] = "planning research"


class ResearchPlanned(Step, span="research plan", texts=["plan"]):
    """The plan of the research. `plan` is the JSON of a `ResearchPlan`; `mended` counts what was repaired in it."""

    type: Literal["planned"] = "planned"
    plan: str
    subquestions: int
    keywords: int = 0
    mended: int = 0

    @classmethod
    def from_plan(cls, plan: ResearchPlan) -> Self:
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


class Kept(Step, span="kept"):
    """The answer, complete or partial, has been stored and can be loaded by its `trace_id`."""

    type: Literal["kept"] = "kept"
    trace_id: str
    stopped: str | None = None


_Reading = Searching | Searched | ReadingBatch | Asking | Written | Judging
_Querying = QueryWritten | QueryChosen | RewriteTrigger | RoundBegun | RoundEnded
_Planning = PlanningSources | SourcesPlanned | PlanRound | PlanRated | PlanChosen
_Researching = ResearchBegun | SubQuestionBegun | SubQuestionDone | WritingReport | PlanningResearch | ResearchPlanned
AnyStep = Annotated[_Reading | _Querying | _Planning | _Researching | Kept, Field(discriminator="type")]
"""Any step: told apart by its class or its `type`, also as JSON."""

OnStep = Callable[[AnyStep], None]
"""Called with each step as it happens: often, so it must be fast."""


def ignore_steps(step: AnyStep) -> None:
    """Show no steps."""


# Progress reports of long tasks.


@runtime_checkable
class Progress(Protocol):
    """Called often, so it must be cheap. `total` is None if it is unknown."""

    def __call__(self, step: str, done: int, total: int | None, /) -> None:
        """Report that `done` of `total` units of a step are done."""
        ...


def no_progress(step: str, done: int, total: int | None) -> None:
    """Report nothing."""
