"""What the tools of the executor found for a sub-question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from medground.document import Hit
from medground.report import Attachment, FlowRow
from medground.research_plan import SubQuestion, Tool

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
