"""A report: the sections of an answer's rationale, what each sub-question found, and what was counted on the way."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import Field, NonNegativeInt

from medground.values.document import DocumentId, Frozen, Hit
from medground.values.research_plan import ResearchPlan, SubQuestion, Tool

SectionKind = Literal["short", "background", "findings", "synthesis", "limitations", "searched"]
SubAnswerState = Literal["answered", "not answerable", "failed"]
"""`answered`: evidence addresses it. `not answerable`: it was searched, and nothing found addresses it. `failed`: none
of its sources could be searched."""
Relation = Literal["supports", "extends", "contradicts"]


class ReportSection(Frozen):
    """A section: its statements are those within `rationale[start:end]`; `notes` are lines of the program itself."""

    kind: SectionKind
    title: str
    start: NonNegativeInt = 0
    end: NonNegativeInt = 0
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
    found: NonNegativeInt = 0
    merged: NonNegativeInt = 0
    filtered: NonNegativeInt = 0
    cut: NonNegativeInt = 0
    kept: NonNegativeInt = 0
    cited: NonNegativeInt = 0
    lost: tuple[DocumentId, ...] = ()


class Attachment(Frozen):
    """A file that goes with a report, kept under the hash of its content."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")
    media_type: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    size: NonNegativeInt
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


# What the tools of the executor found for a sub-question.

ToolState = Literal["found", "empty", "failed", "not configured"]


@dataclass(frozen=True)
class ToolFound:
    """What one tool found.

    Attributes:
        state: `empty`: searched, and nothing was kept; `failed`: no source of it could be searched.
        hits: what is kept, best first, ranks 1, 2, 3, ... Their documents are in the run's ledger.
        flow: the counts; `cited` is filled in when the report is written.
        failures: one line for each source that failed or is not configured: what was missed.
        notes: what a reader should know, such as a gene that several organisms have.
        names: names that the records found use for what was looked for; they sharpen later queries.
        attachments: files that go with the report, such as a structure and its picture.
    """

    tool: Tool
    state: ToolState
    flow: FlowRow
    hits: tuple[Hit, ...] = ()
    failures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True)
class SubFound:
    """What all tools of a sub-question found."""

    subquestion: SubQuestion
    tools: tuple[ToolFound, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names that sharpen later queries, each once."""
        return tuple(dict.fromkeys(name for tool in self.tools for name in tool.names))


@dataclass
class ResearchSoFar:
    """How far a research is: its plan, the tools of each sub-question, and what each tool that has ended found."""

    plan: ResearchPlan
    tools: Mapping[str, tuple[Tool, ...]]
    found: dict[tuple[str, Tool], ToolFound] = field(default_factory=dict)

    def by_subquestion(self) -> list[SubFound]:
        """What there is for each sub-question, in the plan's order, also of tools that have not ended."""
        return [
            SubFound(
                subquestion,
                tuple(
                    self.found.get((subquestion.id, tool)) or failed_tool(subquestion, tool, NOT_ENDED)
                    for tool in self.tools[subquestion.id]
                ),
            )
            for subquestion in self.plan.subquestions
        ]


NOT_ENDED = "the run ended before"
"""Why a tool found nothing in a run that reached a limit."""


def failed_tool(one: SubQuestion, tool: Tool, why: str) -> ToolFound:
    """A tool that could search nothing for a sub-question, and why."""
    return ToolFound(tool=tool, state="failed", flow=FlowRow(subquestion=one.id, tool=tool), failures=(why,))
