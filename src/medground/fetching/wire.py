"""What carries requests: the network, a folder of recorded replies, or the network while replies are recorded."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import httpx

from medground.errors import ConfigError, StorageFailed
from medground.fetching.loops import LoopClients, tls
from medground.fetching.recorded import DamagedReply, Recorded, keep, place_of, read
from medground.fetching.secrets import shown_address
from medground.settings import Settings

_TRANSIENT = frozenset([408, 425, 429])


class NotRecorded(httpx.TransportError):
    """A request without a readable recorded reply.

    Attributes:
        reason: one line for the user.
        advice: what the user can do.
    """

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.advice = advice


class Replay(httpx.AsyncBaseTransport):
    """Answers requests from a folder of recorded replies. It opens no connection and resolves no name.

    Args:
        folder: the folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The recorded reply.

        Raises:
            NotRecorded: there is none, or its file is damaged.
        """
        await request.aread()
        path = self._folder / place_of(request)
        try:
            reply = read(path)
        except FileNotFoundError:
            place = shown_address(str(request.url))
            raise NotRecorded(f"not recorded in {self._folder}: {place}", "record it with --record") from None
        except (DamagedReply, OSError) as error:
            raise NotRecorded(f"a recorded reply is damaged: {error}", "record it again with --record") from None
        return httpx.Response(reply.status, headers=dict(reply.headers), stream=httpx.ByteStream(reply.body))


class Recording(httpx.AsyncBaseTransport):
    """Carries requests over the network and keeps each complete reply in a folder. A later reply replaces an earlier.

    What may be different a moment later is not kept: 5xx, 408, 425 and 429.

    Args:
        folder: the folder; made when first needed.
        network: makes what carries the requests; by default httpx with the proxies of the environment.
    """

    def __init__(self, folder: Path, network: Callable[[], httpx.AsyncBaseTransport] | None = None) -> None:
        self._folder = folder
        self._clients = LoopClients(lambda: httpx.AsyncClient(transport=network() if network else None, verify=tls()))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The reply, which is kept when its last byte has been read."""
        await request.aread()
        inner = await self._clients.current().send(request, stream=True)
        if inner.has_redirect_location:  # whose body nobody reads
            await inner.aclose()
            self._keep(request, Recorded(inner.status_code, inner.headers, b""))
            return httpx.Response(inner.status_code, headers={"location": inner.headers["location"]})
        transient = inner.status_code >= 500 or inner.status_code in _TRANSIENT
        stream = inner.stream if transient else _Kept(inner, lambda reply: self._keep(request, reply))
        return httpx.Response(inner.status_code, headers=inner.headers, stream=stream, extensions=inner.extensions)

    async def aclose(self) -> None:
        """Close the connections of this loop."""
        await self._clients.close()

    def _keep(self, request: httpx.Request, reply: Recorded) -> None:
        try:
            keep(self._folder, request, reply)
        except OSError as error:
            raise StorageFailed(f"cannot record replies in {self._folder}: {error.strerror or error}") from None


class _Kept(httpx.AsyncByteStream):
    """The bytes of a reply on their way to the reader, who stops where a reply is too large."""

    def __init__(self, response: httpx.Response, keep: Callable[[Recorded], None]) -> None:
        self._response = response
        self._keep = keep

    async def __aiter__(self) -> AsyncIterator[bytes]:
        raw = bytearray()
        async for chunk in self._response.aiter_raw():
            raw += chunk
            yield chunk
        headers = self._response.headers
        body = httpx.Response(200, headers=headers, content=bytes(raw)).content  # uncompressed
        self._keep(Recorded(self._response.status_code, headers, body))

    async def aclose(self) -> None:
        await self._response.aclose()


def open_wire(
    settings: Settings, network: Callable[[], httpx.AsyncBaseTransport] | None = None
) -> httpx.AsyncBaseTransport | None:
    """What `retrieval.replay` or `retrieval.record` asks for; None for the network as it is.

    Args:
        settings: the user's settings.
        network: makes what carries requests while they are recorded; by default httpx's own.

    Raises:
        ConfigError: the folder to replay is not there, or both are set.
    """
    replay, record = settings.retrieval.replay, settings.retrieval.record
    if replay is not None and record is not None:
        raise ConfigError("replies are either replayed or recorded; leave out --replay or --record")
    if replay is not None and not replay.is_dir():
        raise ConfigError(f"there is no folder {replay} to replay; record one with --record {replay}")
    if replay is not None:
        return Replay(replay)
    return Recording(record, network) if record is not None else None


def is_offline(wire: httpx.AsyncBaseTransport | None) -> bool:
    """Whether requests are answered from recorded replies."""
    return isinstance(wire, Replay)
