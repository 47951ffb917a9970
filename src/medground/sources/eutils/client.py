"""Client for NCBI's E-utilities, or any service with the same API.

All tasks in the process share NCBI's rate limit. Transient failures are retried, and responses are cached on disk.
Every method raises SourceUnavailable or RateLimited if it gets no usable response, UsageError if the service rejects
the request, and ConfigError if it rejects the API key.
"""

import asyncio
import contextlib
import gzip
import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar
from urllib.parse import urlencode, urlsplit, urlunsplit

import httpx2

from medground.corpus.readers.base import Item
from medground.errors import ConfigError, UsageError
from medground.home.files import digest, replacing, tell_once
from medground.home.secrets import shown_address
from medground.sources.eutils.replies import (
    SearchResult,
    read_articles,
    read_count,
    read_full_texts,
    read_links,
    read_matches,
    read_search,
    status_fault,
    type_fault,
)
from medground.sources.http.clients import Pace, ReplyLimits, media_type
from medground.sources.http.retries import Fault, Patience, tried
from medground.sources.http.service import bounded, is_address, pace_of
from medground.values.grouping import portions

NCBI = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
_PATH = "/entrez/eutils"
_CITATIONS = "ecitmatch"
_PUBMED = "https://pubmed.ncbi.nlm.nih.gov"


@dataclass(frozen=True)
class EutilsService:
    """The service to use, its name in errors and answers, and how to identify ourselves to it, as NCBI requests.

    `/entrez/eutils` is added to an address without a path. The key is never written to a URL, message or file.
    """

    name: str = "pubmed:live"
    address: str = NCBI
    email: str | None = None
    api_key: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not is_address(self.address):
            shown = shown_address(self.address)
            raise ConfigError(f"{shown!r} is not an address of a PubMed service; use one like {NCBI}")
        parts = urlsplit(self.address)
        path = parts.path.rstrip("/") or _PATH
        object.__setattr__(self, "address", urlunsplit((parts.scheme, parts.netloc, path, "", "")))

    def identity(self) -> dict[str, str]:
        """The parameters that identify the client."""
        values = {"tool": "medground", "email": self.email, "api_key": self.api_key}
        return {name: value for name, value in values.items() if value}


_DAY = 86_400.0


class AnswerCache:
    """A folder of responses: the request with key `abcdef...` is stored in `ab/cdef....gz`.

    Writes are atomic, and the gzip checksum detects damaged files on reading. If a write fails, a warning is logged
    once and the response is still returned. Responses stay valid for `max_age` seconds.
    """

    def __init__(self, folder: Path, max_age: float = _DAY, now: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._max_age = max_age
        self._now = now

    def find(self, key: str) -> Path | None:
        """Return the cached response as a gzip file, or None if it is missing or expired."""
        path = self._path(key)
        with contextlib.suppress(OSError):
            if 0 <= self._now() - path.stat().st_mtime <= self._max_age:
                return path
        return None

    def put(self, key: str, answer: Path) -> None:
        """Store a copy of a response."""
        try:
            with replacing(self._path(key), private=True, synced=False) as new:
                with new.open("wb") as file, gzip.GzipFile("", "wb", 6, file) as packed, answer.open("rb") as body:
                    shutil.copyfileobj(body, packed)
                os.utime(new, (self._now(), self._now()))
        except OSError as error:
            tell_once(f"cannot cache PubMed responses in {self._folder}", error)

    def drop(self, key: str) -> None:
        """Delete a response that turned out to be unreadable."""
        with contextlib.suppress(OSError):
            self._path(key).unlink()

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key[2:]}.gz"


def cache_key(address: str, utility: str, parameters: Mapping[str, str]) -> str:
    """The SHA-256 (hex) of what determines a response; what identifies us, such as a key, is never among these."""
    return digest([address, utility, sorted(parameters.items())])


