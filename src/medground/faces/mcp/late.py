"""Calls that take longer than a client waits: they go on as jobs, which two tools read and stop."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace

from medground.faces.mcp.inputs import JobId
from medground.faces.mcp.outputs import GoesOn
from medground.faces.mcp.parts import Result
from medground.faces.mcp.tool import Call, Tool
from medground.faces.mcp.tools.answers import answer_result
from medground.faces.mcp.untrusted import line
from medground.service.job import Job
from medground.service.service import Service
from medground.wording.view import view

_AGAIN = "Call the tool again."
_MOST = 50
"""Results of jobs that are kept until somebody reads them."""
_TICK = 0.2
_WORDS = 300
_ENDING = 5.0
"""Seconds that a finished job may take to be put into words."""


@dataclass(frozen=True)
class _Late:
    tool: str
    work: asyncio.Task[Result]


class LateCalls:
    """Calls that went on as jobs. A job that another face began can be read and stopped here, too.

    Args:
        service: whose jobs they are.
        patience: seconds for which `get_job` waits for an end.
        clock: seconds that never go back.
    """

    def __init__(self, service: Service, patience: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._service = service
        self._patience = patience
        self._clock = clock
        self._late: OrderedDict[str, _Late] = OrderedDict()

    def take(self, tool: str, call: Call, work: asyncio.Task[Result]) -> Result:
        """Let a call go on as a job; what the client gets meanwhile.

        The work of a question listens to its own job, so that the job lives on although the client has gone.
        """
        job = call.job or self._service.begin(
            lambda tell: _ended(work), call.person, kind=tool, title=tool, in_line=False
        )
        work.add_done_callback(_look_at)
        self._late[job.id] = _Late(tool, work)
        while len(self._late) > _MOST:
            _, oldest = self._late.popitem(last=False)
            oldest.work.cancel()
        return _state(tool, job, call.words)

    @property
    def tools(self) -> tuple[Tool[JobId], ...]:
        """`get_job` and `cancel_job`."""
        return (
            Tool(
                name="get_job",
                about="The state of a job, or its result once it has ended. Waits a while for the end.",
                input=JobId,
                output=GoesOn,
                run=self._get,
                lasts=False,
                missing=_AGAIN,
            ),
            Tool(
                name="cancel_job",
                about="Stop a job. What it has found is kept and given.",
                input=JobId,
                output=GoesOn,
                run=self._cancel,
                reads=False,
                lasts=False,
                missing=_AGAIN,
            ),
        )

    async def _get(self, call: Call, value: JobId) -> Result:
        job = self._service.jobs.find(value.job.strip(), call.person.id)
        late = self._late.get(job.id)
        start = self._clock()
        while not job.is_finished and self._clock() - start < self._patience:
            call.words = job.now().words
            await asyncio.sleep(_TICK)
        if not job.is_finished:
            return _state(late.tool if late else job.kind, job, job.now().words)
        return await self._outcome(call, job, late)

    async def _cancel(self, call: Call, value: JobId) -> Result:
        job = self._service.jobs.find(value.job.strip(), call.person.id)
        await job.stop()
        return await self._outcome(call, job, self._late.get(job.id))

    async def _outcome(self, call: Call, job: Job, late: _Late | None) -> Result:
        """What a finished job found; one that was stopped or failed gives what it had found until then, if anything.

        Raises:
            MedgroundError: it failed and found nothing.
        """
        tool = late.tool if late else job.kind
        if late is not None:
            await asyncio.wait({late.work}, timeout=_ENDING)
            if late.work.done() and not late.work.cancelled() and late.work.exception() is None:
                return _with(late.work.result(), tool, job)
        if job.trace_id is not None:
            answer = await self._service.answer(job.trace_id, call.person)
            return _with(answer_result(await asyncio.to_thread(view, answer), call.fence), tool, job)
        if job.state == "failed":
            await job.result()
        return _state(tool, job, "Nothing had been found." if job.state == "stopped" else "")


def _state(tool: str, job: Job, words: str) -> Result:
    """A job without a result."""
    what = line(words, _WORDS)
    head = {"tool": tool, "job": job.id, "state": job.state, **({"words": what} if what else {})}
    step = "" if job.is_finished else f' Call get_job with job "{job.id}" for the result, or cancel_job to stop it.'
    return Result(head=head, words=f"{tool} is {job.state}: {what or 'at work'}.{step}")


def _with(result: Result, tool: str, job: Job) -> Result:
    """A result with the job that made it; the notice stays first."""
    notice = {"notice": result.head["notice"]} if "notice" in result.head else {}
    return replace(result, head={**notice, "tool": tool, "job": job.id, "state": job.state, **result.head})


async def _ended(work: asyncio.Task[Result]) -> None:
    """A job that ends with some work; stopping the job stops the work."""
    await work


def _look_at(work: asyncio.Task[Result]) -> None:
    """An error is told by the job; it is not lost here."""
    if not work.cancelled():
        work.exception()
