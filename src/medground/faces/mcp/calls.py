"""Calls of tools: checked, waited for with progress, turned into a job where they take long, and given in pages."""

import asyncio
import logging
from asyncio import to_thread
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from time import monotonic
from typing import Any

from mcp_types import CallToolResult, TextContent
from pydantic import ValidationError

from medground.errors import MedgroundError, NotFound, UsageError
from medground.faces.mcp.answers import answer_result
from medground.faces.mcp.catalogue import TOOLS
from medground.faces.mcp.pages import Fence, Page, Pages, Result, line
from medground.faces.mcp.tool import TIMES, Call, Cursor, Input, JobId, Run, Times, Tool
from medground.faces.service.job import Job, Tell
from medground.faces.service.job_store import State
from medground.faces.service.service import Service
from medground.faces.service.values import INTERNAL, Person, Problem
from medground.home.layers import wrong_values


def _state(tool: str, job: Job, words: str) -> Result:
    what = line(words, _WORDS)
    head = {"tool": tool, "job": job.id, "state": job.state, **({"words": what} if what else {})}
    step = "" if job.is_finished else f' Call get_job with job "{job.id}" for the result, or cancel_job to stop it.'
    return Result(head=head, words=f"{tool} is {job.state}: {what or 'running'}.{step}")


def _with(result: Result, tool: str, job: Job, state: State) -> Result:
    """A result with the job that made it; the notice stays first."""
    notice = {"notice": result.head["notice"]} if "notice" in result.head else {}
    return replace(result, head={**notice, "tool": tool, "job": job.id, "state": state, **result.head})


_LINE = 1_000


def failure(problem: Problem, fence: Fence) -> CallToolResult:
    """A problem, with `is_error`. A notice comes first. Clients hold its fields to the output schema of a tool, too.

    One about the call says itself what to correct, so it has no next step.
    """
    notice = problem.notice.sentence if problem.notice else None
    detail = line(problem.detail, _LINE)
    step = None if problem.type.endswith(":usage") else problem.next
    given: dict[str, Any] = {"notice": notice, "error": problem.title, "detail": detail, "next": step}
    given |= {"retry_after": problem.retry_after, "trace_id": problem.trace_id or None}
    fields = {name: value for name, value in given.items() if value is not None} | {"truncated": False}
    wait = f" Retry after {problem.retry_after} s." if problem.retry_after is not None else ""
    lines = [notice, f"{problem.title}: {fence('detail', detail)}", step and f"Next: {step}{wait}"]
    words = "\n".join(filter(None, lines))
    return CallToolResult(content=[TextContent(type="text", text=words)], structured_content=fields, is_error=True)


def said(error: ValidationError) -> str:
    """What is wrong with values, in one line, without the values."""
    return line(wrong_values(error.errors(include_url=False, include_input=False), most=3), _LINE)


log = logging.getLogger(__name__)

Progress = Callable[[float, str], Awaitable[None]]
"""Tells a client how far a call is: a number that rises, and what happens in words."""

_TICK = 0.2
_WORDS = 300


