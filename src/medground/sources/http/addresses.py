"""Which addresses of the web may be asked: http and https on their own ports, at public IP addresses only.

A page of the web must not make this machine ask its own network, or a cloud's metadata service. So the name of a host
is resolved once, every address that it has is checked, and the connection goes to one of exactly these: a DNS answer
that changes a moment later changes nothing.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpcore2
import httpx2

from medground.sources.http.clients import tls

PORTS = {"http": 80, "https": 443}
_LONGEST = 2000
_EMBEDS_IPV4 = ipaddress.IPv6Network("64:ff9b::/96")
_NEVER = tuple(
    map(ipaddress.IPv6Network, ("::/96", "2001::/32", "2002::/16", "64:ff9b:1::/48", "fec0::/10", "3fff::/20"))
)
"""IPv4-compatible, Teredo, 6to4, local NAT64, site-local, documentation: ways around a check, or private."""
_NEVER_IPV4 = tuple(map(ipaddress.IPv4Network, ("192.0.0.0/24", "192.88.99.0/24")))
"""IETF's own and the former 6to4 relays, which not every Python calls private."""

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""From a host and a port to IP addresses."""


class Refused(Exception):
    """A page is not fetched, or not read; one line says why."""


@dataclass(frozen=True)
class Allowed:
    """What may be asked. `also` are exact IP addresses and ports beyond the public ones; only tests give any."""

    also: frozenset[tuple[str, int]] = frozenset()

    def check_url(self, url: str) -> None:
        """Check all that an address says before it is resolved.

        Raises Refused: it is not a public http or https address.
        """
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
            httpx2.URL(url)
        except (ValueError, httpx2.InvalidURL):
            raise Refused("its address is not valid") from None
        if parts.scheme not in PORTS:
            raise Refused(f"only http and https are read, not {parts.scheme[:20] or 'an address without a scheme'}")
        if not host or len(url) > _LONGEST:
            raise Refused("its address is not valid")
        if parts.username is not None or parts.password is not None:
            raise Refused("its address holds a user name or a password")
        port = port or PORTS[parts.scheme]
        if port != PORTS[parts.scheme] and port not in {port for _, port in self.also}:
            raise Refused(f"port {port} is not one of the web")
        try:
            address = ipaddress.ip_address(host.partition("%")[0])
        except ValueError:
            return
        self.check([str(address)], port)

    def check(self, addresses: Sequence[str], port: int) -> None:
        """Check the IP addresses of a host: all of them, because any may be used.

        Raises Refused: one is not public, or there is none.
        """
        if not addresses:
            raise Refused("its host has no address")
        for each in addresses:
            if (each, port) not in self.also and not is_public(ipaddress.ip_address(each.partition("%")[0])):
                raise Refused("its host is not on the public internet")


PUBLIC = Allowed()
"""The public internet, as for every user."""


def is_public(address: IpAddress) -> bool:
    """Whether an IP address is on the public internet: not private, loopback, link-local, multicast or reserved."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if address in _EMBEDS_IPV4:
            return is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        if any(address in network for network in _NEVER):
            return False
    elif any(address in network for network in _NEVER_IPV4):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


async def resolve(host: str, port: int) -> Sequence[str]:
    """The IP addresses of a host, by the system. Raises OSError: there is no such host, or no name service."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class CheckedNetwork(httpcore2.AsyncNetworkBackend):
    """Opens connections to hosts whose addresses are allowed, to the very addresses that were checked."""

    def __init__(self, allowed: Allowed, resolve: Resolve) -> None:
        self._allowed = allowed
        self._resolve = resolve
        self._network = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature of httpcore2
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """A connection to the first checked address that answers.

        Raises Refused: the host has an address that is not public; httpcore2.ConnectError: none answers.
        """
        try:
            addresses = await self._resolve(host, port)
        except OSError:
            raise httpcore2.ConnectError("no such host") from None
        self._allowed.check(addresses, port)
        for last, address in enumerate(addresses, start=1):
            try:
                return await self._network.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                if last == len(addresses):
                    raise
        raise httpcore2.ConnectError("no address")


class CheckedTransport(httpx2.AsyncBaseTransport):
    """Carries requests to allowed addresses. No proxy is used: it would resolve names by itself, unchecked.

    Each connection serves one request, so that each request is checked.
    """

    def __init__(self, allowed: Allowed, resolve: Resolve = resolve) -> None:
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=tls(), max_keepalive_connections=0, network_backend=CheckedNetwork(allowed, resolve)
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The reply.

        Raises Refused: the host has an address that is not public; httpx2.TransportError: the connection failed.
        """
        url = request.url
        asked = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with _as_httpx():
            reply = await self._pool.handle_async_request(asked)
        stream = _Stream(reply)
        return httpx2.Response(reply.status, headers=reply.headers, stream=stream, extensions=reply.extensions)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._pool.aclose()


class _Stream(httpx2.AsyncByteStream):
    def __init__(self, reply: httpcore2.Response) -> None:
        self._reply = reply

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _as_httpx():
            async for part in self._reply.aiter_stream():
                yield part

    async def aclose(self) -> None:
        await self._reply.aclose()


@contextmanager
def _as_httpx() -> Iterator[None]:
    """Failures of the pool under the names that httpx2 gives them."""
    try:
        yield
    except httpcore2.TimeoutException as error:
        raise httpx2.TimeoutException(str(error)) from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.UnsupportedProtocol) as error:
        raise httpx2.NetworkError(str(error)) from error
