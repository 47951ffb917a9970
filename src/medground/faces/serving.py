"""What HTTP servers share: requests with foreign hosts or large bodies are refused, connections have deadlines.

A server ends within two seconds once it is to stop.
"""

import asyncio
import contextlib
import re
import socket
from collections.abc import Awaitable, Callable, Iterable
from http import HTTPStatus
from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit

import h11
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol

from medground.errors import UsageError


class Refusal(Exception):
    """Why a request is refused. `retry_after`: seconds after which the same request can succeed, or None."""

    def __init__(self, status: int, detail: str, *, retry_after: int | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.retry_after = status, detail, retry_after


Respond = Callable[[Refusal, Scope], Response]
"""Makes the response to a refused request, in the form that the server's clients understand."""


async def whole_body(receive: Receive, headers: Headers, *, most: int, seconds: float) -> bytes:
    """The body of a request. What is left of a refused one is not read.

    Args:
        most: bytes that the body may have.
        seconds: in which all of it must come.

    Raises Refusal: it is too large (413) or too slow (408), or the client left (400).
    """
    check_length(headers, most)
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            more = True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Refusal(400, "the client disconnected before the whole body arrived")
                body += message.get("body", b"")
                if len(body) > most:
                    raise too_large(most)
                more = message.get("more_body", False)
    except TimeoutError:
        raise Refusal(408, f"the body did not arrive within {seconds:g} seconds") from None
    return bytes(body)


def check_length(headers: Headers, most: int) -> None:
    """Check the length that a client announces. Raises Refusal: it is larger than `most` bytes."""
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
        names: host names and addresses of the server, in addition to those of loopback and the address that was called.
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
        host = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
        own = (scope.get("server") or ("",))[0]
        if host is None or (host[1] or host[2]).lower() not in {*self._names, own}:
            return Refusal(421, "the Host header does not name this server")
        if scope["method"] in _SAFE:
            return None
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return Refusal(403, "requests from other sites are not allowed")
        if any(_address(origin) != hosts[0].lower() for origin in headers.getlist("origin")):
            return Refusal(403, "the Origin header does not name this server")
        return None


def _address(origin: str) -> str:
    """`localhost:8000` of `http://localhost:8000`, as a `Host` header has it."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return ""
    return parts.netloc.lower() if parts.scheme in ("http", "https") else ""


class Connection(H11Protocol):
    """One connection. The deadlines are in seconds; tests set others on a subclass.

    A server overrides `response_to`: what is refused here never gets to its app.
    """

    head_seconds: ClassVar[float] = 10.0
    read_seconds: ClassVar[float] = 60.0
    linger_seconds: ClassVar[float] = 3.0
    rest_seconds: ClassVar[float] = 1.0
    most_rest: ClassVar[int] = 65_536
    most: ClassVar[int] = 1000

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._head: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._refused = False
        self._silent = True

    def response_to(self, refusal: Refusal) -> Response:
        """The response to what is not a request, comes too late, or is one too many."""
        headers = {} if refusal.retry_after is None else {"retry-after": str(refusal.retry_after)}
        return PlainTextResponse(refusal.detail, refusal.status, headers)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.most:
            self._refuse(Refusal(503, "too many connections are open", retry_after=5))
        else:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_head()
        _cancel(self._unread)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._refused or self.transport.is_closing():
            return
        self._silent = False
        super().data_received(data)
        if self._busy:
            self._stop_head()
        elif self._head is None:
            self._await_head()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.conn.their_state is not h11.SEND_BODY:
            return
        length = dict(self.headers).get(b"content-length", b"")
        if (
            length.isdigit() and int(length) <= self.most_rest
        ):  # the rest comes at once, or never; then the connection can go on
            self.loop.call_later(self.rest_seconds, self._rest_is_late)
        else:
            self._rest_is_late()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread = self.loop.call_later(self.read_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        _cancel(self._unread)
        super().resume_writing()

    def shutdown(self) -> None:
        if self._refused:
            self.transport.close()
        else:
            super().shutdown()

    def send_400_response(self, msg: str) -> None:
        self._refuse(Refusal(400, "this HTTP request cannot be parsed"))

    @property
    def _busy(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _rest_is_late(self) -> None:
        """Close where a request was answered without its body, which may be long or never end."""
        if self.conn.their_state is h11.SEND_BODY and not self._busy and not self.transport.is_closing():
            self._refused = True
            self._close_gently()

    def _stop_head(self) -> None:
        _cancel(self._head)
        self._head = None

    def _await_head(self) -> None:
        self._stop_head()
        self._head = self.loop.call_later(self.head_seconds, self._head_is_late)

    def _head_is_late(self) -> None:
        self._head = None
        if self._silent:  # a browser opens connections that it may need later
            self.transport.close()
        elif not self._busy:
            self._refuse(Refusal(408, f"the request did not arrive within {self.head_seconds:g} seconds"))

    def _refuse(self, refusal: Refusal) -> None:
        """Answer without an application, and close."""
        if self._refused or self.transport.is_closing():
            return
        self._refused = True
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE, h11.ERROR):
            self.transport.write(_raw(self.response_to(refusal)))
        self._close_gently()

    def _close_gently(self) -> None:
        """Stop writing, and close a moment later; what comes meanwhile is dropped."""
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.loop.call_later(self.linger_seconds, self.transport.close)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


def _raw(response: Response) -> bytes:
    status = HTTPStatus(response.status_code)
    headers = {**response.headers, "connection": "close", "x-content-type-options": "nosniff"}
    lines = [f"HTTP/1.1 {status.value} {status.phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "\r\n"]).encode("latin-1") + bytes(response.body)


ENDING = 1
"""Seconds in which work, and then responses, may end once the server is to stop."""
MOST_HEAD = 32_768
"""Bytes of the head of a request."""


class GracefulServer(Server):
    """Ends the work first, so that a client that waits for it is answered by itself. Ctrl-C is a normal end.

    `end`: ends the work that requests wait for.
    """

    def __init__(self, config: Config, *, listening: Callable[[], None], end: Callable[[], Awaitable[None]]) -> None:
        super().__init__(config)
        self._listening = listening
        self._end = end

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._listening()

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        with self.capture_signals():
            await self._serve(sockets)
            self._captured_signals.clear()  # or they would be raised again

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._end(), ENDING)
        await super().shutdown(sockets)


def listener(host: str, port: int) -> socket.socket:
    """A socket that listens on an address; port 0 takes a free one.

    Raises UsageError: the server cannot listen there.
    """
    try:
        on = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"cannot listen on {host}:{port} ({reason}); choose another --port or --host") from None
    # asyncio does this only for sockets that name their protocol; without it each response waits 40 ms for an ACK
    on.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return on


def config(
    app: ASGIApp,
    protocol: type[Connection],
    *,
    lifespan: Literal["on", "off"] = "off",
    ending: int = ENDING,
    head: int = MOST_HEAD,
) -> Config:
    """The configuration of a server.

    Args:
        protocol: the connections, which refuse in the app's form.
        lifespan: whether the app needs the lifespan events of ASGI.
        ending: seconds in which responses may end once the server is to stop.
        head: most bytes of the head of a request.
    """
    return Config(
        app,
        http=protocol,
        ws="none",
        lifespan=lifespan,
        log_level="critical",
        log_config=None,
        access_log=False,  # it would hold addresses with ids, which would never be deleted
        server_header=False,
        proxy_headers=False,  # no header of a client says where it comes from
        timeout_keep_alive=5,
        timeout_graceful_shutdown=ending,
        h11_max_incomplete_event_size=head,
    )
