"""The page on top of the API: its files, sign-in, uploads, suggestions and evaluation runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import FastAPI
from starlette.background import BackgroundTask
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.routing import Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from medground.corpus.library import Library
from medground.errors import ConfigError, needing
from medground.faces.api.middleware import path_of
from medground.faces.service.building import forget_abandoned
from medground.faces.service.values import TEXTS
from medground.faces.web.routes import router
from medground.faces.web.state import PageState as Held
from medground.faces.web.state import Sessions, SignedIn, Suggestions, Throttle
from medground.faces.web.upload import UploadLimits
from medground.home.registry import joining
from medground.home.settings import Settings

if TYPE_CHECKING:
    from medground.faces.web.oidc import Provider

BUILT = Path(__file__).parent / "built"
"""Where `npm run build` puts the page, and where the wheel has it."""
CSP = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""Nothing from elsewhere, nothing inline, no frame around the page."""
_HASHED = "/assets/"
_KEPT = "public, max-age=31536000, immutable"


class BuiltPage(StaticFiles):
    """Serves the files of the page; `places`: their addresses, of those that were there when it was opened."""

    def __init__(self, folder: Path = BUILT) -> None:
        """Raises ConfigError: the page was not built."""
        if not (folder / "index.html").is_file():
            raise ConfigError("the page is not built; build it with: cd page && npm ci && npm run build")
        super().__init__(directory=folder, html=True)
        found = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix in TEXTS["media"])
        self.places = ["/", *(f"/{path.relative_to(folder).as_posix()}" for path in found)]

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file; only its tag where the browser has it already."""
        response = await super().get_response(path, scope)
        place = path_of(scope)
        scope["route"] = Route(place, self)  # requests are counted by it
        response.headers["Content-Security-Policy"] = CSP
        response.headers["Cache-Control"] = _KEPT if place.startswith(_HASHED) else "no-cache"
        response.headers["Content-Type"] = TEXTS["media"][Path(place).suffix or ".html"]
        if place == "/":
            response.background = BackgroundTask(scope["app"].state.page.suggestions.suggestions)
        return response


def add_page(
    app: FastAPI, login: bool, *, page: BuiltPage | None = None, clock: Callable[[], float] = time.time
) -> None:
    """Let an app of the API serve the page too.

    Args:
        login: whether the page asks for a token.
        page: the built page; that of the package by default.
        clock: seconds since 1970, as all servers of a group count.

    Raises ConfigError: the page was not built, or the extra for the provider is missing.
    """
    opened = page or BuiltPage()
    service = app.state.door.service
    settings = service.settings
    library = Library(settings.home)
    uploads = settings.home / "service" / "uploads"
    forget_abandoned(uploads)
    signed_in = SignedIn(service, login, Sessions(service.jobs.shared.records, clock), Throttle(clock))
    app.state.page = Held(
        signed_in=signed_in,
        library=library,
        suggestions=Suggestions(library, settings.retrieval.corpora),
        limits=UploadLimits(file=settings.serve.upload_file),
        uploads=uploads,
        provider=_provider(settings) if settings.serve.oidc.issuer else None,
    )
    app.state.door.identify.append(signed_in.identify)
    for one in (router, *(point.load() for point in joining("medground.page").values())):
        app.include_router(one)
    for place in opened.places:
        app.routes.append(Route(place, GZipMiddleware(opened), methods=["GET"]))


def _provider(settings: Settings) -> Provider:
    with needing("oidc", "sign-in by an identity provider"):
        from medground.faces.web.oidc import Provider
    secret = settings.keys.oidc
    return Provider(settings.serve.oidc, secret.get_secret_value() if secret else "")
