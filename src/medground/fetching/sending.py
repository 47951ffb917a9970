"""One request of a page: its reply within limits of size, never more than asked for, whatever the server sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import urljoin

import httpx

from medground.fetching.addresses import Refused
from medground.fetching.intake import CutReply


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
    client: httpx.AsyncClient,
    url: str,
    accept: str,
    most: int | None = None,
    wanted: Callable[[str], bool] | None = None,
) -> Received:
    """Ask for an address.

    Args:
        client: carries the request, and limits the reply.
        url: the address; redirects are reported, not followed.
        accept: the types of content that are wanted.
        most: bytes of the body after which the rest is left out.
        wanted: whether content of a type is received at all; by default any is.

    Raises:
        Refused: the body is too large, or packed in a way that cannot be limited.
        httpx.TransportError: the connection failed.
    """
    async with client.stream("GET", url, headers={"accept": accept}) as response:
        if response.has_redirect_location:
            target = urljoin(url, response.headers["location"])
            return Received(response.status_code, response.headers, b"", target)
        received = Received(response.status_code, response.headers, b"")
        if wanted is not None and response.status_code == 200 and not wanted(received.media_type):
            return received
        body = bytearray()
        try:
            async for part in response.aiter_bytes():
                body += part
                if most is not None and len(body) >= most:
                    break
        except CutReply as cut:
            raise Refused(cut.reason) from None
        return replace(received, body=bytes(body[:most]))
