"""Answers of the E-utilities on disk, found again by the request without the API key, believed for a limited time."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

_log = logging.getLogger(__name__)
_NOT_ASKED = ("api_key", "email", "tool")
"""Who asks changes no answer, and a key has no place on disk."""
_DAY = 86_400.0


class AnswerCache:
    """A folder of answers: the request with key `abcdef...` lies in `ab/cdef....gz`.

    A file appears whole or not at all, and gzip's own checksum tells a damaged one when it is read. A disk that
    refuses a write costs the saving, never the answer: it is logged once.

    Args:
        folder: where; made when first needed.
        max_age: seconds for which an answer is believed.
        now: seconds since 1970.
    """

    def __init__(self, folder: Path, max_age: float = _DAY, now: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._max_age = max_age
        self._now = now
        self._warned = False

    def find(self, key: str) -> Path | None:
        """The stored answer, as a gzip file, or None where there is none or an old one."""
        path = self._path(key)
        with contextlib.suppress(OSError):
            if 0 <= self._now() - path.stat().st_mtime <= self._max_age:
                return path
        return None

    def put(self, key: str, answer: Path) -> None:
        """Store a copy of an answer."""
        try:
            self._write(self._path(key), answer)
        except OSError as error:
            if not self._warned:
                self._warned = True
                _log.warning("cannot store PubMed answers in %s: %s", self._folder, error.strerror or error)

    def drop(self, key: str) -> None:
        """Forget an answer that turned out to be unreadable."""
        with contextlib.suppress(OSError):
            self._path(key).unlink()

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key[2:]}.gz"

    def _write(self, path: Path, answer: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file, gzip.GzipFile("", "wb", 6, file) as packed, answer.open("rb") as body:
                shutil.copyfileobj(body, packed)
            os.utime(name, (self._now(), self._now()))
            Path(name).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise


def cache_key(address: str, utility: str, parameters: Mapping[str, str]) -> str:
    """SHA-256 (hex) of what decides an answer: never the API key, nor who asks."""
    asked = sorted((name, value) for name, value in parameters.items() if name not in _NOT_ASKED)
    return hashlib.sha256(json.dumps([address, utility, asked]).encode()).hexdigest()
