"""`ask` and `research`: a question in, an answer with citations out."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from medground.answer import Answer
from medground.errors import BudgetExhausted, NotFound
from medground.faces.mcp.inputs import Ask, Research, Searching
from medground.faces.mcp.outputs import Asked as AskedOutput
from medground.faces.mcp.outputs import Researched
from medground.faces.mcp.parts import Result
from medground.faces.mcp.tool import Call, Tool
from medground.faces.mcp.tools.answers import answer_result
from medground.query import Filters
from medground.service.asked import Asked
from medground.service.job import Job
from medground.wording.view import view


async def _ask(call: Call, value: Ask) -> Result:
    asked = Asked(
        question=value.question,
        context=value.context,
        options=value.options,
        recipe=value.recipe,
        corpora=value.corpora,
        follow=value.follow,
        filters=filters_of(value),
    )
    return await _answered(call, asked)


async def _research(call: Call, value: Research) -> Result:
    asked = Asked(
        kind="research",
        question=value.question,
        context=value.context,
        corpora=value.corpora,
        filters=filters_of(value),
    )
    return await _answered(call, asked)


def filters_of(value: Searching) -> Filters:
    """The years that a call limits the literature to."""
    return Filters(year_from=value.year_from, year_to=value.year_to)


async def _answered(call: Call, asked: Asked) -> Result:
    """Ask as a job; cancelling this stops the job, and what was found is kept."""
    call.job = await call.service.start(asked, call.person)
    try:
        answer = await followed(call, call.job)
    except asyncio.CancelledError:
        await call.job.stop()
        raise
    return answer_result(await asyncio.to_thread(view, answer), call.fence)


async def followed(call: Call, job: Job) -> Answer:
    """The answer of a job; the call tells its steps meanwhile.

    Raises:
        MedgroundError: what the job failed with.
    """
    async with aclosing(job.events()) as events:
        async for event in events:
            call.words = event.words or call.words
    try:
        answer = await job.result()
    except BudgetExhausted as error:  # its answer says why it ended early
        if error.answer is None:
            raise
        answer = error.answer
    if answer is None:
        raise NotFound("the answer was deleted before it could be shown")
    return answer


ASK = Tool(
    name="ask",
    about=(
        "Answer a biomedical question from the literature, with a verdict on each sentence and verbatim citations. "
        "Says so when nothing supports an answer."
    ),
    input=Ask,
    output=AskedOutput,
    run=_ask,
)
RESEARCH = Tool(
    name="research",
    about="Write a report on a broad question: sub-questions, then a section for each. Slower than ask.",
    input=Research,
    output=Researched,
    run=_research,
)
