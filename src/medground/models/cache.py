"""Model replies cached on disk, keyed by the content of the call.

A file holds the operator's output, the names of the model and the operator, and a checksum. It never holds the prompt
or an API key, but the output may repeat text from a document or the question.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from medground.durable import write_whole

R = TypeVar("R", bound=BaseModel)

FORMAT = 1
_log = logging.getLogger(__name__)


class CallCache:
    """A folder of replies: the call with key `abcdef...` is stored in `ab/cdef....json`.

    Many processes may share a folder because files are written atomically. A file that is damaged, or that no longer
    fits its operator, counts as a miss and is rewritten. If a write fails, the answer is unaffected and one warning is
    logged.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._warned = False

    def get(self, key: str, output_type: type[R]) -> R | None:
        """The stored output of a call, or None."""
        try:
            stored = json.loads(self._path(key).read_bytes())
            if stored["format"] != FORMAT or stored["sha256"] != _checksum(key, stored["output"]):
                return None
            return output_type.model_validate_json(json.dumps(stored["output"]))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            # ValueError covers broken JSON, broken UTF-8 and pydantic's ValidationError.
            return None

    def put(self, key: str, output: BaseModel, about: Mapping[str, str]) -> None:
        """Store the output of a call. `about` names the model and the operator, for anyone who opens the file."""
        content = output.model_dump(mode="json")
        stored = {"format": FORMAT, "sha256": _checksum(key, content), "about": dict(about), "output": content}
        try:
            write_whole(self._path(key), json.dumps(stored, ensure_ascii=False), private=True, synced=False)
        except OSError as error:
            if not self._warned:
                self._warned = True
                _log.warning("cannot store model replies in %s: %s", self._folder, error.strerror or error)

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key[2:]}.json"


def _checksum(key: str, content: object) -> str:
    """SHA-256 of the key and the output, to detect a flipped bit or a file under the wrong name."""
    return hashlib.sha256(json.dumps([key, content], sort_keys=True).encode()).hexdigest()
