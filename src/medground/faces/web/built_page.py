"""The built page: its files in memory, the headers that let a browser do nothing more with them than show them."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from starlette.requests import Request
from starlette.responses import Response

from medground.errors import ConfigError

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
