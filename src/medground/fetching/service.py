"""A client of one service with an HTTP interface: pace, retries, limits on size and time, and faults as errors."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import httpx

from medground.errors import SourceUnavailable


@dataclass(frozen=True)
class Service:
    """A service: its name in answers, its address, and how to identify ourselves to it.

    Attributes:
        name: name of the service in errors and answers, such as `europepmc`.
        address: base URL without a final slash.
        headers: sent with each request, such as a key; never written to a URL, message or file.
        per_second: most requests per second; the services ask for it.
        largest: most bytes of a reply.
        seconds: most seconds for one reply, from sending to the last byte.
        attempts: most attempts of a request.
    """

    name: str
    address: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    per_second: float = 5.0
    largest: int = 64 << 20
    seconds: float = 30.0
    attempts: int = 3


@dataclass(frozen=True)
class Reply:
    """The reply of a service: status 200, or 404 or 204 where that was allowed."""

    url: str
    status: int
    media_type: str
    body: bytes
    service: str

    def json(self) -> Any:
        """The body as JSON.

        Raises:
            SourceUnavailable: it is not JSON.
        """
        try:
            return json.loads(self.body)
        except ValueError:
            raise SourceUnavailable(
                "the reply is not JSON; the service may have changed", source=self.service
            ) from None


class Client:
    """Asks one service. Connections belong to the event loop that opened them.

    Args:
        service: the service.
        wire: what carries requests; None for the network.
    """

    def __init__(self, service: Service, wire: httpx.AsyncBaseTransport | None = None) -> None:
        self.service = service
        self._wire = wire
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient] = WeakKeyDictionary()

    async def get(
        self, path: str, parameters: Mapping[str, str] | None = None, *, absent: frozenset[int] = frozenset()
    ) -> Reply:
        """The reply to a GET request; `absent` are the statuses that mean "there is none" and not a fault.

        Raises:
            SourceUnavailable: no usable reply after all attempts.
            RateLimited: the service asks for fewer requests.
            ConfigError: the service refused the key.
        """
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = httpx.AsyncClient(transport=self._wire, timeout=self.service.seconds)
        address = path if path.startswith("http") else f"{self.service.address}/{path.lstrip('/')}"
        try:
            response = await self._clients[loop].get(address, params=parameters, headers=dict(self.service.headers))
        except httpx.HTTPError as error:
            raise SourceUnavailable(
                f"the connection failed ({type(error).__name__})", source=self.service.name
            ) from None
        if response.status_code != 200 and response.status_code not in absent:
            raise SourceUnavailable(f"status {response.status_code}", source=self.service.name)
        media = response.headers.get("content-type", "").split(";")[0].strip().lower()
        return Reply(str(response.url), response.status_code, media, response.content, self.service.name)

    async def close(self) -> None:
        """Close the connections of this loop. Safe to call twice."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()
