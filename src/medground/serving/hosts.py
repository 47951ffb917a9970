"""Which names the server answers to, and from which pages a browser may send it something.

A hostile page can point its own name at this machine (DNS rebinding): its requests carry that name in `Host`, so only
the server's own names are taken. A request that changes something and comes from a page carries `Origin`: that must be
this server itself. No other origin may read an answer: no CORS header is ever sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from medground.serving.refusal import Refusal, Respond

LOOPBACK = ("localhost", "127.0.0.1", "::1")
_SAFE = frozenset(["GET", "HEAD", "OPTIONS", "TRACE"])
_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9._-]{1,253}))(?::[0-9]{1,5})?")


class OwnHosts:
    """ASGI middleware that refuses foreign `Host` and `Origin` headers.

    Args:
        app: what answers.
        names: host names and addresses of the server, beside those of loopback and the address that was called.
        respond: makes the response to what is refused.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str], respond: Respond) -> None:
        self._app = app
        self._respond = respond
        self._names = frozenset(name.strip("[]").lower() for name in (*LOOPBACK, *names))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (refusal := self._refused(scope)) is not None:
            return await self._respond(refusal, scope)(scope, receive, send)
        return await self._app(scope, receive, send)

    def _refused(self, scope: Scope) -> Refusal | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        name = host_name(hosts[0]) if len(hosts) == 1 else None
        own = (scope.get("server") or ("",))[0]
        if name is None or (name not in self._names and name != own):
            return Refusal(421, "the Host header does not name this server")
        if scope["method"] in _SAFE:
            return None
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return Refusal(403, "another site may not send this request")
        if any(_address(origin) != hosts[0].lower() for origin in headers.getlist("origin")):
            return Refusal(403, "the Origin header does not name this server")
        return None


def host_name(header: str) -> str | None:
    """The name or address in a `Host` header, without its port; None if it cannot be one."""
    found = _HOST.fullmatch(header)
    return (found[1] or found[2]).lower() if found else None


def _address(origin: str) -> str:
    """`localhost:8000` of `http://localhost:8000`, as a `Host` header has it."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return ""
    return parts.netloc.lower() if parts.scheme in ("http", "https") else ""
