"""The server over streamable HTTP, behind the checks of the HTTP API: own host names, tokens, sizes, deadlines."""

import socket
from collections.abc import Callable, Sequence

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn import Config

from medground.errors import MedgroundError, NotAllowed
from medground.faces.api.middleware import Bodies, Sizes, refused, respond, secured
from medground.faces.api.server import Connection
from medground.faces.mcp.server import make_server
from medground.faces.mcp.tool import TIMES, Times
from medground.faces.server_log import Logged
from medground.faces.service.service import Service
from medground.faces.service.values import INTERNAL, Person
from medground.faces.serving import GracefulServer, OwnHosts, config

PATH = "/mcp"
_ENDING = 2
"""Seconds in which calls may end once the server is to stop."""
_SECONDS = 20.0
"""Seconds in which a body must come."""


def http_app(service: Service, *, authenticated: bool, names: Sequence[str] = (), times: Times = TIMES) -> ASGIApp:
    """The app over an open service, at `/mcp`, with the arguments of the API's `make_app`.

    It needs the lifespan events of ASGI.
    """
    limits = service.settings.serve
    app: ASGIApp = make_server(service, times).streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,  # the next request may go to another server
        max_request_body_size=limits.body,
        # `OwnHosts` is stricter: a page of another port of this computer is foreign, too
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    app = Bearer(app, service, authenticated=authenticated)
    app = Bodies(app, Sizes(limits.body, limits.upload, _SECONDS))
    return Logged(OwnHosts(app, (*limits.hosts, *names), refused), respond(INTERNAL), secured)


class Bearer:
    """ASGI middleware that tells whose a request is. It keeps no session: nothing is sent but in response.

    A token that is sent must be valid, also where none is needed.
    """

    def __init__(self, app: ASGIApp, service: Service, *, authenticated: bool) -> None:
        self._app = app
        self._service = service
        self._authenticated = authenticated

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            try:
                person = await self._person(Headers(scope=scope).getlist("authorization"))
            except MedgroundError as error:  # records that cannot be read, too
                return await respond(self._service.problem(error))(scope, receive, send)
            if scope["method"] != "POST":
                return await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            if person is not None:
                # a person as the SDK knows them; the secret is not kept
                claims = {"person": person.model_dump(mode="json")}
                token = AccessToken(token="", client_id=person.id, scopes=[], claims=claims)
                scope["user"] = AuthenticatedUser(token)
        return await self._app(scope, receive, send)

    async def _person(self, sent: Sequence[str]) -> Person | None:
        if not sent:
            if self._authenticated:
                raise NotAllowed("a token is needed; send it as Authorization: Bearer TOKEN")
            return None
        kind, _, secret = sent[0].partition(" ")
        if len(sent) > 1 or kind.lower() != "bearer":
            raise NotAllowed("the Authorization header is not a bearer token")
        return await self._service.who(secret.strip())


async def serve(service: Service, on: socket.socket, *, authenticated: bool, listening: Callable[[], None]) -> None:
    """Serve until the process is asked to stop (Ctrl-C or SIGTERM). `authenticated`: every request needs a token."""
    app = http_app(service, authenticated=authenticated, names=(on.getsockname()[0],))
    await GracefulServer(configured(app), listening=listening, end=service.jobs.close).serve(sockets=[on])


def configured(app: ASGIApp) -> Config:
    """How the app is served."""
    return config(app, Connection, lifespan="on", ending=_ENDING)
