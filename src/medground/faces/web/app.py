"""The page on top of the API: its files, sign-in, uploads, suggestions and evaluation runs."""

from __future__ import annotations

import gzip
import hashlib
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import FastAPI
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response

from medground.corpus.library import Library
from medground.errors import ConfigError, needing
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
INDEX = "index.html"
_HASHED = "assets/"
_KEPT = "public, max-age=31536000, immutable"
_FRESH = "no-cache"
_NOT_PACKED = (".ico", ".png", ".woff2")


@dataclass(frozen=True)
class _File:
    content: bytes
    packed: bytes
    """Empty where it would not be smaller."""
    kind: str
    headers: Mapping[str, str]


@dataclass(frozen=True)
class BuiltPage:
    """Serves the files of the page, those that were there when it was opened and no others.

    `files`: by their address below `/`.
    """

    files: Mapping[str, _File]

    @classmethod
    def open(cls, folder: Path = BUILT) -> BuiltPage:
        """Read the page. Raises ConfigError: it was not built."""
        if not (folder / INDEX).is_file():
            raise ConfigError("the page is not built; build it with: cd page && npm ci && npm run build")
        found = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix in TEXTS["media"])
        names = {path.relative_to(folder).as_posix(): path for path in found}
        return cls({name: _read(path, _KEPT if name.startswith(_HASHED) else _FRESH) for name, path in names.items()})

    def respond(self, request: Request, name: str) -> Response:
        """A file, packed where the browser takes that; only its tag where the browser has it already."""
        file = self.files[name]
        headers = dict(file.headers)
        if request.headers.get("if-none-match") == headers["ETag"]:
            return Response(status_code=304, headers=headers)
        if file.packed and "gzip" in request.headers.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
            return Response(file.packed, media_type=file.kind, headers=headers)
        return Response(file.content, media_type=file.kind, headers=headers)


def _read(path: Path, kept: str) -> _File:
    content = path.read_bytes()
    packed = b"" if path.suffix in _NOT_PACKED else gzip.compress(content, 9, mtime=0)
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"Content-Security-Policy": CSP, "Cache-Control": kept, "ETag": tag, "Vary": "Accept-Encoding"}
    return _File(content, packed if len(packed) < len(content) else b"", TEXTS["media"][path.suffix], headers)


def add_page(
    app: FastAPI,
    login: bool,
    *,
    page: BuiltPage | None = None,
    clock: Callable[[], float] = time.time,
) -> None:
    """Let an app of the API serve the page too.

    Args:
        login: whether the page asks for a token.
        page: the built page; that of the package by default.
        clock: seconds since 1970, as all servers of a group count.

    Raises ConfigError: the page was not built, or the extra for the provider is missing.
    """
    opened = page or BuiltPage.open()
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
    for name in opened.files:
        app.add_api_route(f"/{name}", _file(opened, name), methods=["GET"], include_in_schema=False)

    async def index(request: Request) -> Response:
        response = opened.respond(request, INDEX)
        response.background = BackgroundTask(app.state.page.suggestions.suggestions)
        return response

    app.add_api_route("/", index, methods=["GET"], include_in_schema=False)


def _provider(settings: Settings) -> Provider:
    with needing("oidc", "sign-in by an identity provider"):
        from medground.faces.web.oidc import Provider
    secret = settings.keys.oidc
    return Provider(settings.serve.oidc, secret.get_secret_value() if secret else "")


def _file(page: BuiltPage, name: str) -> Callable[[Request], Awaitable[Response]]:
    async def file(request: Request) -> Response:
        return page.respond(request, name)

    return file
