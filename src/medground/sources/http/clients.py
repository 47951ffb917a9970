"""HTTP clients for any event loop, the rate limits that they share, and what every reply passes on its way in.

Replies are limited in size and time, and secrets that a peer echoes become asterisks. The bytes that count are those
after unpacking, which is done here in small steps: a few packed kilobytes can become gigabytes. The time is that of the
whole reply, from sending to the last byte, however slowly it drips.
"""

from __future__ import annotations

import asyncio
import os
import ssl
import threading
import time
import zlib
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from weakref import WeakKeyDictionary

import certifi
import httpx2
import truststore

from medground.errors import ConfigError, StorageFailed
from medground.home.concurrency import TURNS
from medground.home.secrets import MASK, secret_forms, secrets_sent
from medground.version import __version__

USER_AGENT = f"medground/{__version__}"
"""How we name ourselves to services and sites."""


_BUNDLES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


@cache
def tls() -> ssl.SSLContext:
    """The certificates that are trusted: Mozilla's, the system's (`SSL_CERT_FILE`), and those of `REQUESTS_CA_BUNDLE`.

    They are loaded once per process, because that takes a tenth of a second.

    Raises ConfigError: a variable of the environment names no file of certificates.
    """
    context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(certifi.where())
    for variable in _BUNDLES:
        if not (path := os.environ.get(variable)):
            continue
        try:
            context.load_verify_locations(**{"capath" if Path(path).is_dir() else "cafile": path})
        except (OSError, ssl.SSLError) as error:
            reason = f"{variable} names {path}, which holds no certificates ({error}); correct or unset it"
            raise ConfigError(reason) from None
    return context


_MARGIN = 1.05
"""Safety margin: NCBI sometimes rejects requests that arrive exactly at the allowed interval."""


