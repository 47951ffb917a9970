"""What the tools of the executor found for a sub-question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from medground.values.document import Hit
from medground.values.report import Attachment, FlowRow
from medground.values.research_plan import ResearchPlan, SubQuestion, Tool

ToolState = Literal["found", "empty", "failed", "not configured"]


@dataclass(frozen=True)
class ToolFound:
    """What one tool found.

    Attributes:
        tool: the tool.
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

    def by_subquestion(self, why_not: str) -> list[SubFound]:
        """What there is for each sub-question, in the plan's order; `why_not` says why a tool has not ended."""
        return [
            SubFound(one, tuple(self._of(one, tool, why_not) for tool in self.tools[one.id]))
            for one in self.plan.subquestions
        ]

    def _of(self, one: SubQuestion, tool: Tool, why_not: str) -> ToolFound:
        ended = self.found.get((one.id, tool))
        return ended or failed_tool(one, tool, why_not)


NOT_ENDED = "the run ended before"
"""Why a tool found nothing in a run that reached a limit."""


def failed_tool(one: SubQuestion, tool: Tool, why: str) -> ToolFound:
    """A tool that could search nothing for a sub-question, and why."""
    return ToolFound(tool=tool, state="failed", flow=FlowRow(subquestion=one.id, tool=tool), failures=(why,))
