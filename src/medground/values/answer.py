"""An answer: its decision, its rationale, the evidence for each sentence, and what it cost."""

import importlib
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Literal, Self

from pydantic import Field, NonNegativeInt, model_validator

from medground.errors import SourceUnavailable
from medground.values.decision import Decision, Notice
from medground.values.document import Described, DocumentId, Frozen, Joined, Proportion, Retraction, SourceKind
from medground.values.evidence import Evidence
from medground.values.identifiers import paper_names
from medground.values.lookup import Found, Lookup
from medground.values.question import Question
from medground.values.report import Report
from medground.values.statement import Assessment, Conflict, Dropped, Statement
from medground.values.usage import UsageReport

SCHEMA_VERSION = "1.12"


class SourceDocument(Described):
    """A document that the answer cites or lists, without its text."""

    id: DocumentId
    title: str
    kind: SourceKind
    year: int | None = None
    journal: str | None = None
    url: str | None = None
    authors: tuple[str, ...] = ()
    """`Family Initials` or `Family, Given`; a group by its name"""
    identifiers: Mapping[str, str] = Field(default_factory=dict)
    """other ids: `doi`, `pmid`, `pmc`, ..."""
    imprint: Mapping[str, str] = Field(default_factory=dict)
    """`volume`, `issue`, `pages`"""
    publication_types: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    retraction: Retraction = "none"
    cautions: tuple[str, ...] = ()
    joined: tuple[Joined, ...] = ()
    """records from which fields were filled, with their names"""
    source: str = ""
    license: str | None = None
    """its own licence, else that of its source; null if neither is recorded"""
    origin: str = ""
    """where the texts of its source come from; empty if not recorded"""

    @property
    def paper(self) -> tuple[str, ...]:
        """Names of the paper that it is about, as `Document.paper`."""
        return paper_names(self.id, self.identifiers, self.url)


class Search(Described):
    """One query to one source. `failed` is not `empty`: the search did not work. `hits` counts passages or facts."""

    source: str
    query: str
    status: Literal["found", "empty", "failed"]
    hits: int = 0
    error: str | None = None
    kinds: tuple[SourceKind, ...] = ()
    """kinds of document found; if none, the kinds asked for"""
    node: str = ""
    """the node of a plan that it served"""
    cached: bool = False
    """the result of an earlier identical search in this run was used"""


class SearchedSource(Described):
    """What became of a source that a plan of sources could use. `failed` and `not configured` are not `empty`."""

    name: str
    kind: SourceKind
    state: Literal["found", "empty", "failed", "not configured", "not asked"]
    queries: tuple[str, ...] = ()
    passages: NonNegativeInt = 0
    """different passages that its queries found"""
    failure: str = ""
    """why it could not be searched"""
    licence: str = ""
    """the terms under which its texts may be used"""


class SnapshotReference(Frozen):
    """A fixed state of a corpus that was searched."""

    name: str
    hash: str


class Answer(Described):
    """The whole answer. `medground schema answer` prints its JSON schema."""

    schema_version: str = SCHEMA_VERSION
    id: str
    question: Question
    notice: Notice | None = None
    """whom to contact, shown first; null unless someone may be at risk"""
    decision: Decision
    rationale: str = ""
    statements: tuple[Statement, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    documents: tuple[SourceDocument, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    missing: str = ""
    """what the model that read says is missing in the sources; may be empty"""
    read: NonNegativeInt = 0
    """documents that a model read in one call and that are not cited"""
    support: Proportion | None = None
    """share of statements that are supported; null if no validated judge assessed them"""
    faithfulness: Proportion | None = None
    """Faith(R): share of statements labelled CORRECT; null if only word statistics labelled them"""
    quoted: Proportion | None = None
    """share of statements that are verbatim quotes; not a measure of support"""
    assessment: Assessment | None = None
    """a model's verdict on the whole answer; null if none was asked"""
    searches: tuple[Search, ...] = ()
    sources: tuple[SearchedSource, ...] = ()
    """the sources of a plan of sources, in order; none for a recipe without such a plan"""
    report: Report | None = None
    """sections, sub-answers, counts and files of a report"""
    warnings: tuple[str, ...] = ()
    nearby: tuple[str, ...] = ()
    """where nothing was found: questions about a part of it that the sources have"""
    unsearched: tuple[str, ...] = ()
    """where nothing was found: names of corpora that were not searched"""
    recipe: str
    needs_evidence: bool = True
    """false for a recipe that answers from a model's memory"""
    made_by: str = ""
    """program and version"""
    models: dict[str, str] = Field(default_factory=dict)
    """operator to the model that answered it"""
    usage: UsageReport = UsageReport()
    settings_hash: str
    snapshots: tuple[SnapshotReference, ...] = ()
    trace_id: str
    created: datetime
    stopped: str | None = None
    """why the run ended early, such as an exhausted budget"""

    @property
    def headline(self) -> str:
        """Its first line, as every face shows it: the decision in words, or the first sentence."""
        return _printed(self, "wording.phrases", "headline")

    def __str__(self) -> str:
        return _printed(self, "wording.text", "as_text")

    def __repr_args__(self) -> list[tuple[str, object]]:
        return [
            ("headline", self.headline),
            ("citations", len(self.evidence)),
            ("recipe", self.recipe),
            ("trace_id", self.trace_id),
        ]

    def _repr_markdown_(self) -> str:
        return _printed(self, "wording.markup", "as_markdown")

    def _repr_html_(self) -> str:
        return _printed(self, "faces.notebook", "as_html")

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
            raise ValueError("an answer whose notice stops it quotes nothing")
        if self.decision.task != self.question.task:
            raise ValueError("decision and question have different tasks")
        if self.decision.status == "decided" and not self.evidence and self.needs_evidence:
            raise ValueError("the answer has a decision but no evidence")
        return self


def _check_report(report: Report, rationale: str, evidence: Collection[str]) -> None:
    last = 0
    for section in report.sections:
        if not last <= section.start <= section.end <= len(rationale):
            raise ValueError(f"the section {section.title!r} is outside the rationale or overlaps the one before")
        last = section.end
    named = {e for subanswer in report.subanswers for e in subanswer.evidence} | {
        e for c in report.connections for e in c.evidence
    }
    if unknown := named - set(evidence):
        raise ValueError(f"the report names unknown evidence {', '.join(sorted(unknown))}")


def _printed(answer: Answer, module: str, form: str) -> str:
    """The answer in a form of words; not imported above, because `wording` imports this module."""
    printed: str = getattr(importlib.import_module(f"medground.{module}"), form)(answer)
    return printed


# Entries in an answer's list of searches.


def search_of(found: Found, *, cached: bool) -> Search:
    """A search that was answered; `cached` where the same lookup had been made before."""
    lookup = found.lookup
    kinds: set[SourceKind] = {hit.passage.kind for ranking in found.rankings for hit in ranking}
    if found.facts:
        kinds.add("graph")
    return Search(
        source=found.source,
        query=found.named,
        status="found" if found.size else "empty",
        hits=found.size,
        kinds=tuple(sorted(kinds)) or lookup.kinds,
        node=lookup.node,
        cached=cached,
    )


def failed_search(source: str, lookup: Lookup, error: SourceUnavailable) -> Search:
    """A search that failed."""
    named, kinds, node = lookup.named, lookup.kinds, lookup.node
    return Search(source=source, query=named, status="failed", error=str(error), kinds=kinds, node=node)