@dataclass
class Pace:
    """A rate limiter that spaces calls at least 1 / `per_second` seconds apart.

    aiolimiter does not fit: it belongs to one event loop, while a process may run several. It also allows bursts, and
    two bursts of three around the turn of a second are six requests within one second, which NCBI rejects.
    """

    per_second: float
    address: str = ""
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _next: float = field(default=float("-inf"), init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    async def wait(self) -> None:
        """Wait for this call's turn."""
        with self._lock:
            now = self.clock()
            turn = max(now, self._next)
            self._next = turn + _MARGIN / self.per_second
        if self.address and TURNS:
            with suppress(StorageFailed):  # then this process keeps the pace alone
                turn = max(turn, now + await asyncio.to_thread(TURNS[-1], self.address, _MARGIN / self.per_second))
        if turn > now:
            await self.sleep(turn - now)

    def hold(self, seconds: float) -> None:
        """Pause all calls for this long, because the service asked for it."""
        with self._lock:
            self._next = max(self._next, self.clock() + seconds)


UNLIMITED = float("inf")
"""The rate of a service on this machine, and of recorded replies."""
_paces: dict[tuple[str, float], Pace] = {}
_paces_lock = threading.Lock()


def shared_pace(address: str, per_second: float) -> Pace:
    """The pace that the process shares for an address and a rate."""
    with _paces_lock:
        return _paces.setdefault((address, per_second), Pace(per_second, address))


ACCEPTED = "gzip, deflate"
"""The packings that can be undone in small steps; no other is asked for."""
_PACKED = ("gzip", "x-gzip", "deflate")
_GZIP_OR_ZLIB = 47
"""zlib's sign for gzip or deflate, whichever it is."""
_STEP = 1 << 16
_CHANGED = (b"content-encoding", b"content-length", b"transfer-encoding")


def media_type(headers: Mapping[str, str]) -> str:
    """The type of a reply, such as `text/html`; empty if the server names none."""
    return headers.get("content-type", "").split(";")[0].strip().lower()


class CutReply(Exception):
    """A reply was not read to its end. One that was `damaged` on its way may be whole at another attempt."""

    def __init__(self, reason: str, *, damaged: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.damaged = damaged


class SlowReply(CutReply, TimeoutError):
    """A reply was not complete in time."""


@dataclass(frozen=True)
class ReplyLimits:
    """The most bytes of a reply, unpacked, and the most seconds from sending the request to the last byte."""

    largest: int
    seconds: float | None = None


def cut_of(error: BaseException | None) -> CutReply | None:
    """The cut reply among an error and its causes, under whatever name a client wraps it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, CutReply):
            return error
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return None


class Intake:
    """The intake of one reply. Make it when the request is sent: its time begins then.

    `known` are forms of further secrets, wherever they stand in the request.
    """

    def __init__(
        self, limits: ReplyLimits, url: str, headers: Mapping[str, str], content: bytes, known: Iterable[str] = ()
    ) -> None:
        self._limits = limits
        forms = {*secret_forms(secrets_sent(url, headers, content)), *known}
        self._secrets = [form.encode() for form in sorted(forms, key=len, reverse=True)]
        self._end = None if limits.seconds is None else asyncio.get_running_loop().time() + limits.seconds

    async def next(self, parts: AsyncIterator[bytes]) -> bytes | None:
        """The next part as it was sent; None at the end. Raises SlowReply: it did not come in time."""
        async with self.in_time():
            return await anext(parts, None)

    @asynccontextmanager
    async def in_time(self) -> AsyncIterator[None]:
        """Ends what waits inside when the time of the reply is over. Raises SlowReply: it is over."""
        try:
            async with asyncio.timeout_at(self._end):
                yield
        except TimeoutError:
            raise SlowReply(f"no complete response within {self._limits.seconds:g} s") from None

    def head(self, headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        """The headers of the reply as its reader sees them: unpacked, and without echoed secrets."""
        kept = [(name, value) for name, value in headers if name.lower() not in _CHANGED]
        return [(name, masked_bytes(value, self._secrets)) for name, value in kept]

    async def body(self, headers: Mapping[str, str], sent: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
        """The body, unpacked and without echoed secrets.

        Raises CutReply: it is too large, too slow, damaged, or packed in a way that was not asked for.
        """
        told = headers.get("content-length", "")
        packing = headers.get("content-encoding", "identity").strip().lower()
        if told.isascii() and told.isdigit() and int(told[:18]) > self._limits.largest:
            raise self._too_large()
        if packing not in ("", "identity", *_PACKED):
            raise CutReply(f"the response is packed as {packing[:20]!r}, which was not requested")
        parts, opened, size, held, begun = aiter(sent), zlib.decompressobj(_GZIP_OR_ZLIB), 0, b"", False
        longest = max(map(len, self._secrets), default=1)
        while (part := await self.next(parts)) is not None:
            begun = begun or bool(part)
            for piece in _unpacked(opened, part) if packing in _PACKED else (part,):
                size += len(piece)
                if size > self._limits.largest:
                    raise self._too_large()
                held = masked_bytes(held + piece, self._secrets)
                ready = len(held) - (longest - 1)  # the rest may be the beginning of a secret
                if ready > 0:
                    yield held[:ready]
                    held = held[ready:]
        if packing in _PACKED and begun and not opened.eof:
            raise CutReply("the packed response is incomplete", damaged=True)
        if held:
            yield held

    def _too_large(self) -> CutReply:
        return CutReply(f"the response is larger than {self._limits.largest >> 20 or 1} MB")


def _unpacked(opened: zlib._Decompress, part: bytes) -> Iterator[bytes]:
    try:
        while part and not opened.eof:
            yield opened.decompress(part, _STEP)
            part = opened.unconsumed_tail
    except zlib.error:
        raise CutReply("the packed response is damaged", damaged=True) from None


def masked_bytes(content: bytes, secrets: Iterable[bytes]) -> bytes:
    """Content with asterisks in place of secrets."""
    for secret in secrets:
        content = content.replace(secret, MASK.encode())
    return content


class Network(httpx2.AsyncBaseTransport):
    """The network as httpx2 uses it, from any event loop, with the proxies of the environment if it is trusted.

    `make`: makes what carries the requests of one loop, in place of httpx2's own connections.
    """

    def __init__(self, *, trust_env: bool = True, make: Callable[[], httpx2.AsyncBaseTransport] | None = None) -> None:
        self._open: Callable[[], httpx2.AsyncClient] = lambda: httpx2.AsyncClient(
            transport=make() if make else None, verify=tls(), trust_env=trust_env
        )
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx2.AsyncClient] = WeakKeyDictionary()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The reply, of which the body is not read yet."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = self._open()
        return await self._clients[loop].send(request, stream=True)

    async def aclose(self) -> None:
        """Close the connections of this loop. Safe to call twice; the next request opens them again."""
        if client := self._clients.pop(asyncio.get_running_loop(), None):
            await client.aclose()


class Bounded(httpx2.AsyncBaseTransport):
    """Carries requests and limits their replies, which may not repeat `secrets` in any of these forms, nor those that
    the request shows to be some.

    `client`: asks by it, from any event loop, and follows no redirect. Close this, not the client, to use it again.
    """

    def __init__(self, limits: ReplyLimits, inner: httpx2.AsyncBaseTransport, secrets: Iterable[str] = ()) -> None:
        self._limits = limits
        self._inner = inner
        self._secrets = secrets
        self.client = httpx2.AsyncClient(
            transport=self, timeout=limits.seconds, headers={"user-agent": USER_AGENT}, follow_redirects=False
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The reply; its body raises CutReply where it passes a limit. Raises SlowReply: no reply began in time."""
        request.headers["accept-encoding"] = ACCEPTED
        intake = Intake(self._limits, str(request.url), request.headers, await request.aread(), self._secrets)
        async with intake.in_time():
            reply = await self._inner.handle_async_request(request)
        headers, body = intake.head(reply.headers.raw), _Body(intake, reply)
        return httpx2.Response(reply.status_code, headers=headers, stream=body, extensions=reply.extensions)

    async def aclose(self) -> None:
        """Close what carries the requests."""
        await self._inner.aclose()


class _Body(httpx2.AsyncByteStream):
    """The body of a reply as it is taken in."""

    def __init__(self, intake: Intake, reply: httpx2.Response) -> None:
        self._intake = intake
        self._reply = reply

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._intake.body(self._reply.headers, self._reply.aiter_raw())

    async def aclose(self) -> None:
        await self._reply.aclose()
