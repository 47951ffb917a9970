"""Suggestions while a question is typed."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from medground.faces.api.caller import Caller
from medground.faces.web.held import Page
from medground.faces.web.suggestions import Suggestion

router = APIRouter(tags=["page"])
MOST = 20


@router.get("/v1/suggest", summary="Names that complete what is typed", responses={422: {}})
async def suggest(
    person: Caller,
    page: Page,
    q: Annotated[str, Query(max_length=4000, description="what is typed, up to the caret")],
    limit: Annotated[int, Query(ge=1, le=MOST)] = 8,
) -> list[Suggestion]:
    """Names and synonyms of the graphs that begin as the last words of what is typed; `start` is where these begin."""
    return await page.suggestions.of(q, limit)
