"""One request to the E-utilities: paced, sent again while that may help, checked, and kept on disk."""

from __future__ import annotations

import asyncio
import os
import ssl
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar
from urllib.parse import urlencode
from weakref import WeakKeyDictionary

import certifi
import httpx
import stamina

from medground.pubmed.eutils_cache import AnswerCache, cache_key
from medground.pubmed.eutils_faults import Fault, status_fault, type_fault
from medground.pubmed.eutils_service import EutilsService, Patience
from medground.pubmed.limits import Pace, shared_pace

T = TypeVar("T")
Kind = Literal["xml", "text"]

_LONGEST_ADDRESS = 1000
"""Characters of a request beyond which its parameters travel in the body, as NCBI asks."""
_LARGEST = 1 << 29
"""Bytes of an answer: 512 MB. 200 full texts are far below."""
_NOT_KEPT = {"WebEnv", "usehistory", "query_key"}
"""Requests with these speak of searches that the service forgets after some hours."""


class Transport:
    """Sends requests to one place.

    Args:
        place: whom to ask.
        cache: where answers are kept, or None.
        patience: how long to try.
        pace: how often; by default NCBI's limits, shared by the process, and none for this machine.
    """

    def __init__(
        self,
        place: EutilsService,
        cache: AnswerCache | None = None,
        patience: Patience | None = None,
        pace: Pace | None = None,
    ) -> None:
        self.place = place
        self.attempts = 0
        """Requests sent so far."""
        self._cache = cache
        self._patience = patience or Patience()
        unlimited = Pace(float("inf")) if place.is_local else None
        self._pace = pace or unlimited or shared_pace(place.address, with_key=place.api_key is not None)
        # Connections belong to the event loop that made them, and a source may be asked from one loop after another.
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient] = WeakKeyDictionary()

    async def ask(
        self, utility: str, parameters: Mapping[str, str], read: Callable[[Path], T], kind: Kind = "xml"
    ) -> T:
        """Send a request until `read` has understood its answer; what `read` refuses with a Fault is asked for again.

        Raises:
            SourceUnavailable: no usable answer after all tries, or one that another try cannot mend.
            RateLimited: the service asks to wait, for longer than the patience lasts.
            UsageError: the service refuses the request itself.
            ConfigError: the service refuses the API key.
        """
        key = None
        if self._cache is not None and not _NOT_KEPT & parameters.keys():
            key = cache_key(self.place.address, utility, parameters)
            kept = await self._from_cache(self._cache, key, read)
            if kept is not None:
                return kept
        patience, tried = self._patience, 0
        try:
            async for attempt in stamina.retry_context(
                on=self._may_help,
                attempts=patience.tries,
                timeout=None,
                wait_initial=patience.first_wait,
                wait_max=patience.longest_wait,
                wait_jitter=patience.first_wait,
            ):
                with attempt:
                    tried = attempt.num
                    return await self._once(utility, parameters, read, kind, key)
        except Fault as fault:
            raise fault.error(self.place.name, tried, self.place.api_key) from None
        raise AssertionError("the loop ends by return or raise")

    async def close(self) -> None:
        """Let go of the connections. Safe to call twice."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()

    def _client(self) -> httpx.AsyncClient:
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            # A proxy for the outside world must not be asked for this machine's own address.
            self._clients[loop] = httpx.AsyncClient(
                timeout=self._patience.seconds, trust_env=not self.place.is_local, verify=_tls()
            )
        return self._clients[loop]

    def _may_help(self, error: Exception) -> bool | float:
        """Whether to try again; after a Retry-After the pace does the waiting, for everybody."""
        if not isinstance(error, Fault) or not error.passing:
            return False
        if error.retry_after is None:
            return True
        return 0.0 if error.retry_after <= self._patience.longest_wait else False

    async def _from_cache(self, cache: AnswerCache, key: str, read: Callable[[Path], T]) -> T | None:
        kept = cache.find(key)
        if kept is None:
            return None
        try:
            return await asyncio.to_thread(read, kept)
        except Fault:
            cache.drop(key)
            return None

    async def _once(
        self, utility: str, parameters: Mapping[str, str], read: Callable[[Path], T], kind: Kind, key: str | None
    ) -> T:
        await self._pace.wait()
        self.attempts += 1
        try:
            async with asyncio.timeout(self._patience.seconds), self._answer(utility, parameters, kind) as body:
                result = await asyncio.to_thread(read, body)
                if self._cache is not None and key is not None:
                    await asyncio.to_thread(self._cache.put, key, body)
                return result
        except (httpx.TimeoutException, TimeoutError):
            raise Fault(f"it does not answer within {self._patience.seconds:g} s", status="timeout") from None
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise Fault(f"the connection broke ({type(error).__name__})", status=type(error).__name__) from None
        except Fault as fault:
            if fault.retry_after is not None and fault.retry_after <= self._patience.longest_wait:
                self._pace.hold(fault.retry_after)
            raise

    @asynccontextmanager
    async def _answer(self, utility: str, parameters: Mapping[str, str], kind: Kind) -> AsyncIterator[Path]:
        """A file with the body of a good answer."""
        async with self._client().stream(**self._request(utility, parameters)) as response:
            with _temporary_file() as path:
                await _save(response, path)
                if response.status_code != 200:
                    raise status_fault(response.status_code, response.headers, path)
                if path.stat().st_size == 0:
                    raise Fault("its answer is empty")
                found = response.headers.get("content-type", "").split(";")[0].strip().lower()
                if not found.endswith("xml" if kind == "xml" else "plain"):
                    raise type_fault(found, "XML" if kind == "xml" else "plain text", path)
                yield path

    def _request(self, utility: str, parameters: Mapping[str, str]) -> dict[str, Any]:
        """A short request without a key goes by GET, any other by POST: addresses end up in logs."""
        address = f"{self.place.address}/{utility}.fcgi"
        encoded = urlencode({**parameters, **self.place.identity()})
        if self.place.api_key is None and len(encoded) <= _LONGEST_ADDRESS:
            return {"method": "GET", "url": f"{address}?{encoded}"}
        headers = {"content-type": "application/x-www-form-urlencoded"}
        return {"method": "POST", "url": address, "content": encoded.encode(), "headers": headers}


@cache
def _tls() -> ssl.SSLContext:
    """Reading the certificates takes a tenth of a second, once per process is enough."""
    return ssl.create_default_context(cafile=certifi.where())


async def _save(response: httpx.Response, path: Path) -> None:
    with path.open("wb") as file:
        async for chunk in response.aiter_bytes():
            file.write(chunk)
            if file.tell() > _LARGEST:
                raise Fault(f"its answer is larger than {_LARGEST >> 20} MB", passing=False)


@contextmanager
def _temporary_file() -> Iterator[Path]:
    handle, name = tempfile.mkstemp(prefix="medground-", suffix=".xml")
    os.close(handle)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)
