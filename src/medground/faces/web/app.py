"""The page on top of the API: its files, sign-in, uploads, suggestions and evaluation runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import FastAPI
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response

from medground.corpus.library import Library
from medground.faces.joining import joining
from medground.faces.web.built_page import INDEX, BuiltPage
from medground.faces.web.held import Held
from medground.faces.web.routes.corpora import router as corpora_router
from medground.faces.web.routes.kept import router as kept_router
from medground.faces.web.routes.session import router as session_router
from medground.faces.web.routes.suggest import router as suggest_router
from medground.faces.web.sessions import Sessions
from medground.faces.web.signed_in import SignedIn
from medground.faces.web.suggestions import Suggestions
from medground.faces.web.throttle import Throttle
from medground.faces.web.upload import UploadLimits
from medground.service.building import forget_abandoned

_ROUTERS = (session_router, suggest_router, corpora_router, kept_router)


def add_page(
    app: FastAPI,
    *,
    login: bool,
    page: BuiltPage | None = None,
    sessions: Sessions | None = None,
    throttle: Throttle | None = None,
) -> None:
    """Let an app of the API serve the page too.

    Args:
        app: what `make_app` made.
        login: whether the page asks for a token.
        page: the built page; that of the package by default.
        sessions: those who are signed in.
        throttle: failed attempts to sign in.

    Raises:
        ConfigError: the page was not built.
    """
    opened = page or BuiltPage.open()
    service = app.state.door.service
    settings = service.settings
    library = Library(settings.home)
    uploads = settings.home / "service" / "uploads"
    forget_abandoned(uploads)
    signed_in = SignedIn(service, login, sessions or Sessions(), throttle or Throttle())
    app.state.page = Held(
        signed_in=signed_in,
        library=library,
        suggestions=Suggestions(library, settings.retrieval.corpora),
        limits=UploadLimits(file=settings.serve.upload_file),
        uploads=uploads,
    )
    app.state.door.identify.append(signed_in.identify)
    for router in (*_ROUTERS, *(point.load() for point in joining("medground.page").values())):
        app.include_router(router)
    for name in opened.names:
        app.add_api_route(f"/{name}", _file(opened, name), methods=["GET"], include_in_schema=False)
    app.add_api_route("/", _index(opened, app), methods=["GET"], include_in_schema=False)


def _file(page: BuiltPage, name: str) -> Callable[[Request], Awaitable[Response]]:
    async def file(request: Request) -> Response:
        return page.respond(request, name)

    return file


def _index(page: BuiltPage, app: FastAPI) -> Callable[[Request], Awaitable[Response]]:
    async def index(request: Request) -> Response:
        response = page.respond(request, INDEX)
        response.background = BackgroundTask(app.state.page.suggestions.warm)
        return response

    return index
