"""What a tool is: its types, its words for a model, and the function that does it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from mcp_types import Tool as Listed
from mcp_types import ToolAnnotations

from medground.faces.mcp.inputs import Input
from medground.faces.mcp.outputs import Paged
from medground.faces.mcp.parts import Result
from medground.faces.mcp.schemas import schema_of
from medground.faces.mcp.untrusted import Fence
from medground.service.job import Job
from medground.service.person import Person
from medground.service.service import Service

I = TypeVar("I", bound=Input)  # noqa: E741


@dataclass
class Call:
    """One call of a tool: whose it is, and what it tells while it is at work.

    Attributes:
        service: what answers.
        person: whose call it is.
        words: the latest step in words.
        job: the job of the service that does the work, if there is one.
        fence: marks text of documents as data.
    """

    service: Service
    person: Person
    words: str = ""
    job: Job | None = None
    fence: Fence = field(default_factory=Fence)


@dataclass(frozen=True)
class Tool(Generic[I]):
    """A tool of the catalogue.

    Attributes:
        name: as clients call it.
        about: when to use it, for a model.
        input: what it takes.
        output: the type behind its output schema.
        run: does it.
        reads: it changes nothing that a user would miss.
        lasts: it may take long, and then goes on as a job.
        missing: the next step where what it was asked for is not there.
    """

    name: str
    about: str
    input: type[I]
    output: type[Paged]
    run: Callable[[Call, I], Awaitable[Result]]
    reads: bool = True
    lasts: bool = True
    missing: str = ""

    @property
    def listed(self) -> Listed:
        """Its entry in `tools/list`."""
        hints: dict[str, Any] = {"read_only_hint": True} if self.reads else {"destructive_hint": False}
        return Listed(
            name=self.name,
            description=self.about,
            input_schema=schema_of(self.input),
            output_schema=schema_of(self.output),
            annotations=ToolAnnotations(**hints),
        )
