"""Resources and prompts: answers and documents by id, and requests that a person can choose in a client."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import unquote

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CompleteRequestParams,
    Completion,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    PromptReference,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
)

from medground.errors import MedgroundError
from medground.faces.mcp.pages import NAME, Page, Result, line
from medground.faces.mcp.tool import Call, Fetch
from medground.home.files import tables

if TYPE_CHECKING:
    from medground.faces.mcp.calls import Calls

_PLACE = "medground://"
_ANSWERS = f"{_PLACE}answer/"
_TEXT = "text/plain"
_TEXTS = tables("faces/service", "texts")
_LISTED = 50
"""Answers of a page of resources."""
_COMPLETED = 100
"""Values of a completion, as the protocol allows."""
INSTRUCTIONS = " ".join(_TEXTS["instructions"])
TEMPLATES = ListResourceTemplatesResult(
    resource_templates=[
        ResourceTemplate(
            name=name,
            title=name.capitalize(),
            uri_template=f"{_PLACE}{name}/{{id}}",
            description=about,
            mime_type=_TEXT,
        )
        for name, about in _TEXTS["resources"].items()
    ]
)
PROMPTS = ListPromptsResult(
    prompts=[
        Prompt(
            name=name,
            title=name.replace("_", " ").capitalize(),
            description=one["about"],
            arguments=[
                PromptArgument(name=key, description=about, required=True if about else None)
                for key, about in {**one["takes"], **dict.fromkeys(one["may"])}.items()
            ],
        )
        for name, one in _TEXTS["prompts"].items()
    ]
)


async def resources(call: Call, cursor: str | None = None) -> ListResourcesResult:
    """The answers of the person, the latest first; a page ends with the id of its last answer, and the next begins."""
    answers = await call.service.history(call.person, limit=_LISTED, before=cursor)
    return ListResourcesResult(
        resources=[
            Resource(
                name=one.trace_id, title=line(one.question, NAME), uri=f"{_ANSWERS}{one.trace_id}", mime_type=_TEXT
            )
            for one in answers
        ],
        next_cursor=answers[-1].trace_id if len(answers) == _LISTED else None,
    )


async def completed(call: Call, parameters: CompleteRequestParams, offered: Mapping[str, Sequence[str]]) -> Completion:
    """The ids of the latest answers whose id or question has what was typed; of other resources none is listed.

    For a prompt, the names that an argument can have (`offered`), also after a comma.
    """
    typed = parameters.argument.value.casefold()
    if isinstance(parameters.ref, PromptReference):
        before, comma, last = typed.rpartition(",")
        names = (name for name in offered.get(parameters.argument.name, ()) if last.strip() in name.casefold())
        return Completion(values=[f"{before}{comma}{name}" for name in islice(names, _COMPLETED)])
    answers = (await resources(call)).resources if parameters.ref.uri.startswith(_ANSWERS) else []
    return Completion(values=[one.name for one in answers if typed in f"{one.name} {one.title}".casefold()])


async def read(calls: Calls, call: Call, uri: str) -> ReadResourceResult:
    """An answer or a document as text; what is longer than a page says how to read on."""
    from medground.faces.mcp.answers import answer_result
    from medground.faces.mcp.documents import fetch

    kind, _, name = uri.removeprefix(_PLACE).partition("/")
    name = unquote(name)
    try:
        if kind == "answer":
            answer = await call.service.answer(name, call.person)
            result: Result | Page = await asyncio.to_thread(answer_result, answer, call.fence)
        elif kind == "document":
            result = await fetch(call, Fetch(id=name))
        else:
            raise MCPError(INVALID_PARAMS, f"no resource {uri[:80]!r}; see resources/templates/list")
    except (MedgroundError, ValueError) as error:
        problem = (
            call.service.problem(error).detail if isinstance(error, MedgroundError) else f"not an id: {name[:80]!r}"
        )
        raise MCPError(INVALID_PARAMS, problem) from None
    tool = {"answer": "ask"}.get(kind, "fetch")
    page = await asyncio.to_thread(calls.pages.first, result, tool=tool, owner=call.person.id)
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=_TEXT, text=page.words)])


def prompted(name: str, given: Mapping[str, str]) -> GetPromptResult:
    """A prompt with its arguments filled in. Raises MCPError: there is none, or an argument is missing."""
    one = _TEXTS["prompts"].get(name)
    if one is None:
        raise MCPError(INVALID_PARAMS, f"no prompt {name[:80]!r}; prompts: {', '.join(_TEXTS['prompts'])}")
    if missing := [key for key in one["takes"] if not given.get(key, "").strip()]:
        raise MCPError(INVALID_PARAMS, f"{name} needs {', '.join(missing)}")
    text = " ".join(one["text"]).format_map({key: given[key][:4_000] for key in one["takes"]})
    if chosen := [f"{key}: {given[key][:4_000]}" for key in one["may"] if given.get(key, "").strip()]:
        text += f" Give the tool also {'; '.join(chosen)}."
    return GetPromptResult(messages=[PromptMessage(role="user", content=TextContent(type="text", text=text))])
