"""The app: routes over a `Service`, behind checks that come before any of them; and how it runs."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from functools import cache, partial
from ipaddress import ip_address
from typing import Any

from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.types import Message, Scope
from uvicorn import Server
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from medground.errors import UsageError
from medground.faces.api import middleware
from medground.faces.api.answers import router as answers_router
from medground.faces.api.caller import Door, Requests
from medground.faces.api.chat import router as chat_router
from medground.faces.api.checking import router as checking_router
from medground.faces.api.literature import router as literature_router
from medground.faces.api.literature import server_router
from medground.faces.api.questions import jobs_router
from medground.faces.api.questions import router as asking_router
from medground.faces.api.responses import router as responses_router
from medground.faces.server_log import Logged
from medground.faces.service.accounts import Tokens
from medground.faces.service.records import Records
from medground.faces.service.service import Service
from medground.faces.service.values import INTERNAL, TEXTS
from medground.faces.serving import Connection as ServingConnection
from medground.faces.serving import GracefulServer, OwnHosts, Refusal, config, listener
from medground.home.settings import Settings
from medground.values.steps import Progress, no_progress
from medground.version import __version__


@cache
def _described(app: FastAPI, authenticated: bool) -> dict[str, Any]:
    """The description of an app. Where it is not `authenticated`, a token may be sent but need not."""
    document = FastAPI.openapi(app)
    for operation in (each for methods in document["paths"].values() for each in methods.values()):
        if "security" in operation and not authenticated:
            operation["security"].append({})
    return document


BODY_SECONDS = 20.0
"""Seconds in which a body must come."""
UPLOADS = frozenset(["/v1/corpora"])
"""Addresses that take files."""
_UPLOAD_SECONDS = 3600.0
_SPARE = 60.0
"""Seconds that a request may take beyond those of its question: it may wait in line."""
_ROUTERS = (
    *(asking_router, jobs_router, answers_router, checking_router, literature_router, server_router),
    *(chat_router, responses_router),
)
_ABOUT = """Answers to biomedical questions from the literature, with the exact sentences that they rest on.

