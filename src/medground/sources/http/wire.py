"""What carries requests: the network, a folder of recorded replies, or the network while replies are recorded."""

import hashlib
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2

from medground.errors import ConfigError, StorageFailed
from medground.home import secrets
from medground.home.files import write_whole
from medground.home.settings import Settings
from medground.sources.http.clients import Network, masked_bytes

# A recorded reply as a file: a JSON head that a person can read, a blank line, then the body as it was received.

_END = b"\n}\n\n"
_KEPT_HEADERS = ("content-type", "location", "retry-after", "last-modified")
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9.-]+")


class DamagedReply(ValueError):
    """A file of a recorded reply cannot be read; one line says why."""


@dataclass(frozen=True)
class Recorded:
    """A reply: its status, its headers and its body, uncompressed."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def description(request: httpx2.Request) -> dict[str, Any]:
    """What tells a request from others: method, address, parameters, and the body unless it is a form of parameters.

    A form counts as parameters: some services are asked by GET or by POST depending on whether there is a key.
    """
    url, content = str(request.url), request.content
    sent = urlsplit(url).query
    if request.headers.get("content-type", "").startswith(secrets.FORM):
        sent = "&".join(filter(None, [sent, content.decode("ascii", errors="replace")]))
        content = b""
    told: dict[str, Any] = {
        "address": secrets.shown_address(url).partition("?")[0],
        "parameters": [list(pair) for pair in secrets.open_parameters(sent)],
    }
    return told | ({"body_sha256": hashlib.sha256(content).hexdigest()} if content else {})


def place_of(request: httpx2.Request) -> Path:
    """The file of a request below the folder: `HOST/DIGEST.reply`."""
    told = json.dumps(description(request), sort_keys=True)
    host = _NOT_IN_A_NAME.sub("_", request.url.netloc.decode("ascii").rpartition("@")[2]).strip(".") or "_"
    return Path(host, f"{hashlib.sha256(told.encode()).hexdigest()[:20]}.reply")


def keep(folder: Path, request: httpx2.Request, reply: Recorded) -> Path:
    """Write a reply, whole or not at all; returns its file. Raises OSError: the folder cannot be written."""
    path = folder / place_of(request)
    sent = request.url.query.decode("ascii", errors="replace")
    form = request.content.decode("ascii", errors="replace") if request.method == "POST" else ""
    private = [*secrets.private_in_parameters(sent), *secrets.private_in_parameters(form)]
    forms = secrets.secret_forms([*secrets.secrets_sent(str(request.url), request.headers), *private])
    body = masked_bytes(reply.body, map(str.encode, forms))
    head = {
        "request": description(request),
        "status": reply.status,
        "headers": {
            name: secrets.masked(secrets.shown_address(value) if name == "location" else value, forms)
            for name in _KEPT_HEADERS
            if (value := reply.headers.get(name)) is not None
        },
        "bytes": len(body),
        "sha256": hashlib.sha256(body).hexdigest(),
    }
    content = json.dumps(head, indent=1, ensure_ascii=False).encode() + b"\n\n" + body
    write_whole(path, content, private=True, synced=False)
    return path


def read(path: Path) -> Recorded:
    """The reply in a file. Raises DamagedReply: it is incomplete, or not such a file; OSError: it cannot be read."""
    content = path.read_bytes()
    head, _, body = content.partition(_END)
    try:
        told = json.loads(head + b"\n}")
        status, headers = int(told["status"]), {str(name): str(value) for name, value in told["headers"].items()}
        size, digest = told.get("bytes"), told.get("sha256")
    except (ValueError, KeyError, TypeError, AttributeError):
        raise DamagedReply(f"{path} is not a recorded reply") from None
    if (size is not None and size != len(body)) or (digest is not None and digest != hashlib.sha256(body).hexdigest()):
        raise DamagedReply(f"{path} is incomplete or was changed")
    return Recorded(status, headers, body)


_TRANSIENT = frozenset([408, 425, 429])


class NotRecorded(httpx2.TransportError):
    """A request without a readable recorded reply, and what the user can do."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.advice = advice


