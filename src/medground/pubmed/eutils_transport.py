"""Send E-utilities requests with rate limiting, retries, validation and caching."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

import httpx

from medground.fetching.bounded import Bounded, Network
from medground.fetching.faults import Fault
from medground.fetching.intake import ReplyLimits
from medground.fetching.loops import LoopClients
from medground.fetching.pace import UNLIMITED, Pace
from medground.fetching.trying import Patience, tried
from medground.fetching.wire import is_offline
from medground.pubmed.eutils_cache import AnswerCache, cache_key
from medground.pubmed.eutils_faults import status_fault, type_fault
from medground.pubmed.eutils_service import EutilsService
from medground.pubmed.limits import ncbi_pace

T = TypeVar("T")

_LONGEST_ADDRESS = 1000
"""Characters of parameters above which a request uses POST, as NCBI recommends."""
_LARGEST = 1 << 29
"""Maximum bytes of a response: 512 MB. 200 full texts are far smaller."""


class Transport:
    """Sends requests to one service.

    Args:
        service: the service to use.
        cache: cache for responses, or None.
        patience: retry settings.
        pace: rate limit; by default NCBI's limit, shared by the process, and no limit for a local service.
        wire: what carries requests, by `open_wire`; None for the network.
    """

    def __init__(
        self,
        service: EutilsService,
        cache: AnswerCache | None = None,
        patience: Patience | None = None,
        pace: Pace | None = None,
        wire: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.service = service
        self._cache = cache
        self._patience = patience or Patience()
        unlimited = Pace(UNLIMITED) if service.is_local or is_offline(wire) else None
        self._pace = pace or unlimited or ncbi_pace(service.address, with_key=service.api_key is not None)
        self._wire = wire
        self._clients = LoopClients(self._open)

    async def ask(self, utility: str, parameters: Mapping[str, str], read: Callable[[Path], T]) -> T:
        """Send a request and parse the response with `read`, retrying if `read` raises a transient Fault.

        Raises:
            SourceUnavailable: no usable response after all attempts, or a failure that a retry cannot fix.
            RateLimited: the service is still rate limiting after all attempts, or asks for too long a wait.
            UsageError: the service rejected the request.
            ConfigError: the service rejected the API key.
        """
        key = None
        if self._cache is not None:
            key = cache_key(self.service.address, utility, parameters)
            kept = await self._from_cache(self._cache, key, read)
            if kept is not None:
                return kept
        service = self.service
        secrets = [service.api_key] if service.api_key else []
        return await tried(
            lambda: self._once(utility, parameters, read, key), self._patience, self._pace, service.name, secrets
        )

    async def close(self) -> None:
        """Close the connections. Safe to call twice."""
        await self._clients.close()

    def _open(self) -> httpx.AsyncClient:
        # Do not use a proxy for a local service.
        seconds = self._patience.seconds
        inner = self._wire or Network(trust_env=not self.service.is_local)
        return httpx.AsyncClient(transport=Bounded(ReplyLimits(_LARGEST, seconds), inner), timeout=seconds)

    async def _from_cache(self, cache: AnswerCache, key: str, read: Callable[[Path], T]) -> T | None:
        kept = cache.find(key)
        if kept is None:
            return None
        try:
            return await asyncio.to_thread(read, kept)
        except Fault:
            cache.drop(key)
            return None

    async def _once(self, utility: str, parameters: Mapping[str, str], read: Callable[[Path], T], key: str | None) -> T:
        await self._pace.wait()
        async with asyncio.timeout(self._patience.seconds), self._answer(utility, parameters) as body:
            result = await asyncio.to_thread(read, body)
            if self._cache is not None and key is not None:
                await asyncio.to_thread(self._cache.put, key, body)
            return result

    @asynccontextmanager
    async def _answer(self, utility: str, parameters: Mapping[str, str]) -> AsyncIterator[Path]:
        """Yield a file with the body of a valid response."""
        async with self._clients.current().stream(**self._request(utility, parameters)) as response:
            with _temporary_file() as path:
                await _save(response, path)
                if response.status_code != 200:
                    raise status_fault(response.status_code, response.headers, path)
                if path.stat().st_size == 0:
                    raise Fault("the response is empty")
                found = response.headers.get("content-type", "").split(";")[0].strip().lower()
                if not found.endswith("xml"):
                    raise type_fault(found, path)
                yield path

    def _request(self, utility: str, parameters: Mapping[str, str]) -> dict[str, Any]:
        """Use GET for short requests without an API key and POST otherwise, because URLs end up in logs."""
        address = f"{self.service.address}/{utility}.fcgi"
        encoded = urlencode({**parameters, **self.service.identity()})
        if self.service.api_key is None and len(encoded) <= _LONGEST_ADDRESS:
            return {"method": "GET", "url": f"{address}?{encoded}"}
        headers = {"content-type": "application/x-www-form-urlencoded"}
        return {"method": "POST", "url": address, "content": encoded.encode(), "headers": headers}


async def _save(response: httpx.Response, path: Path) -> None:
    with path.open("wb") as file:
        async for chunk in response.aiter_bytes():
            file.write(chunk)


@contextmanager
def _temporary_file() -> Iterator[Path]:
    handle, name = tempfile.mkstemp(prefix="medground-", suffix=".xml")
    os.close(handle)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)
