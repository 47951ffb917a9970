"""An answer: its decision, its rationale, the evidence for each sentence, and what it cost."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from medground.author import Author
from medground.document import DocumentId, Frozen, Joined, Retraction, SourceKind
from medground.evidence import Evidence, Stance
from medground.identifiers import paper_names
from medground.notice import Notice
from medground.question import Question
from medground.report import Report
from medground.usage import UsageReport

SCHEMA_VERSION = "1.9"

Status = Literal["decided", "not judged", "unanswerable"]
"""`decided`: a stored relation, a model that read the evidence, or a critic that was measured on questions gives the
answer. `not judged`: evidence was found, but no validated judge has assessed it. `unanswerable`: no evidence was
found, or it does not mention what the question asks about."""

Basis = Literal["graph fact", "model", "critic"]

Label = Literal[
    "supported", "partly", "contradicted", "quoted", "related", "not found", "not judged", "unverified", "given"
]
"""`quoted`: the sentence repeats its source verbatim. `related`: the cited text is on the same topic, which is not
proof. `unverified`: the critic failed. `given`: the sentence only repeats what was given with the question, such as a
patient's case; it cites nothing and counts in no score."""

Assessed = Literal["supported", "partly", "contradicted"]

Category = Literal[
    "CORRECT-EXPLICIT",
    "CORRECT-IMPLICIT",
    "CORRECT-ADDITIONAL",
    "CORRECT-MISSING",
    "INCORRECT-FALSE",
    "INCORRECT-DEVIATING",
    "INCORRECT-ILLOGICAL",
    "INCORRECT-MISSING",
]
"""The eight labels of a statement against its evidence (Reason and Verify, Table 1)."""

RationaleVerdict = Literal["CORRECT", "INCORRECT"]
"""The verdict on a rationale as a whole (Reason and Verify, section 3.4)."""

ErrorSource = Literal["retrieval", "generation"]


class AnswerCheck(Frozen):
    """What a model that compared a short answer with the sentences released with it says."""

    answer: tuple[str, ...] = Field(description="the short answer that was checked: words of the task, or letters")
    result: Literal["follows", "contradicted", "not shown"]
    found: tuple[str, ...] = Field(default=(), description="the answer that the sentences give; empty if none is named")
    checked_by: str = Field(description="the name of the model")
    reason: str = ""


class _Decision(Frozen):
    status: Status
    basis: Basis | None = None
    probability: float | None = Field(default=None, ge=0, le=1, description="calibrated; null if not calibrated")
    validated: bool | None = Field(
        default=None, description="whether the model that decided is a validated judge here; null if no model decided"
    )
    reason: str = ""
    check: AnswerCheck | None = Field(
        default=None,
        description="the check of a model's short answer against its sentences; null if none was made. An answer that "
        "does not follow is told here and is no value",
    )
    unmentioned: tuple[str, ...] = Field(
        default=(), description="what the question asks about that no passage found mentions; then nothing is decided"
    )

    def shown(self) -> str | None:
        """The decided value as text, or None."""
        raise NotImplementedError

    @model_validator(mode="before")
    @classmethod
    def _without_lean(cls, content: Any) -> Any:
        """Answers before schema 1.9 could hold an estimate from word statistics (`lean`). It was no better than always
        "yes", so nothing of it is read from a kept answer."""
        if isinstance(content, dict) and content.get("status") == "lean":
            return {"status": "not judged"} | {name: content[name] for name in ("task",) if name in content}
        return content

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        has_value = self.shown() is not None
        if has_value != (self.status == "decided"):
            raise ValueError(f"a decision with status {self.status!r} must {'not ' if has_value else ''}have a value")
        if has_value and self.check is not None and self.check.result != "follows":
            raise ValueError("an answer that its check found not to follow is no value of a decision")
        if has_value and self.basis is None:
            raise ValueError("a decision with a value needs a basis")
        return self


class YesNoDecision(_Decision):
    task: Literal["yes-no"] = "yes-no"
    value: Literal["yes", "no"] | None = None

    def shown(self) -> str | None:
        return self.value


class YesNoMaybeDecision(_Decision):
    task: Literal["yes-no-maybe"] = "yes-no-maybe"
    value: Literal["yes", "no", "maybe"] | None = None

    def shown(self) -> str | None:
        return self.value


class SingleChoiceDecision(_Decision):
    task: Literal["single-choice"] = "single-choice"
    value: str | None = None

    def shown(self) -> str | None:
        return self.value


class MultipleChoiceDecision(_Decision):
    task: Literal["multiple-choice"] = "multiple-choice"
    values: tuple[str, ...] | None = None

    def shown(self) -> str | None:
        return ", ".join(self.values) if self.values else None


class FreeDecision(_Decision):
    task: Literal["free"] = "free"
    value: str | None = None

    def shown(self) -> str | None:
        return self.value


Decision = Annotated[
    YesNoDecision | YesNoMaybeDecision | SingleChoiceDecision | MultipleChoiceDecision | FreeDecision,
    Field(discriminator="task"),
]


