"""On-disk cache of E-utilities responses, keyed by the request without the API key, with a maximum age."""

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
from pathlib import Path

from medground.durable import replacing

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
            self._write(self._path(key), answer)
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

    def _write(self, path: Path, answer: Path) -> None:
        with replacing(path, private=True, synced=False) as new:
            with new.open("wb") as file, gzip.GzipFile("", "wb", 6, file) as packed, answer.open("rb") as body:
                shutil.copyfileobj(body, packed)
            os.utime(new, (self._now(), self._now()))


def cache_key(address: str, utility: str, parameters: Mapping[str, str]) -> str:
    """Return the SHA-256 (hex) of the parameters that determine the response, without API key, email or tool."""
    relevant = sorted((name, value) for name, value in parameters.items() if name not in _NOT_IN_KEY)
    return hashlib.sha256(json.dumps([address, utility, relevant]).encode()).hexdigest()
