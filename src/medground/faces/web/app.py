"""The page on top of the API: its files, sign-in, uploads, suggestions and evaluation runs."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from fastapi import FastAPI
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response

from medground.corpus.library import Library
from medground.errors import ConfigError
from medground.faces.joining import joining
from medground.faces.service.building import forget_abandoned
from medground.faces.web.corpora import router as corpora_router
from medground.faces.web.session import router as session_router
from medground.faces.web.sessions import Sessions, SignedIn, Throttle
from medground.faces.web.state import PageState as Held
from medground.faces.web.state import Suggestions
from medground.faces.web.upload import UploadLimits

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
_KINDS: Mapping[str, str] = MappingProxyType(
    {
        ".css": "text/css; charset=utf-8",
        ".html": "text/html; charset=utf-8",
        ".ico": "image/x-icon",
        ".js": "text/javascript; charset=utf-8",
        ".json": "application/json",
        ".png": "image/png",
        ".svg": "image/svg+xml",
        ".txt": "text/plain; charset=utf-8",
        ".wasm": "application/wasm",
        ".woff2": "font/woff2",
    }
)
_PACKED = frozenset([".css", ".html", ".js", ".json", ".svg", ".txt", ".wasm"])


@dataclass(frozen=True)
class _File:
    content: bytes
    packed: bytes | None
    kind: str
    tag: str
    kept: str


class BuiltPage:
    """Serves the files of the page, those that were there when it was opened and no others."""

    def __init__(self, files: Mapping[str, _File]) -> None:
        self._files = files

    @classmethod
    def open(cls, folder: Path = BUILT) -> BuiltPage:
        """Read the page.

        Raises:
            ConfigError: it was not built.
        """
        if not (folder / INDEX).is_file():
            raise ConfigError("the page is not built; build it with: cd page && npm ci && npm run build")
        found = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix in _KINDS)
        return cls({path.relative_to(folder).as_posix(): _read(path, folder) for path in found})

    @property
    def names(self) -> tuple[str, ...]:
        """Its files, as addresses below `/`."""
        return tuple(self._files)

    def respond(self, request: Request, name: str) -> Response:
        """A file, packed where the browser takes that; only its tag where the browser has it already."""
        file = self._files[name]
        headers = {
            "Content-Security-Policy": CSP,
            "Cache-Control": file.kept,
            "ETag": file.tag,
            "Vary": "Accept-Encoding",
        }
        if request.headers.get("if-none-match") == file.tag:
            return Response(status_code=304, headers=headers)
        content = file.content
        if file.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            content = file.packed
            headers["Content-Encoding"] = "gzip"
        return Response(content, media_type=file.kind, headers=headers)


def _read(path: Path, folder: Path) -> _File:
    content = path.read_bytes()
    packed = gzip.compress(content, 9, mtime=0) if path.suffix in _PACKED else None
    return _File(
        content=content,
        packed=packed if packed is not None and len(packed) < len(content) else None,
        kind=_KINDS[path.suffix],
        tag=f'"{hashlib.sha256(content).hexdigest()[:32]}"',
        kept=_KEPT if path.relative_to(folder).as_posix().startswith(_HASHED) else _FRESH,
    )


_ROUTERS = (session_router, corpora_router)


def add_page(
    app: FastAPI,
    login: bool,
    *,
    page: BuiltPage | None = None,
    sessions: Sessions | None = None,
    throttle: Throttle | None = None,
) -> None:
    """Let an app of the API serve the page too.

    Args:
        login: whether the page asks for a token.
        page: the built page; that of the package by default.

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