class Verdict(Frozen):
    """The result of verifying one statement. `critic` names the judge.

    Only a validated judge gives the labels `supported`, `partly` and `contradicted`. What another model says is in
    `assessed`, and the label is `not judged`.
    """

    label: Label
    critic: str
    assessed: Assessed | None = Field(
        default=None, description="what a model says that is not a validated judge here; `label` is then `not judged`"
    )
    probability: float | None = Field(default=None, ge=0, le=1)
    best: str | None = Field(default=None, description="id of the evidence that decided the label")
    flags: tuple[str, ...] = Field(
        default=(), description="differences from the evidence, such as negation, number, direction"
    )
    note: str = ""
    category: Category | None = Field(
        default=None, description="label of the eight-label taxonomy; null if not labelled"
    )
    labelled_by: str = Field(default="", description="who gave the category: `keyless` or a model's name")
    error_source: ErrorSource | None = Field(default=None, description="where an unsupported statement went wrong")

    @model_validator(mode="after")
    def _assessed_is_not_judged(self) -> Self:
        if self.assessed is not None and self.label != "not judged":
            raise ValueError(f"a statement labelled {self.label!r} has no assessment beside its label")
        return self

    @property
    def judged_by_model(self) -> bool:
        """Whether the verdict comes from anything but word statistics: a model, the graph or a verbatim comparison."""
        return Author(self.critic).is_model

    @property
    def labelled_by_model(self) -> bool:
        """Whether a model or a critic gave the category; False for word statistics or without a category."""
        return bool(self.labelled_by) and Author(self.labelled_by).is_model


class Assessment(Frozen):
    """What a model says of the whole answer: a verdict on its rationale, and its quality from 1 to 5."""

    verdict: RationaleVerdict | None = None
    quality: int | None = Field(default=None, ge=1, le=5)
    assessed_by: str = Field(description="the name of the model")
    reason: str = ""


class Statement(Frozen):
    """One checkable proposition: `text == rationale[start:end]`."""

    text: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    evidence: tuple[str, ...] = ()
    verdict: Verdict


class Dropped(Frozen):
    """A sentence that was written but not released, with the reason."""

    text: str
    reason: str


class Side(Frozen):
    """One side of a conflict: its quotes; their documents give design and year."""

    stance: Stance
    evidence: tuple[str, ...] = Field(min_length=1)


class Conflict(Frozen):
    """Sources that disagree; both sides are reported, never averaged. `found_by` names the model that found it, or is
    `keyless` for a difference in wording that a reader must assess."""

    about: str
    sides: tuple[Side, ...] = Field(min_length=2)
    found_by: str

    @property
    def found_by_model(self) -> bool:
        """Whether a model that read the quotes found it; False for a difference in wording."""
        return Author(self.found_by).is_model


class SourceDocument(Frozen):
    """A document that the answer cites or lists, without its text."""

    id: DocumentId
    title: str
    kind: SourceKind
    year: int | None = None
    journal: str | None = None
    url: str | None = None
    authors: tuple[str, ...] = Field(
        default=(), description="`Family Initials` or `Family, Given`; a group by its name"
    )
    identifiers: Mapping[str, str] = Field(default_factory=dict, description="other ids: `doi`, `pmid`, `pmc`, ...")
    imprint: Mapping[str, str] = Field(default_factory=dict, description="`volume`, `issue`, `pages`")
    publication_types: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    retraction: Retraction = "none"
    cautions: tuple[str, ...] = ()
    joined: tuple[Joined, ...] = Field(
        default=(), description="records from which fields were filled, with their names"
    )
    source: str = ""
    license: str | None = Field(
        default=None, description="its own licence, else that of its source; null if neither is recorded"
    )
    origin: str = Field(default="", description="where the texts of its source come from; empty if not recorded")

    @property
    def paper(self) -> tuple[str, ...]:
        """Names of the paper that it is about, as `Document.paper`."""
        return paper_names(self.id, self.identifiers, self.url)


class Search(Frozen):
    """One query to one source. `failed` is not `empty`: the search did not work. `hits` counts passages or facts."""

    source: str
    query: str
    status: Literal["found", "empty", "failed"]
    hits: int = 0
    error: str | None = None
    kinds: tuple[SourceKind, ...] = Field(
        default=(), description="kinds of document found; if none, the kinds asked for"
    )
    node: str = Field(default="", description="the node of a plan that it served")
    cached: bool = Field(default=False, description="the result of an earlier identical search in this run was used")


class SearchedSource(Frozen):
    """What became of a source that a plan of sources could use. `failed` and `not configured` are not `empty`."""

    name: str
    kind: SourceKind
    state: Literal["found", "empty", "failed", "not configured", "not asked"]
    queries: tuple[str, ...] = ()
    passages: int = Field(default=0, ge=0, description="different passages that its queries found")
    failure: str = Field(default="", description="why it could not be searched")
    licence: str = Field(default="", description="under which terms its texts may be used")


class SnapshotReference(Frozen):
    """A fixed state of a corpus that was searched."""

    name: str
    hash: str


