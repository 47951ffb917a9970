"""`verify_claim`: claims compared with what the sources hold."""

from __future__ import annotations

from collections.abc import Iterator

from medground.conclude.claim import CheckedClaim
from medground.errors import MedgroundError
from medground.faces.mcp.inputs import Claims
from medground.faces.mcp.outputs import Checked, Citation, ClaimsChecked
from medground.faces.mcp.parts import Fields, Part, Result
from medground.faces.mcp.tool import Call, Tool
from medground.faces.mcp.tools.answers import (
    WORDS,
    document_part,
    fields_of,
    note_part,
    quote_part,
    search_part,
    shown_as,
)
from medground.faces.mcp.untrusted import Fence, line
from medground.risk.notices import most_urgent
from medground.text.english import some
from medground.verify.verdict_words import verdict
from medground.wording.view import search_view


async def _verify(call: Call, value: Claims) -> Result:
    """Check each claim in turn; one that fails does not cost the others."""
    notice = most_urgent(*value.claims)
    entries: list[Part] = []
    quotes: list[Part] = []
    others: dict[tuple[str, str], Part] = {}
    failed = 0
    for number, claim in enumerate(value.claims, start=1):
        call.words = f"checking claim {number} of {len(value.claims)}"
        try:
            checked = await call.service.verify(claim, call.person)
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
    return Result(
        head={**({"notice": notice.sentence} if notice else {}), "claims": []},
        words="\n".join(filter(None, [notice.sentence if notice else "", call.fence.rule, said])),
        parts=[*entries, *quotes, *others.values()],
    )


def _statements(number: int, checked: CheckedClaim, fence: Fence) -> Iterator[Part]:
    """The statements of a claim, each with its verdict and the ids of the quotes that decided it."""
    for statement in checked.statements:
        value = Checked(
            claim=number,
            status="found" if statement.evidence else "not found",
            text=statement.text,
            label=statement.verdict.label,
            verdict=line(verdict(statement.verdict), WORDS),
            citations=tuple(f"{number}.{name}" for name in statement.evidence),
        )
        yield Part("claims", fields_of(value), lambda v: _words(v, fence), cut="text")


def _quotes(number: int, checked: CheckedClaim, fence: Fence) -> Iterator[Part]:
    retractions = {document.id: document.retraction for document in checked.documents}
    for quote in checked.evidence:
        retraction = retractions.get(quote.document_id, "none")
        value = shown_as(Citation, quote, id=f"{number}.{quote.id}", place=None, stance=None, retraction=retraction)
        yield quote_part("citations", fields_of(value), fence)


def _others(checked: CheckedClaim, fence: Fence) -> Iterator[tuple[tuple[str, str], Part]]:
    """Documents, failed searches and warnings, each under what tells it from the others."""
    for document in checked.documents:
        yield ("document", document.id), document_part("documents", document, fence)
    for search in checked.searches:
        if search.status == "failed":
            yield ("search", search.source), search_part(search_view(search), fence)
    for warning in checked.warnings:
        yield ("note", warning), note_part(warning, fence)


def _words(value: Fields, fence: Fence) -> str:
    cited = "".join(f" [{name}]" for name in value["citations"])
    said = f"{value['claim']}. {fence('statement', value['text'])}{cited}"
    return f"{said}\n    {fence('verdict', value['verdict'])}"


def _without(number: int, claim: str, error: str, next_step: str, fence: Fence) -> Part:
    """A claim that could not be checked."""
    value = {"claim": number, "status": "failed", "text": claim, "error": line(error, WORDS), "next": next_step}

    def words(v: Fields) -> str:
        return f"{v['claim']}. {fence('claim', v['text'])} failed: {fence('error', v['error'])} {v['next']}"

    return Part("claims", value, words, cut="text")


VERIFY_CLAIM = Tool(
    name="verify_claim",
    about="Compare claims with the literature: a verdict for each statement and the quote that decided it.",
    input=Claims,
    output=ClaimsChecked,
    run=_verify,
)
