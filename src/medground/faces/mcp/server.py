"""The MCP server: its catalogue, calls handed to the tools, and how it runs, over standard input and output or HTTP.

A client is answered what there is before the engine is loaded: it starts the server by itself, and waits for it.
"""

from __future__ import annotations

import asyncio
import logging
from asyncio import to_thread
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListResourcesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
)

from medground.errors import MedgroundError
from medground.faces.mcp import offers
from medground.faces.mcp.catalogue import TOOLS
from medground.faces.mcp.tool import TIMES, Call, Times
from medground.home.registry import recipe_names
from medground.home.settings import Settings, offered_sources
from medground.version import __version__

if TYPE_CHECKING:
    from medground.faces.mcp.calls import Calls
    from medground.faces.service.service import Service
    from medground.faces.service.values import Person

_Context = ServerRequestContext[Any, Any]
Ready = Callable[[], Awaitable["Calls"]]
"""What runs the tools, once the service is open."""
T = TypeVar("T")
log = logging.getLogger(__name__)


def make_server(service: Service, times: Times = TIMES) -> Server[Any]:
    """A server over a service that is open, for any transport of the SDK."""
    from medground.faces.mcp.calls import Calls

    calls = Calls(service, times)

    async def ready() -> Calls:
        return calls

    return _server(service.settings, ready)


def _server(settings: Settings, ready: Ready) -> Server[Any]:
    async def list_tools(context: _Context, parameters: PaginatedRequestParams | None) -> ListToolsResult:
        offered = await to_thread(_offered, settings)
        return ListToolsResult(tools=[tool.listed(offered) for tool in TOOLS.values()])

    async def list_resources(context: _Context, parameters: PaginatedRequestParams | None) -> ListResourcesResult:
        return await offers.resources(_call(await ready(), context), parameters.cursor if parameters else None)

    async def read_resource(context: _Context, parameters: ReadResourceRequestParams) -> ReadResourceResult:
        calls = await ready()
        return await offers.read(calls, _call(calls, context), str(parameters.uri))

    async def complete(context: _Context, parameters: CompleteRequestParams) -> CompleteResult:
        offered = await to_thread(_offered, settings)
        return CompleteResult(completion=await offers.completed(_call(await ready(), context), parameters, offered))

    async def get_prompt(context: _Context, parameters: GetPromptRequestParams) -> GetPromptResult:
        return offers.prompted(parameters.name, parameters.arguments or {})

    async def call_tool(context: _Context, parameters: CallToolRequestParams) -> CallToolResult:
        async def progress(number: float, words: str) -> None:
            await context.session.report_progress(number, None, words)

        arguments: Mapping[str, Any] = parameters.arguments or {}
        return await (await ready()).call(parameters.name, arguments, _person(context), progress)

    return Server(
        "medground",
        version=__version__,
        title="Medground",
        instructions=offers.INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=_always(offers.TEMPLATES),
        on_read_resource=read_resource,
        on_completion=complete,
        on_list_prompts=_always(offers.PROMPTS),
        on_get_prompt=get_prompt,
    )


def _offered(settings: Settings) -> dict[str, tuple[str, ...]]:
    """The names that arguments can have. It reads the home folder, and then blocks."""
    from medground.corpus.library import Library

    corpora = tuple(dict.fromkeys([*settings.retrieval.corpora, *Library(settings.home).list()]))
    return {"corpora": corpora, "sources": offered_sources(settings), "recipe": tuple(recipe_names())}


def _always(listed: T) -> Callable[[_Context, PaginatedRequestParams | None], Awaitable[T]]:
    async def handler(context: _Context, parameters: PaginatedRequestParams | None) -> T:
        return listed

    return handler


def _call(calls: Calls, context: _Context) -> Call:
    return Call(calls.service, _person(context))


def _person(context: _Context) -> Person:
    """The sender of this request: the holder of its token, or the local user."""
    from medground.faces.service.values import LOCAL, Person

    scope = getattr(context.request, "scope", None)
    user = scope.get("user") if scope is not None else None
    if isinstance(user, AuthenticatedUser):
        return Person.model_validate((user.access_token.claims or {})["person"])
    return LOCAL


_GREETING = 0.5
"""Seconds in which a client is greeted, before the engine is loaded."""


async def over_stdio(settings: Settings) -> None:
    """Serve one client until it closes standard input. What the client asks belongs to the local user.

    Raises UsageError: a corpus or a knowledge base is not there.
    """
    await to_thread(_check, settings)
    async with AsyncExitStack() as stack:

        async def opening() -> Calls:
            await asyncio.sleep(_GREETING)
            module = await to_thread(import_module, f"{__package__}.calls")
            made: Calls = module.Calls(await stack.enter_async_context(opened(settings)))
            return made

        async def ready() -> Calls:
            try:
                return await asyncio.shield(calls)
            except MedgroundError as error:
                raise MCPError(INTERNAL_ERROR, error.told("server")) from None

        calls = asyncio.create_task(opening())
        server = _server(settings, ready)
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())
        calls.cancel()
        with suppress(asyncio.CancelledError, MedgroundError):
            await calls


async def over_http(
    settings: Settings, *, host: str, port: int, announce: Callable[[str], None], login: bool | None = None
) -> None:
    """Serve many clients until the process is asked to stop; `host` and `login` as for the API."""
    # imported late: a client that starts the server by itself waits for it, and needs no HTTP
    from medground.faces.api.server import address_of, needs_token
    from medground.faces.mcp.http import PATH, serve
    from medground.faces.serving import listener

    authenticated = await to_thread(needs_token, settings, host, login)
    with listener(host, port) as on:
        async with opened(settings) as service:
            address = f"{address_of(host, on)}{PATH}"
            await serve(service, on, authenticated=authenticated, listening=lambda: announce(address))


def _check(settings: Settings) -> None:
    """Whether what is to be searched is there, where it is named. The starter corpus is built if it is missing.

    Raises UsageError: a corpus or a knowledge base is not there.
    """
    if not (settings.retrieval.knowledge_base or "corpora" in settings.retrieval.model_fields_set):
        return
    from medground.corpus.library import STARTER, Library
    from medground.engine.open_engine import corpora_of

    library = Library(settings.home)
    for name in corpora_of(settings):
        if name != STARTER:
            library.state(name)


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Service]:
    """A service whose engine opens while the client is greeted, which gives up after a few seconds.

    Raises UsageError: a corpus or a knowledge base is not there; ConfigError: the settings are wrong.
    """
    from medground.faces.service.service import Service

    async def warm() -> None:
        try:
            await service.warm()
        except MedgroundError as error:  # each call tells it, too
            log.error("%s", error)

    await to_thread(_check, settings)
    async with Service.open(settings) as service:
        warming = asyncio.create_task(warm())
        try:
            yield service
        finally:
            warming.cancel()
            with suppress(asyncio.CancelledError):
                await warming
