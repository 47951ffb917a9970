"""What is checked of a request before anything works on it: its body, host and origin."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send


class Refusal(Exception):
    """Why a request is refused.

    Attributes:
        status: the HTTP status.
        detail: what is wrong, in one line.
        retry_after: seconds after which the same request can succeed, or None.
    """

    def __init__(self, status: int, detail: str, *, retry_after: int | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.retry_after = retry_after


Respond = Callable[[Refusal, Scope], Response]
"""Makes the response to a refused request, in the form that the server's clients understand."""


async def whole_body(receive: Receive, headers: Headers, *, most: int, seconds: float) -> bytes:
    """The body of a request. What is left of a refused one is not read.

    Args:
        most: bytes that the body may have.
        seconds: in which all of it must come.

    Raises:
        Refusal: it is too large (413) or too slow (408), or the client left (400).
    """
    check_length(headers, most)
    parts: list[bytes] = []
    total = 0
    try:
        async with asyncio.timeout(seconds):
            more = True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Refusal(400, "the client left before the whole body came")
                total += len(message.get("body", b""))
                if total > most:
                    raise too_large(most)
                parts.append(message.get("body", b""))
                more = message.get("more_body", False)
    except TimeoutError:
        raise Refusal(408, f"the body did not come in {seconds:g} seconds") from None
    return b"".join(parts)


def check_length(headers: Headers, most: int) -> None:
    """Check the length that a client announces.

    Raises:
        Refusal: it is larger than `most` bytes.
    """
    length = headers.get("content-length", "")
    if length.isascii() and length.isdigit() and int(length) > most:
        raise too_large(most)


def too_large(most: int) -> Refusal:
    """The refusal of a body with more than `most` bytes."""
    return Refusal(413, f"a body may have at most {most:,} bytes here")


LOOPBACK = ("localhost", "127.0.0.1", "::1")
_SAFE = frozenset(["GET", "HEAD", "OPTIONS", "TRACE"])
_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9._-]{1,253}))(?::[0-9]{1,5})?")


class OwnHosts:
    """ASGI middleware that refuses foreign `Host` and `Origin` headers.

    Args:
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