PER_SECOND = 3
PER_SECOND_WITH_KEY = 10
"""Requests per second that NCBI allows one IP address, without and with an API key."""
T = TypeVar("T")
_LONGEST_ADDRESS = 1000
"""Characters of parameters above which a request uses POST, as NCBI recommends."""
_LARGEST = 1 << 29
"""Maximum bytes of a response: 512 MB. 200 full texts are far smaller."""


class Transport:
    """Sends requests to one service; by default at NCBI's pace, and without one to a local service."""

    def __init__(
        self,
        service: EutilsService,
        cache: AnswerCache | None = None,
        patience: Patience | None = None,
        pace: Pace | None = None,
        wire: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self.service = service
        self._cache = cache
        self._patience = patience or Patience()
        self._pace = pace or pace_of(service.address, PER_SECOND_WITH_KEY if service.api_key else PER_SECOND, wire)
        limits = ReplyLimits(_LARGEST, self._patience.seconds)
        self._wire = bounded(service.address, limits, wire)
        self.close = self._wire.aclose

    async def ask(self, utility: str, parameters: Mapping[str, str], read: Callable[[Path], T]) -> T:
        """Send a request and parse the response with `read`, retrying if `read` raises a transient Fault.

        Raises SourceUnavailable: no usable response after all attempts, or a failure that a retry cannot fix;
        RateLimited: the service is still rate limiting after all attempts, or asks for too long a wait; UsageError: the
        service rejected the request; ConfigError: the service rejected the API key.
        """
        key = None
        if self._cache is not None:
            key = cache_key(self.service.address, utility, parameters)
            if (kept := self._cache.find(key)) is not None:
                try:
                    return await asyncio.to_thread(read, kept)
                except Fault:
                    self._cache.drop(key)
        service = self.service
        secrets = [service.api_key] if service.api_key else []
        return await tried(
            lambda: self._once(utility, parameters, read, key), self._patience, self._pace, service.name, secrets
        )

    async def _once(self, utility: str, parameters: Mapping[str, str], read: Callable[[Path], T], key: str | None) -> T:
        await self._pace.wait()
        with tempfile.TemporaryDirectory(prefix="medground-") as folder:
            body = Path(folder, "reply.xml")
            async with asyncio.timeout(self._patience.seconds):
                await self._receive(body, utility, parameters)
                result = await asyncio.to_thread(read, body)
                if self._cache is not None and key is not None and result != []:  # it may be there the next time
                    await asyncio.to_thread(self._cache.put, key, body)
                return result

    async def _receive(self, path: Path, utility: str, parameters: Mapping[str, str]) -> None:
        """Write the body of a valid response to a file. Raises Fault: the response is not valid."""
        async with self._wire.client.stream(**self._request(utility, parameters)) as response:
            size = 0
            with path.open("wb") as file:
                async for chunk in response.aiter_bytes():
                    size += file.write(chunk)
            if response.status_code != 200:
                raise status_fault(response.status_code, response.headers, path)
            if not size:
                raise Fault("the response is empty")
            found = media_type(response.headers)
            if not found.endswith("xml") and not (found == "text/plain" and utility == _CITATIONS):
                raise type_fault(found, path)

    def _request(self, utility: str, parameters: Mapping[str, str]) -> dict[str, Any]:
        """Use GET for short requests without an API key and POST otherwise, because URLs end up in logs."""
        address = f"{self.service.address}/{utility}.{'cgi' if utility == _CITATIONS else 'fcgi'}"
        encoded = urlencode({**parameters, **self.service.identity()})
        if self.service.api_key is None and len(encoded) <= _LONGEST_ADDRESS:
            return {"method": "GET", "url": f"{address}?{encoded}"}
        headers = {"content-type": "application/x-www-form-urlencoded"}
        return {"method": "POST", "url": address, "content": encoded.encode(), "headers": headers}


BATCH = 200
"""Maximum IDs per request, as NCBI recommends."""
MOST_FOUND = 10_000
"""Maximum records that esearch returns for one search; set by NCBI."""
Sort = Literal["relevance", "pub_date", "Author", "JournalName"]


@dataclass(frozen=True)
class Eutils:
    """One method per utility. IDs are bare numbers such as `21645374`."""

    _transport: Transport

    @property
    def name(self) -> str:
        """Name of the service in answers and errors."""
        return self._transport.service.name

    def page(self, term: str) -> str:
        """Address of the page that shows a person the same search, without user, password and key."""
        address = shown_address(self._transport.service.address)
        site = _PUBMED if address == NCBI else address.removesuffix(_PATH)
        return f"{site}/?{urlencode({'term': term, 'sort': 'relevance'})}"

    async def esearch(
        self, term: str, *, db: str = "pubmed", limit: int = 20, sort: Sort | None = None
    ) -> SearchResult:
        """Search. Raises UsageError: the query is empty, or the limit exceeds what the service returns."""
        _check_words(term)
        if limit < 0 or limit > MOST_FOUND:
            raise UsageError(
                f"PubMed returns only the first {MOST_FOUND:,} records of a search; narrow it, for example by date"
            )
        parameters = {"db": db, "term": term, "retmode": "xml", "retstart": "0", "retmax": str(limit)}
        parameters |= {"sort": sort} if sort else {}
        return await self._transport.ask("esearch", parameters, read_search)

    async def count(self, term: str) -> int:
        """Number of records that match. No id is sent back. Raises UsageError: the query is empty."""
        _check_words(term)
        parameters = {"db": "pubmed", "term": term, "retmode": "xml", "rettype": "count"}
        return await self._transport.ask("esearch", parameters, read_count)

    def efetch(self, ids: Sequence[str]) -> AsyncIterator[Item]:
        """Yield PubMed records. A batch arrives complete or raises an error; unknown IDs are omitted."""
        return self._fetched("pubmed", ids, read_articles)

    def efetch_full_texts(self, ids: Sequence[str]) -> AsyncIterator[Item]:
        """Yield PMC full texts, for IDs with or without `PMC`. Restricted articles are omitted or a BadDocument."""
        return self._fetched("pmc", [i.upper().removeprefix("PMC") for i in ids], read_full_texts)

    async def links(self, pmid: str, name: str) -> list[str]:
        """PMIDs behind a link of a record, such as `pubmed_pubmed_citedin`, in the service's order."""
        parameters = {"dbfrom": "pubmed", "db": "pubmed", "id": pmid, "linkname": name, "cmd": "neighbor"}
        return await self._transport.ask("elink", parameters, partial(read_links, name=name))

    async def match(self, citations: Sequence[str]) -> list[str]:
        """For each citation, `journal|year|volume|first page|author`, its PMID, or why it has none."""
        lines = ("|".join([*line.split("|"), *[""] * 4][:5]) for line in citations)  # the key is what comes sixth
        asked = "\r".join(f"{line}|{number}|" for number, line in enumerate(lines))
        found = await self._transport.ask(_CITATIONS, {"db": "pubmed", "retmode": "xml", "bdata": asked}, read_matches)
        return [found.get(str(number), "NOT_FOUND") for number in range(len(citations))]

    async def close(self) -> None:
        """Close the connections. Safe to call twice."""
        await self._transport.close()

    async def _fetched(self, db: str, ids: Sequence[str], read: Callable[[Path], list[Item]]) -> AsyncIterator[Item]:
        for each in ids:
            if not (each.isascii() and each.isdigit() and len(each) <= 12):
                raise UsageError(f"{each[:40]!r} is not a PubMed ID; use a number such as 21645374")
        for some in portions([*dict.fromkeys(ids)], BATCH):
            parameters = {"db": db, "id": ",".join(some), "retmode": "xml"}
            for item in await self._transport.ask("efetch", parameters, read):
                yield item


def _check_words(term: str) -> None:
    if not term.strip():
        raise UsageError("the PubMed query is empty; enter at least one word")