class Answer(Frozen):
    """The whole answer. `medground schema answer` prints its JSON schema."""

    schema_version: str = SCHEMA_VERSION
    id: str
    question: Question
    notice: Notice | None = Field(
        default=None,
        description="whom to turn to, shown first; null unless someone may be at risk",
    )
    decision: Decision
    rationale: str = ""
    statements: tuple[Statement, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    documents: tuple[SourceDocument, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    missing: str = Field(
        default="", description="what the model that read says is missing in the sources; may be empty"
    )
    support: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="share of statements that are supported; null if no validated judge assessed them",
    )
    faithfulness: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Faith(R): share of statements labelled CORRECT; null if only word statistics labelled them",
    )
    quoted: float | None = Field(
        default=None, ge=0, le=1, description="share of statements that are verbatim quotes; not a measure of support"
    )
    assessment: Assessment | None = Field(
        default=None, description="a model's verdict on the whole answer; null if none was asked"
    )
    searches: tuple[Search, ...] = ()
    sources: tuple[SearchedSource, ...] = Field(
        default=(), description="the sources of a plan of sources, in order; none for a recipe without such a plan"
    )
    report: Report | None = Field(default=None, description="sections, sub-answers, counts and files of a report")
    warnings: tuple[str, ...] = ()
    recipe: str
    needs_evidence: bool = Field(default=True, description="false for a recipe that answers from a model's memory")
    made_by: str = Field(default="", description="program and version")
    models: dict[str, str] = Field(default_factory=dict, description="operator to the model that answered it")
    usage: UsageReport = UsageReport()
    settings_hash: str
    snapshots: tuple[SnapshotReference, ...] = ()
    trace_id: str
    created: datetime
    stopped: str | None = Field(default=None, description="why the run ended early, such as an exhausted budget")

    @model_validator(mode="before")
    @classmethod
    def _from_before_1_3(cls, content: Any) -> Any:
        """Answers before schema 1.3 did not say whether they need evidence; assume that those without any did not."""
        if isinstance(content, dict) and content.get("schema_version") in ("1.0", "1.1", "1.2"):
            return {"needs_evidence": bool(content.get("evidence")), **content}
        return content

    def __str__(self) -> str:
        return _printed(self, "text")

    def _repr_markdown_(self) -> str:
        return _printed(self, "markdown")

    def _repr_html_(self) -> str:
        shown: str = importlib.import_module("medground.faces.notebook.answer").as_html(self)  # not above, as below
        return shown

    @model_validator(mode="after")
    def _closed(self) -> Self:
        """Check that citations point into this answer and statements into its rationale (promise 1)."""
        known = {e.id: e for e in self.evidence}
        documents = {d.id: d for d in self.documents}
        for evidence in self.evidence:
            if evidence.document_id not in documents:
                raise ValueError(
                    f"evidence {evidence.id} is from {evidence.document_id}, which the answer does not list"
                )
        for statement in self.statements:
            if self.rationale[statement.start : statement.end] != statement.text:
                raise ValueError(f"the statement at {statement.start} is not a slice of the rationale")
            cited = set(statement.evidence) | ({statement.verdict.best} if statement.verdict.best else set())
            if unknown := cited - known.keys():
                raise ValueError(f"a statement cites unknown evidence {', '.join(sorted(unknown))}")
            if statement.verdict.label in ("supported", "partly") and all(
                documents[known[e].document_id].retraction in ("retracted", "notice") for e in statement.evidence
            ):
                raise ValueError("a supported statement cites no evidence, or only retracted papers and notices")
        for side in (side for conflict in self.conflicts for side in conflict.sides):
            if unknown := set(side.evidence) - known.keys():
                raise ValueError(f"a conflict cites unknown evidence {', '.join(sorted(unknown))}")
        if self.report is not None:
            _check_report(self.report, self.rationale, known.keys())
        if self.notice is not None and self.notice.stops and (self.evidence or self.documents or self.rationale):
            raise ValueError("an answer whose notice is about self-harm quotes nothing")
        if self.decision.task != self.question.task:
            raise ValueError("decision and question have different tasks")
        if self.decision.status == "decided" and not self.evidence and self.needs_evidence:
            raise ValueError("the answer has a decision but no evidence")
        return self


def _check_report(report: Report, rationale: str, evidence: Collection[str]) -> None:
    """Check that sections are slices of the rationale, in order, and that only the answer's evidence is named."""
    last = 0
    for section in report.sections:
        if not last <= section.start <= section.end <= len(rationale):
            raise ValueError(f"the section {section.title!r} is outside the rationale or overlaps the one before")
        last = section.end
    named = {e for one in report.subanswers for e in one.evidence} | {e for c in report.connections for e in c.evidence}
    if unknown := named - set(evidence):
        raise ValueError(f"the report names unknown evidence {', '.join(sorted(unknown))}")


def _printed(answer: Answer, form: Literal["text", "markdown"]) -> str:
    module = importlib.import_module(f"medground.wording.{form}")  # not above: `wording` imports this module
    printed: str = getattr(module, f"as_{form}")(answer)
    return printed
