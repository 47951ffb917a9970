"""E-utilities service address, credentials, rate limits and the cache of responses on disk."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import logging
import os
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from medground.errors import ConfigError
from medground.home.files import replacing
from medground.home.secrets import shown_address
from medground.sources.http.clients import Pace, shared_pace
from medground.sources.http.service import is_loopback

NCBI = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
_PATH = "/entrez/eutils"


@dataclass(frozen=True)
class EutilsService:
    """The service to use and how to identify ourselves to it.

    Attributes:
        name: name of the service in errors and answers, such as `pubmed:live`.
        address: base URL; `/entrez/eutils` is added if it has no path.
        tool: name of the program, requested by NCBI.
        email: email address of the user, requested by NCBI.
        api_key: NCBI API key; never written to a URL, message or file.
    """

    name: str = "pubmed:live"
    address: str = NCBI
    tool: str = "medground"
    email: str | None = None
    api_key: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            shown = shown_address(self.address)
            raise ConfigError(f"{shown!r} is not an address of a PubMed service; use one like {NCBI}")
        path = parts.path.rstrip("/") or _PATH
        object.__setattr__(self, "address", urlunsplit((parts.scheme, parts.netloc, path, "", "")))

    @property
    def is_local(self) -> bool:
        """Whether the service runs on this machine."""
        return is_loopback(self.address)

    def identity(self) -> dict[str, str]:
        """Return the parameters that identify the client."""
        values = {"tool": self.tool, "email": self.email, "api_key": self.api_key}
        return {name: value for name, value in values.items() if value}


_log = logging.getLogger(__name__)
_NOT_IN_KEY = ("api_key", "email", "tool")
"""Left out of the cache key: they do not affect the response, and an API key must not be written to disk."""
_DAY = 86_400.0


class AnswerCache:
    """A folder of responses: the request with key `abcdef...` is stored in `ab/cdef....gz`.

    Writes are atomic, and the gzip checksum detects damaged files on reading. If a write fails, a warning is logged
    once and the response is still returned.

    Args:
        folder: cache folder; created when first needed.
        max_age: seconds for which a response stays valid.
        now: clock that returns seconds since 1970.
    """

    def __init__(self, folder: Path, max_age: float = _DAY, now: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._max_age = max_age
        self._now = now
        self._warned = False

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
            if not self._warned:
                self._warned = True
                _log.warning("cannot cache PubMed responses in %s: %s", self._folder, error.strerror or error)

    def drop(self, key: str) -> None:
        """Delete a response that turned out to be unreadable."""
        with contextlib.suppress(OSError):
            self._path(key).unlink()

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key[2:]}.gz"


def cache_key(address: str, utility: str, parameters: Mapping[str, str]) -> str:
    """Return the SHA-256 (hex) of the parameters that determine the response, without API key, email or tool."""
    relevant = sorted((name, value) for name, value in parameters.items() if name not in _NOT_IN_KEY)
    return hashlib.sha256(json.dumps([address, utility, relevant]).encode()).hexdigest()


PER_SECOND = 3
PER_SECOND_WITH_KEY = 10
"""Requests per second that NCBI allows one IP address, without and with an API key."""


def ncbi_pace(address: str, *, with_key: bool) -> Pace:
    """The pace that the process shares for an address."""
    return shared_pace(address, PER_SECOND_WITH_KEY if with_key else PER_SECOND)
