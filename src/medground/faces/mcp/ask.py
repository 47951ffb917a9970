"""`ask`, `research` and `verify_claim`: a question or claims in, an answer with citations out."""

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from typing import Literal

from medground.answering.captions import verdict
from medground.answering.conclude.claim import CheckedClaim
from medground.errors import MedgroundError
from medground.faces.mcp import answers
from medground.faces.mcp.outputs import Citation
from medground.faces.mcp.pages import WORDS, Fence, Part, Result, headed, line
from medground.faces.mcp.tool import Ask, Call, Claims, Research, Searching
from medground.faces.service.job import Job
from medground.faces.service.request import AskBody
from medground.language.clean import some
from medground.language.risk.notices import most_urgent
from medground.values.answer import Answer
from medground.values.query import Filters
from medground.wording.view import document_view, search_view


async def ask(call: Call, value: Ask) -> Result:
    return await _answered(call, value, "ask")


async def research(call: Call, value: Research) -> Result:
    return await _answered(call, value, "research")


async def _answered(call: Call, value: Research, kind: Literal["ask", "research"]) -> Result:
    """Ask as a job; cancelling this stops the job, and what was found is kept."""
    given = value.model_dump(exclude={"year_from", "year_to"})
    call.job = await call.service.start(AskBody(kind=kind, **given, filters=filters_of(value)), call.person)
    try:
        answer = await followed(call, call.job)
    except asyncio.CancelledError:
        await call.job.stop()
        raise
    return await asyncio.to_thread(answers.answer_result, answer, call.fence)


def filters_of(value: Searching) -> Filters:
    """The years that a call limits the literature to."""
    return Filters(year_from=value.year_from, year_to=value.year_to)


async def followed(call: Call, job: Job) -> Answer:
    """The answer of a job; the call tells its steps meanwhile."""
    async with aclosing(job.events()) as events:
        async for event in events:
            call.words = event.words or call.words
    return await job.outcome()


async def verify_claim(call: Call, value: Claims) -> Result:
    """Check each claim in turn; one that fails does not cost the others."""
    notice = most_urgent(*value.claims)
    entries: list[Part] = []
    quotes: list[Part] = []
    others: dict[tuple[str, str], Part] = {}
    failed = 0
    for number, claim in enumerate(value.claims, start=1):
        call.words = f"checking claim {number} of {len(value.claims)}"
        try:
            checked = await call.service.verify(claim, call.person, corpora=value.corpora, sources=value.sources)
        except MedgroundError as error:
            failed += 1
            problem = call.service.problem(error)
            entries.append(_without(number, claim, problem.detail, problem.next, call.fence))
            continue
        if checked.notice is not None and checked.notice.stops:
            failed += 1
            entries.append(_without(number, claim, "nothing was searched", "Tell the user the notice.", call.fence))
            continue
        entries += _statements(number, checked, call.fence)
        quotes += _quotes(number, checked, call.fence)
        others |= {key: part for key, part in _others(checked, call.fence) if key not in others}
    said = f"{len(value.claims) - failed} of {some(len(value.claims), 'claim')} checked."
    parts = [*entries, *quotes, *others.values()]
    return headed(notice.sentence if notice else None, call.fence, said, parts, claims=[])


def _statements(number: int, checked: CheckedClaim, fence: Fence) -> Iterator[Part]:
    """The statements of a claim, each with its verdict and the ids of the quotes that decided it."""
    for statement in checked.statements:
        value = {
            "claim": number,
            "status": "found" if statement.evidence else "not found",
            "text": statement.text,
            "label": statement.verdict.label,
            "verdict": line(verdict(statement.verdict), WORDS),
            "citations": [f"{number}.{name}" for name in statement.evidence],
        }
        yield Part("claims", value, fence.words("statement"), cut="text")


def _quotes(number: int, checked: CheckedClaim, fence: Fence) -> Iterator[Part]:
    retractions = {document.id: document.retraction for document in checked.documents}
    for quote in checked.evidence:
        retraction = retractions.get(quote.document_id, "none")
        value = answers.shown_as(
            Citation, quote, id=f"{number}.{quote.id}", place=None, stance=None, retraction=retraction
        )
        yield answers.quote_part("citations", answers.fields_of(value), fence)


def _others(checked: CheckedClaim, fence: Fence) -> Iterator[tuple[tuple[str, str], Part]]:
    """Documents, failed searches and warnings, each under what tells it from the others."""
    for document in checked.documents:
        yield ("document", document.id), answers.source_part(document_view(document), fence)
    for search in checked.searches:
        if search.status == "failed":
            yield ("search", search.source), answers.search_part(search_view(search), fence)
    for warning in checked.warnings:
        yield ("note", warning), answers.note_part(warning, fence)


def _without(number: int, claim: str, error: str, next_step: str, fence: Fence) -> Part:
    value = {"claim": number, "status": "failed", "text": claim, "error": line(error, WORDS), "next": next_step}
    return Part("claims", value, fence.words("failed_claim"), cut="text")