class Replay(httpx2.AsyncBaseTransport):
    """Answers requests from a folder of recorded replies. It opens no connection and resolves no name."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The recorded reply. Raises NotRecorded: there is none, or its file is damaged."""
        await request.aread()
        path = self._folder / place_of(request)
        try:
            reply = read(path)
        except FileNotFoundError:
            place = secrets.shown_address(str(request.url))
            raise NotRecorded(f"not recorded in {self._folder}: {place}", "record it first") from None
        except (DamagedReply, OSError) as error:
            raise NotRecorded(f"a recorded reply is damaged: {error}", "record it again") from None
        return httpx2.Response(reply.status, headers=dict(reply.headers), stream=httpx2.ByteStream(reply.body))


class Recording(httpx2.AsyncBaseTransport):
    """Carries requests over the network and keeps each complete reply in a folder. A later reply replaces an earlier.

    What may be different a moment later is not kept: 5xx, 408, 425 and 429.
    """

    def __init__(self, folder: Path, network: Network | None = None) -> None:
        self._folder = folder
        self._network = network or Network()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The reply, which is kept when its last byte has been read."""
        await request.aread()
        inner = await self._network.handle_async_request(request)
        if inner.has_redirect_location:  # its body is not read
            await inner.aclose()
            self._keep(request, Recorded(inner.status_code, inner.headers, b""))
            return httpx2.Response(inner.status_code, headers={"location": inner.headers["location"]})
        transient = inner.status_code >= 500 or inner.status_code in _TRANSIENT
        stream = inner.stream if transient else _Kept(inner, lambda reply: self._keep(request, reply))
        return httpx2.Response(inner.status_code, headers=inner.headers, stream=stream, extensions=inner.extensions)

    async def aclose(self) -> None:
        """Close the connections of this loop."""
        await self._network.aclose()

    def _keep(self, request: httpx2.Request, reply: Recorded) -> None:
        try:
            keep(self._folder, request, reply)
        except OSError as error:
            raise StorageFailed(f"cannot record replies in {self._folder}: {error.strerror or error}") from None


class _Kept(httpx2.AsyncByteStream):
    """The bytes of a reply on their way to the reader, who stops where a reply is too large."""

    def __init__(self, response: httpx2.Response, keep: Callable[[Recorded], None]) -> None:
        self._response = response
        self._keep = keep

    async def __aiter__(self) -> AsyncIterator[bytes]:
        raw = bytearray()
        async for chunk in self._response.aiter_raw():
            raw += chunk
            yield chunk
        headers = self._response.headers
        body = httpx2.Response(200, headers=headers, content=bytes(raw)).content  # uncompressed
        self._keep(Recorded(self._response.status_code, headers, body))

    async def aclose(self) -> None:
        await self._response.aclose()


def open_wire(settings: Settings, network: Network | None = None) -> httpx2.AsyncBaseTransport | None:
    """What `retrieval.replay` or `retrieval.record` asks for; None for the network as it is.

    `network` carries requests while they are recorded.

    Raises ConfigError: the folder to replay is not there, or both are set.
    """
    replay, record = settings.retrieval.replay, settings.retrieval.record
    if replay is not None and record is not None:
        raise ConfigError(
            "replies are either replayed or recorded; leave out one of [[--replay and --record|the two|the two]]"
        )
    if replay is not None and not replay.is_dir():
        raise ConfigError(f"there is no folder {replay} to replay; record one [[with --record {replay}|first|first]]")
    if replay is not None:
        return Replay(replay)
    return Recording(record, network) if record is not None else None


def is_offline(wire: httpx2.AsyncBaseTransport | None) -> bool:
    """Whether requests are answered from recorded replies."""
    return isinstance(wire, Replay)
