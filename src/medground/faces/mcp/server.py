"""The MCP server: its catalogue, calls handed to the tools, and how it runs, over standard input and output or HTTP."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
)

from medground.corpus.library import STARTER, Library
from medground.engine.open_engine import corpora_of
from medground.errors import MedgroundError, needing
from medground.faces.mcp.ask import ask, research, verify_claim
from medground.faces.mcp.calls import TIMES, Calls, Times
from medground.faces.mcp.checking import check_text
from medground.faces.mcp.documents import fetch, get_document, search
from medground.faces.mcp.offers import PROMPTS, TEMPLATES, prompted, read
from medground.faces.mcp.papers import lookup_paper, related_papers
from medground.faces.mcp.terms import lookup_mesh, lookup_phenotype, plan_query
from medground.faces.mcp.tool import Call, Tool
from medground.faces.service.service import Service
from medground.faces.service.values import LOCAL, TEXTS, Person
from medground.home.settings import Settings
from medground.version import __version__

TOOLS: tuple[Tool[Any], ...] = (
    *(ask, research, search, fetch, get_document, lookup_paper, related_papers, verify_claim),
    check_text,
    *(plan_query, lookup_mesh, lookup_phenotype),
)
_Context = ServerRequestContext[Any, Any]
T = TypeVar("T")
INSTRUCTIONS = " ".join(TEXTS["instructions"])


def make_server(service: Service, times: Times = TIMES) -> Server[Any]:
    """A server over a service that is open, for any transport of the SDK."""
    calls = Calls(service, TOOLS, times)
    listed = ListToolsResult(tools=[tool.listed for tool in calls.tools.values()])

    async def read_resource(context: _Context, parameters: ReadResourceRequestParams) -> ReadResourceResult:
        return await read(calls, Call(service, _person(context)), str(parameters.uri))

    async def get_prompt(context: _Context, parameters: GetPromptRequestParams) -> GetPromptResult:
        return prompted(parameters.name, parameters.arguments or {})

    async def call_tool(context: _Context, parameters: CallToolRequestParams) -> CallToolResult:
        async def progress(number: float, words: str) -> None:
            await context.session.report_progress(number, None, words)

        arguments: Mapping[str, Any] = parameters.arguments or {}
        return await calls.call(parameters.name, arguments, _person(context), progress)

    return Server(
        "medground",
        version=__version__,
        title="Medground",
        instructions=INSTRUCTIONS,
        on_list_tools=_always(listed),
        on_call_tool=call_tool,
        on_list_resource_templates=_always(TEMPLATES),
        on_read_resource=read_resource,
        on_list_prompts=_always(PROMPTS),
        on_get_prompt=get_prompt,
    )


def _always(listed: T) -> Callable[[_Context, PaginatedRequestParams | None], Awaitable[T]]:
    async def handler(context: _Context, parameters: PaginatedRequestParams | None) -> T:
        return listed

    return handler


def _person(context: _Context) -> Person:
    """The sender of this request: the holder of its token, or the local user."""
    scope = getattr(context.request, "scope", None)
    user = scope.get("user") if scope is not None else None
    if isinstance(user, AuthenticatedUser):
        return Person.model_validate((user.access_token.claims or {})["person"])
    return LOCAL


log = logging.getLogger(__name__)


async def over_stdio(settings: Settings) -> None:
    """Serve one client until it closes standard input. What the client asks belongs to the local user."""
    async with opened(settings) as service:
        server = make_server(service)
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())


async def over_http(
    settings: Settings, *, host: str, port: int, announce: Callable[[str], None], login: bool | None = None
) -> None:
    """Serve many clients until the process is asked to stop; `host` and `login` as for the API."""
    # imported late: a client that starts the server by itself waits for it, and needs no HTTP
    with needing("mcp", "the server"):
        from medground.faces.api.server import address_of, needs_token
        from medground.faces.mcp.http import PATH, serve
        from medground.faces.serving import listener

    authenticated = await asyncio.to_thread(needs_token, settings, host, login)
    with listener(host, port) as on:
        async with opened(settings) as service:
            address = f"{address_of(host, on)}{PATH}"
            await serve(service, on, authenticated=authenticated, listening=lambda: announce(address))


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Service]:
    """A service whose engine opens while the client is greeted, which gives up after a few seconds.

    Raises UsageError: a corpus or a knowledge base is not there; ConfigError: the settings are wrong.
    """

    def check() -> None:
        """Whether what is to be searched is there. The starter corpus is built if it is missing."""
        library = Library(settings.home)
        for name in corpora_of(settings):
            if name != STARTER:
                library.state(name)

    async def warm() -> None:
        try:
            await service.warm()
        except MedgroundError as error:  # each call tells it, too
            log.error("%s", error)

    await asyncio.to_thread(check)
    async with Service.open(settings) as service:
        warming = asyncio.create_task(warm())
        try:
            yield service
        finally:
            warming.cancel()
            with suppress(asyncio.CancelledError):
                await warming
