"""Requests that a client sends again with the same key, because it saw no reply: they are answered once."""

from __future__ import annotations

import hashlib
import re
from datetime import datetime, timedelta

from medground.errors import UsageError
from medground.service.asked import Asked
from medground.service.records import Records

KEPT = timedelta(hours=24)
_KEY = re.compile(r"[\x21-\x7e]{1,200}")


class Repeats:
    """Keys of requests that have an answer, of each person, for 24 hours. Blocks."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def keep(self, owner: str, key: str, digest: str, trace_id: str, at: datetime) -> None:
        """The request with this key has an answer."""
        statement = "INSERT OR REPLACE INTO repeats VALUES (?, ?, ?, ?, ?)"
        self._records.change((statement, (owner, key, digest, trace_id, at.isoformat())))

    def find(self, owner: str, key: str, at: datetime) -> tuple[str, str] | None:
        """Digest and trace id of a request with this key; None where there was none in the last 24 hours."""
        statement = "SELECT digest, trace_id FROM repeats WHERE owner = ? AND key = ? AND created > ?"
        rows = self._records.rows(statement, owner, key, (at - KEPT).isoformat())
        return (str(rows[0][0]), str(rows[0][1])) if rows else None

    def forget_old(self, at: datetime) -> None:
        """Keys of more than 24 hours ago go."""
        self._records.change(("DELETE FROM repeats WHERE created <= ?", ((at - KEPT).isoformat(),)))


def checked_key(key: str) -> str:
    """A key, if it is one.

    Raises:
        UsageError: it is not 1 to 200 visible ASCII characters.
    """
    if not _KEY.fullmatch(key):
        raise UsageError("an idempotency key has 1 to 200 visible ASCII characters, such as a UUID")
    return key


def check_same(digest: str, before: str) -> None:
    """Check that a key comes with the request that it came with before.

    Raises:
        UsageError: it comes with another one.
    """
    if digest != before:
        raise UsageError("this idempotency key was used for another request; use a new key")


def digest_of(asked: Asked) -> str:
    """What tells one request from another."""
    return hashlib.sha256(asked.model_dump_json().encode()).hexdigest()
