"""A report: the sections of an answer's rationale, what each sub-question found, and what was counted on the way.

Source: BioMedSearch, section III.C.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from medground.values.document import DocumentId, Frozen
from medground.values.research_plan import ResearchPlan, Tool

SectionKind = Literal["background", "findings", "synthesis", "limitations", "searched"]
SubAnswerState = Literal["answered", "not answerable", "failed"]
"""`answered`: evidence addresses it. `not answerable`: it was searched, and nothing found addresses it. `failed`: none
of its sources could be searched."""
Relation = Literal["supports", "extends", "contradicts"]


class ReportSection(Frozen):
    """A section: its statements are those within `rationale[start:end]`; `notes` are lines of the program itself."""

    kind: SectionKind
    title: str
    start: int = Field(default=0, ge=0)
    end: int = Field(default=0, ge=0)
    notes: tuple[str, ...] = ()
    subquestion: str = Field(default="", description="the sub-question that it is about; empty for the whole question")


class SubAnswer(Frozen):
    """What became of a sub-question. `answered_by` names the model that read what was found, or `keyless`."""

    id: str
    state: SubAnswerState
    reason: str = ""
    evidence: tuple[str, ...] = ()
    answered_by: str = ""


class Connection(Frozen):
    """How two sub-answers hang together, with the quotes that show it. `found_by` as in `Conflict`."""

    first: str
    second: str
    relation: Relation
    evidence: tuple[str, ...] = ()
    found_by: str
    about: str = ""


class FlowRow(Frozen):
    """What one tool found for one sub-question, counted as in a PRISMA diagram.

    `found - merged - filtered - cut == kept`: `merged` are duplicates across databases, `filtered` fell under the
    threshold of keywords or relevance, `cut` were not among the best k. `lost` are ids of documents
    that a database ranked first, that were filtered, and that would have been among the best k otherwise.
    """

    subquestion: str
    tool: Tool
    found: int = Field(default=0, ge=0)
    merged: int = Field(default=0, ge=0)
    filtered: int = Field(default=0, ge=0)
    cut: int = Field(default=0, ge=0)
    kept: int = Field(default=0, ge=0)
    cited: int = Field(default=0, ge=0)
    lost: tuple[DocumentId, ...] = ()


class Attachment(Frozen):
    """A file that goes with a report, kept under the hash of its content."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")
    media_type: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    size: int = Field(ge=0)
    title: str
    document_id: DocumentId | None = None
    licence: str = ""
    origin: str = ""


class Report(Frozen):
    """The parts of an answer that is a report, beside its rationale, statements, evidence and documents."""

    plan: ResearchPlan
    sections: tuple[ReportSection, ...] = ()
    subanswers: tuple[SubAnswer, ...] = ()
    connections: tuple[Connection, ...] = ()
    flow: tuple[FlowRow, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    read: tuple[DocumentId, ...] = Field(default=(), description="read, not cited")
