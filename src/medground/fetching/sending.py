"""One request of a page: its reply within limits of size, never more than asked for, whatever the server sends."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import urljoin

import httpx

from medground.fetching.addresses import Refused

_WINDOW = 47
"""zlib's sign for gzip or deflate, whichever it is."""
_ENCODINGS = ("gzip", "x-gzip", "deflate")


@dataclass(frozen=True)
class Received:
    """A reply: its status, its headers, its body uncompressed, and where it redirects to."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    target: str | None = None

    @property
    def media_type(self) -> str:
        """Such as `text/html`; empty if the server names none."""
        return self.headers.get("content-type", "").split(";")[0].strip().lower()


async def send(
    client: httpx.AsyncClient, url: str, accept: str, largest: int, wanted: Callable[[str], bool] | None = None
) -> Received:
    """Ask for an address, and read at most `largest` bytes.

    Args:
        client: carries the request.
        url: the address; redirects are reported, not followed.
        accept: the types of content that are wanted.
        largest: most bytes, uncompressed.
        wanted: whether content of a type is received at all; a larger body is then refused at once. Without it, any
            type is, and the rest of a larger body is left out.

    Raises:
        Refused: the body is too large, or packed in a way that cannot be limited.
        httpx.TransportError: the connection failed.
    """
    headers = {"accept": accept, "accept-encoding": "gzip, deflate"}
    async with client.stream("GET", url, headers=headers) as response:
        if response.has_redirect_location:
            target = urljoin(url, response.headers["location"])
            return Received(response.status_code, response.headers, b"", target)
        received = Received(response.status_code, response.headers, b"")
        if wanted is not None and response.status_code == 200 and not wanted(received.media_type):
            return received
        return replace(received, body=await _body(response, largest, cut=wanted is None))


async def _body(response: httpx.Response, largest: int, *, cut: bool) -> bytes:
    told = response.headers.get("content-length", "")
    if not cut and told.isascii() and told.isdigit() and int(told[:18]) > largest:
        raise _too_large(largest)
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity", *_ENCODINGS):
        raise Refused(f"it is packed as {encoding[:20]!r}, which was not asked for")
    unpack = zlib.decompressobj(_WINDOW) if encoding in _ENCODINGS else None
    body = bytearray()
    async for part in response.aiter_raw():
        try:
            body += unpack.decompress(part, largest + 1 - len(body)) if unpack else part
        except zlib.error:
            raise Refused("its packed content is damaged") from None
        if len(body) > largest:
            if cut:
                break
            raise _too_large(largest)
    if unpack is not None and not unpack.eof and not cut:
        raise Refused("its packed content is damaged")
    return bytes(body[:largest])


def _too_large(largest: int) -> Refused:
    return Refused(f"it is larger than {largest >> 20 or 1} MB")
