"""A text checked against its own references, and a check as a file."""

import asyncio
from collections.abc import Callable
from typing import Annotated, Literal

from fastapi import APIRouter, Body, Query, Request
from pydantic import Base64Bytes, Field
from starlette.responses import Response

from medground.checking.files import text_in
from medground.errors import UsageError
from medground.faces.api.answers import BINARY, FORMS, download
from medground.faces.api.caller import Caller, Served
from medground.faces.api.middleware import while_there
from medground.faces.service.request import Name, Where
from medground.values.finding import TextCheck
from medground.wording.checked_text import as_docx, as_html
from medground.wording.sarif import as_sarif

router = APIRouter(prefix="/v1/check", tags=["literature"])
MOST = 150_000
"""Characters of a text: about 1,500 sentences, which take some minutes."""
_SARIF = ["application/sarif+json", "sarif"]


class TextAsked(Where):
    """A text with its references, as it is or as the content of a file; and what holds the papers that it cites."""

    text: str = Field(default="", max_length=MOST)
    content: Base64Bytes | None = None
    """a file in base64, in place of `text`"""
    name: Name = "text.md"
    """of the file; its ending says how it is read"""
    fields: tuple[Name, ...] = Field(default=(), max_length=50)
    """of YAML and JSON, as dotted paths"""


@router.post("", summary="Check a text against its references")
async def check(
    asked: Annotated[TextAsked, Body(examples=[{"text": "Aspirin prevents ischemic stroke (PMID: 1)."}])],
    request: Request,
    person: Caller,
    service: Served,
) -> TextCheck:
    """What the papers that a text cites say of each of its sentences; offsets count code points of `texts`."""
    text = asked.text if asked.content is None else await asyncio.to_thread(text_in, asked.content, asked.name)
    if len(text) > MOST:
        raise UsageError(f"{asked.name} has {len(text):,} characters; send at most {MOST:,}, part by part")
    work = service.check_text(text, person, file=asked.name, fields=asked.fields, **asked.named())
    return await while_there(request, work)


_MAKERS: dict[str, Callable[[TextCheck], str | bytes]] = {"html": as_html, "docx": as_docx, "sarif": as_sarif}
_FILES = dict.fromkeys((FORMS["html"][0], FORMS["docx"][0], _SARIF[0]), BINARY)


@router.post(
    "/export",
    summary="A check as a file",
    response_class=Response,
    responses={200: {"description": "The file.", "content": _FILES}},
)
async def export(
    found: TextCheck, person: Caller, form: Annotated[Literal["html", "docx", "sarif"], Query(alias="format")]
) -> Response:
    """A check that you received, as a page, as a Word document with comments, or as SARIF. Nothing is kept."""
    content = await asyncio.to_thread(_MAKERS[form], found)
    kind, suffix = {**FORMS, "sarif": _SARIF}[form]
    return download(content if isinstance(content, bytes) else content.encode(), kind, f"medground-check.{suffix}")
