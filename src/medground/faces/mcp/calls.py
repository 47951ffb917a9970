"""Calls of tools: checked, waited for with progress, turned into a job where they take long, and given in pages."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_types import CallToolResult, TextContent
from pydantic import ValidationError

from medground.errors import MedgroundError, NotFound, UsageError
from medground.faces.mcp.failures import failure, said
from medground.faces.mcp.inputs import Cursor, Input
from medground.faces.mcp.late import LateCalls
from medground.faces.mcp.outputs import GoesOn
from medground.faces.mcp.pages import Page, Pages
from medground.faces.mcp.parts import Result
from medground.faces.mcp.tool import Call, Tool
from medground.faces.mcp.untrusted import line
from medground.service.person import Person
from medground.service.problem import INTERNAL
from medground.service.service import Service

log = logging.getLogger(__name__)

Progress = Callable[[float, str], Awaitable[None]]
"""Tells a client how far a call is: a number that rises, and what happens in words."""

_TICK = 0.2
_WORDS = 300


@dataclass(frozen=True)
class Times:
    """How long clients are kept waiting, in seconds.

    Attributes:
        patience: after this, a call is answered with the id of a job: clients give up after 60.
        beat: between progress notifications while nothing new happens; one is due every 10.
    """

    patience: float = 45.0
    beat: float = 5.0


TIMES = Times()


class Calls:
    """Runs the tools of a server for the people who call them.

    Args:
        service: what answers.
        tools: what is offered, beside `read_more`, `get_job` and `cancel_job`.
        times: how long clients are kept waiting.
        clock: seconds that never go back.
    """

    def __init__(
        self,
        service: Service,
        tools: Sequence[Tool[Any]],
        times: Times = TIMES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._service = service
        self._times = times
        self._clock = clock
        self._late = LateCalls(service, times.patience * 0.8, clock)
        self.pages = Pages(clock)
        self._read_more = Tool(
            name="read_more",
            about="The next page of a result that was truncated.",
            input=Cursor,
            output=GoesOn,
            run=_never,
            missing="Call the tool again without a cursor.",
        )
        self.tools: Mapping[str, Tool[Any]] = {tool.name: tool for tool in (*tools, self._read_more, *self._late.tools)}

    async def call(self, name: str, arguments: Mapping[str, Any], person: Person, progress: Progress) -> CallToolResult:
        """The result of a call. What goes wrong is a result too, with `is_error` and the next step.

        Cancelling this stops the work, unless it goes on as a job.
        """
        call = Call(self._service, person)
        try:
            page = await self._page(name, arguments, call, progress)
        except MedgroundError as error:
            problem = self._service.problem(error)
            if isinstance(error, NotFound) and name in self.tools and (step := self.tools[name].missing):
                problem = problem.model_copy(update={"next": step})
            return failure(problem, call.fence)
        except Exception:
            log.exception("the tool %s failed", name)
            return failure(INTERNAL, call.fence)
        return CallToolResult(content=[TextContent(type="text", text=page.words)], structured_content=page.fields)

    async def _page(self, name: str, arguments: Mapping[str, Any], call: Call, progress: Progress) -> Page:
        tool = self.tools.get(name)
        if tool is None:
            raise UsageError(f"there is no tool {name[:80]!r}; tools: {', '.join(self.tools)}")
        value = _checked(tool, arguments)
        if tool is self._read_more:
            page, of = self.pages.more(value.cursor, owner=call.person.id)
            return page._replace(fields={**page.fields, "tool": of})
        work = asyncio.create_task(_run(tool, call, value))
        try:
            done = await self._waited(work, call, progress, lasts=tool.lasts)
            result = work.result() if done else self._late.take(name, call, work)
        except BaseException:
            work.cancel()
            await asyncio.wait({work})
            raise
        return self.pages.first(result, tool=str(result.head.get("tool", name)), owner=call.person.id)

    async def _waited(self, work: asyncio.Task[Result], call: Call, progress: Progress, *, lasts: bool) -> bool:
        """Wait for some work, and tell what it does; False where it takes too long."""
        start = told_at = self._clock()
        told, number = "", 0
        while not work.done():
            now = self._clock()
            if lasts and now - start >= self._times.patience:
                return False
            if (call.words and call.words != told) or now - told_at >= self._times.beat:
                number += 1
                told, told_at = call.words, now
                await progress(number, line(call.words, _WORDS) or "at work")
            await asyncio.wait({work}, timeout=_TICK)
        return True


def _checked(tool: Tool[Any], arguments: Mapping[str, Any]) -> Any:
    """The arguments as the type that the tool takes.

    Raises:
        UsageError: they do not fit; the message says how.
    """
    try:
        return tool.input.model_validate(dict(arguments))
    except ValidationError as error:
        fields = ", ".join(tool.input.model_fields)
        raise UsageError(f"{said(error)} ({tool.name} takes {fields})") from None


async def _run(tool: Tool[Any], call: Call, value: Input) -> Result:
    try:
        return await tool.run(call, value)
    except ValidationError as error:  # a value that only the service knows to be wrong
        raise UsageError(said(error)) from None


async def _never(call: Call, value: Cursor) -> Result:
    """A page is read where pages are kept."""
    raise UsageError("read_more gives a page of a result")