class Calls:
    """Runs the tools of a server for the people who call them; a call that takes long goes on as a job.

    A job that another face began can be read and stopped here, too.
    """

    def __init__(self, service: Service, times: Times = TIMES) -> None:
        self.service = service
        self._times = times
        self._late = set[asyncio.Task[Result | Page]]()
        self.pages = Pages(service.jobs.shared.records, service.jobs.shared.clock)
        self._own: Mapping[str, Run] = {"read_more": self._more, "get_job": self._get, "cancel_job": self._cancel}

    async def call(self, name: str, arguments: Mapping[str, Any], person: Person, progress: Progress) -> CallToolResult:
        """The result of a call. What goes wrong is a result too, with `is_error` and the next step.

        Cancelling this stops the work, unless it goes on as a job.
        """
        call = Call(self.service, person)
        try:
            page = await self._page(name, arguments, call, progress)
        except MedgroundError as error:
            problem = self.service.problem(error)
            if problem.status == 404 and name in TOOLS and (step := TOOLS[name].missing):
                problem = problem.replace(next=step)
            return failure(problem, call.fence)
        except Exception:
            log.exception("the tool %s failed", name)
            return failure(INTERNAL, call.fence)
        return CallToolResult(content=[TextContent(type="text", text=page.words)], structured_content=page.fields)

    async def _page(self, name: str, arguments: Mapping[str, Any], call: Call, progress: Progress) -> Page:
        tool = TOOLS.get(name)
        if tool is None:
            raise UsageError(f"there is no tool {name[:80]!r}; tools: {', '.join(TOOLS)}")
        value = _checked(tool, arguments)
        run = self._own[name] if name in self._own else await to_thread(tool.load)
        work = asyncio.create_task(_run(run, call, value))
        try:
            done = await self._waited(work, call, progress, lasts=tool.lasts)
            result = work.result() if done else await self._take(name, call, work)
        except BaseException:
            work.cancel()
            await asyncio.wait({work})
            raise
        return await to_thread(self.pages.first, result, tool=name, owner=call.person.id)

    async def _waited(self, work: asyncio.Task[Result | Page], call: Call, progress: Progress, *, lasts: bool) -> bool:
        """Wait for some work, and tell what it does; False where it takes too long."""
        start = told_at = monotonic()
        told, number = "", 0
        while not work.done():
            now = monotonic()
            if lasts and now - start >= self._times.patience:
                return False
            if (call.words and call.words != told) or now - told_at >= self._times.beat:
                number += 1
                told, told_at = call.words, now
                await progress(number, line(call.words, _WORDS) or "running")
            await asyncio.wait({work}, timeout=_TICK)
        return True

    async def _take(self, tool: str, call: Call, work: asyncio.Task[Result | Page]) -> Result:
        """Let a call go on as a job; what the client gets meanwhile.

        The work of a question listens to its own job, so that the job lives on although the client has gone. Another
        tool's result is kept under the name of its job before that ends.
        """

        async def kept(tell: Tell) -> None:
            if isinstance(result := await work, Result):
                told = _with(result, tool, tell.job, "done")
                await to_thread(self.pages.first, told, tool=tool, owner=call.person.id, name=tell.job.id)

        job = call.job or await self.service.begin(kept, call.person, kind=tool, title=tool, in_line=False)
        self._late.add(work)
        work.add_done_callback(self._ended)
        return _state(tool, job, call.words)

    def _ended(self, work: asyncio.Task[Result | Page]) -> None:
        """An error is reported by the job; it is not lost here."""
        self._late.discard(work)
        if not work.cancelled():
            work.exception()

    async def _more(self, call: Call, value: Cursor) -> Page:
        return await to_thread(self.pages.more, value.cursor, owner=call.person.id)

    async def _get(self, call: Call, value: JobId) -> Result | Page:
        job = await self.service.jobs.find(value.job.strip(), call.person.id)
        start = monotonic()
        while not job.is_finished and monotonic() - start < self._times.patience * 0.8:
            call.words = job.told.words
            await asyncio.sleep(_TICK)
            job = await self.service.jobs.find(job.id, call.person.id)
        if not job.is_finished:
            return _state(job.told.kind, job, job.told.words)
        return await self._outcome(call, job)

    async def _cancel(self, call: Call, value: JobId) -> Result | Page:
        job = await self.service.jobs.find(value.job.strip(), call.person.id)
        await job.stop()
        return await self._outcome(call, job)

    async def _outcome(self, call: Call, job: Job) -> Result | Page:
        """What a finished job found; one that was stopped or failed gives what it had found until then, if anything."""
        tool = job.told.kind
        if job.trace_id is not None:
            answer = await self.service.answer(job.trace_id, call.person)
            return _with(await to_thread(answer_result, answer, call.fence), tool, job, job.state)
        if job.state == "failed":
            await job.result()
        with suppress(NotFound):
            return await to_thread(self.pages.more, f"{job.id}.0", owner=call.person.id)
        return _state(tool, job, "Nothing had been found." if job.state == "stopped" else "No result is kept.")


def _checked(tool: Tool, arguments: Mapping[str, Any]) -> Any:
    try:
        return tool.input.model_validate(dict(arguments))
    except ValidationError as error:
        fields = ", ".join(tool.input.model_fields)
        raise UsageError(f"{said(error)} ({tool.name} takes {fields})") from None


async def _run(run: Run, call: Call, value: Input) -> Result | Page:
    try:
        return await run(call, value)
    except ValidationError as error:  # a value that only the service knows to be wrong
        raise UsageError(said(error)) from None
