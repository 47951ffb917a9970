"""Which addresses of the web may be asked: http and https on their own ports, at public IP addresses only.

A page of the web must not make this machine ask its own network, or a cloud's metadata service. So the name of a host
is resolved once, every address that it has is checked, and the connection goes to one of exactly these: a DNS answer
that changes a moment later changes nothing.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

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


class CheckedTransport(httpx2.AsyncBaseTransport):
    """Carries requests to allowed addresses, to the very ones that were checked. No proxy is used: it would resolve
    names by itself, unchecked.

    Each connection serves one request, so that each request is checked.
    """

    def __init__(self, allowed: Allowed, resolve: Resolve = resolve) -> None:
        self._allowed = allowed
        self._resolve = resolve
        one_each = httpx2.Limits(max_keepalive_connections=0)
        self._network = httpx2.AsyncHTTPTransport(verify=tls(), trust_env=False, limits=one_each)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The reply of the first checked address that answers; its certificate must be that of the host.

        Raises Refused: the host has an address that is not public; httpx2.TransportError: the connection failed.
        """
        host = request.url.raw_host.decode("ascii")
        port = request.url.port or PORTS[request.url.scheme]
        try:
            addresses = await self._resolve(host, port)
        except OSError:
            raise httpx2.ConnectError("no such host", request=request) from None
        self._allowed.check(addresses, port)
        *others, last = (
            httpx2.Request(
                request.method,
                request.url.copy_with(host=address),
                headers=request.headers,
                stream=request.stream,
                extensions={**request.extensions, "sni_hostname": host},
            )
            for address in addresses
        )
        for other in others:
            with suppress(httpx2.ConnectError, httpx2.ConnectTimeout):
                return await self._network.handle_async_request(other)
        return await self._network.handle_async_request(last)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._network.aclose()