Send a token as `Authorization: Bearer TOKEN`; `medground token create NAME` makes one. Errors are
`application/problem+json` (RFC 9457) with a `next` step. A citation is everywhere the id of a document with the start
and end of a slice of its text, in code points."""


def make_app(
    service: Service, *, authenticated: bool, names: Sequence[str] = (), seconds: float = BODY_SECONDS
) -> FastAPI:
    """The app over an open service.

    Args:
        authenticated: whether every request needs a token; without one it belongs to the local user.
        names: host names that it answers to, in addition to loopback and the setting `serve.hosts`.
        seconds: in which a body must come.
    """
    limits, requests = service.settings.serve, Requests()

    def begun(scope: Scope, message: Message, taken: float) -> None:
        middleware.secured(scope, message, taken)
        requests.add(scope, message, taken)

    app = FastAPI(
        title="Medground",
        version=__version__,
        summary="Biomedical answers in which every sentence is checked.",
        description=_ABOUT,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        docs_url=None,  # both of these load scripts from elsewhere
        redoc_url=None,
        openapi_tags=[{"name": name, "description": words} for name, words in TEXTS["tags"].items()],
        responses={**middleware.PROBLEMS},
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False, "operation_spans": False},
        middleware=[
            Middleware(ProxyHeadersMiddleware, trusted_hosts=list(limits.proxies)),
            Middleware(middleware.Traced),
            Middleware(Logged, failed=middleware.respond(INTERNAL), seen=begun),
            Middleware(OwnHosts, names=(*limits.hosts, *names), respond=middleware.refused),
            Middleware(
                middleware.ResponseDeadline,
                seconds=limits.seconds + _SPARE,
                longer={**dict.fromkeys(UPLOADS, _UPLOAD_SECONDS), "/v1/check": limits.research_seconds},
            ),
            Middleware(middleware.Bodies, sizes=middleware.Sizes(limits.body, limits.upload, seconds), uploads=UPLOADS),
        ],
    )
    app.state.door = Door(service, authenticated, requests)
    middleware.add_handlers(app, hide=(str(service.settings.home),))
    for router in _ROUTERS:
        app.include_router(router)
    app.openapi = partial(_described, app, authenticated)  # type: ignore[method-assign]
    return app


class Connection(ServingConnection):
    """Refuses with problems."""

    def response_to(self, refusal: Refusal) -> Response:
        return middleware.refused(refusal)


Extend = Callable[[FastAPI, bool], None]
"""Adds more routes to the app, such as those of the page; told whether every request needs a token."""


def address_of(host: str, on: socket.socket) -> str:
    """The address of a server that listens."""
    return f"http://{f'[{host}]' if ':' in host else host}:{on.getsockname()[1]}"


async def run(
    settings: Settings,
    *,
    host: str,
    port: int,
    announce: Callable[[str], None],
    progress: Progress = no_progress,
    login: bool | None = None,
    extend: Extend = lambda app, authenticated: None,
    on: socket.socket | None = None,
) -> None:
    """Serve until the process is asked to stop (Ctrl-C or SIGTERM), or the task is cancelled.

    `host` is the address to listen on, unless a socket does, `on`; `needs_token` says what it and `login` mean for
    tokens.
    """
    authenticated = await asyncio.to_thread(needs_token, settings, host, login)
    with on or listener(host, port) as on:
        async with Service.open(settings, progress=progress) as service:
            await service.warm()
            app = make_app(service, authenticated=authenticated, names=(on.getsockname()[0],))
            extend(app, authenticated)
            told = partial(announce, address_of(host, on))
            async with figures_served(app.state.door, host, settings.serve.metrics_port):
                server = GracefulServer(config(app, Connection), listening=told, end=service.jobs.close)
                await server.serve(sockets=[on])


@asynccontextmanager
async def figures_served(entry: Door, host: str, port: int | None) -> AsyncIterator[None]:
    """Meanwhile `/metrics` is answered at a port of its own, where no token is needed; at none if it is None.

    Raises UsageError: the server cannot listen there.
    """
    if port is None:
        yield
        return

    async def figures(request: Request) -> Response:
        return await entry.figures()

    with listener(host, port) as on:
        server = Server(config(Starlette(routes=[Route("/metrics", figures)]), Connection))
        serving = asyncio.create_task(server._serve([on]))
        try:
            yield
        finally:
            server.should_exit = True
            await serving


def needs_token(settings: Settings, host: str, login: bool | None = None) -> bool:
    """Whether every request needs a token: always where other computers can reach the server, at its address or by a
    name in `serve.hosts`; on loopback as `login` says, or once there has ever been a token. Blocks.

    Raises UsageError: a token is needed, and none is valid; or none is to be needed where other computers are let in;
    StorageFailed: it cannot be read who has a token.
    """
    with closing(Records.from_settings(settings)) as records:
        shared = records.had_tokens()
        there = any(token.revoked is None for token in Tokens(records).list())
    others = host if not is_loopback(host) else next(iter(settings.serve.hosts), None)
    if others is not None and login is False:
        raise UsageError(f"other computers can reach {others}; leave --open out, and give each person a token")
    provided = bool(settings.serve.oidc.issuer)
    needed = others is not None or ((shared or provided) if login is None else login)
    if needed and not there and not provided:
        if others is None and login is None:
            raise UsageError(
                "this home folder has had access tokens, and none is valid now; create one with medground token "
                "create NAME, or add --open to serve this computer without tokens"
            )
        why = f"other computers can reach {others}" if others is not None else "--login asks for a token"
        raise UsageError(f"{why}; first create one: medground token create NAME")
    return needed


def is_loopback(host: str) -> bool:
    """Whether only this computer can reach an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def create_app(settings: Settings | Mapping[str, Any] | None = None, *, login: bool = True) -> Starlette:
    """The HTTP API as an ASGI application. It answers to loopback, the address that was called and `serve.hosts`.

    A server opens and closes it with the lifespan events; a program that mounts it, below a prefix too, enters
    `app.router.lifespan_context(app)` in its own.

    Args:
        settings: as for `Engine.open`.
        login: whether every request needs a token; without one, only where no one else can reach the server.
    """
    chosen = Settings.resolved(settings)

    @asynccontextmanager
    async def opened(app: Starlette) -> AsyncIterator[None]:
        authenticated = await asyncio.to_thread(needs_token, chosen, "localhost", login)
        async with Service.open(chosen) as service:
            app.router.routes = [Mount("", make_app(service, authenticated=authenticated))]
            yield

    return Starlette(lifespan=opened)
