"""Resources and prompts: an answer and a document by id, and requests that a person can choose in a client."""

import asyncio
from collections.abc import Mapping
from urllib.parse import unquote

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    GetPromptResult,
    ListPromptsResult,
    ListResourceTemplatesResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceResult,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
)

from medground.errors import MedgroundError
from medground.faces.mcp.answers import answer_result
from medground.faces.mcp.calls import Calls
from medground.faces.mcp.documents import fetch
from medground.faces.mcp.pages import Page, Result
from medground.faces.mcp.tool import Call, Fetch
from medground.faces.service.values import TEXTS

_PLACE = "medground://"
TEMPLATES = ListResourceTemplatesResult(
    resource_templates=[
        ResourceTemplate(name=name, uri_template=f"{_PLACE}{name}/{{id}}", description=about, mime_type="text/plain")
        for name, about in TEXTS["resources"].items()
    ]
)
PROMPTS = ListPromptsResult(
    prompts=[
        Prompt(
            name=name,
            description=one["about"],
            arguments=[
                PromptArgument(name=key, description=about, required=True) for key, about in one["takes"].items()
            ],
        )
        for name, one in TEXTS["prompts"].items()
    ]
)


async def read(calls: Calls, call: Call, uri: str) -> ReadResourceResult:
    """An answer or a document as text; what is longer than a page says how to read on."""
    kind, _, name = uri.removeprefix(_PLACE).partition("/")
    name = unquote(name)
    try:
        if kind == "answer":
            answer = await call.service.answer(name, call.person)
            result: Result | Page = await asyncio.to_thread(answer_result, answer, call.fence)
        elif kind == "document":
            result = await fetch.run(call, Fetch(id=name))
        else:
            raise MCPError(INVALID_PARAMS, f"no resource {uri[:80]!r}; see resources/templates/list")
    except (MedgroundError, ValueError) as error:
        problem = (
            call.service.problem(error).detail if isinstance(error, MedgroundError) else f"not an id: {name[:80]!r}"
        )
        raise MCPError(INVALID_PARAMS, problem) from None
    tool = {"answer": "ask"}.get(kind, "fetch")
    page = await asyncio.to_thread(calls.pages.first, result, tool=tool, owner=call.person.id)
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type="text/plain", text=page.words)])


def prompted(name: str, given: Mapping[str, str]) -> GetPromptResult:
    """A prompt with its arguments filled in. Raises MCPError: there is none, or an argument is missing."""
    one = TEXTS["prompts"].get(name)
    if one is None:
        raise MCPError(INVALID_PARAMS, f"no prompt {name[:80]!r}; prompts: {', '.join(TEXTS['prompts'])}")
    if missing := [key for key in one["takes"] if not given.get(key, "").strip()]:
        raise MCPError(INVALID_PARAMS, f"{name} needs {', '.join(missing)}")
    text = " ".join(one["text"]).format_map({key: given[key][:4_000] for key in one["takes"]})
    return GetPromptResult(messages=[PromptMessage(role="user", content=TextContent(type="text", text=text))])
