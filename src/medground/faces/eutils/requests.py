"""A request: its parameters, and the results that are stored for a client under `WebEnv` and `query_key`."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl

from medground.pubmed.parser import MAX_CHARACTERS
from medground.pubmed.syntax import tokens

MOST_IDS = 50_000
"""Maximum IDs of a request."""
MOST_TERM = 30_000
"""Maximum bytes of a query. The longest published search strategies have about half of that."""
_MOST_FIELDS = MOST_IDS + 100


class InvalidRequest(Exception):
    """The request is not valid. The reason is sent in the response."""

    def __init__(self, reason: str, *, status: int = 200) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status


class Parameters:
    """Request parameters. Duplicates: the last value wins, except for IDs, which are combined."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._values: dict[str, str] = {}
        self.id_groups: list[list[str]] = []
        """One group of IDs per `id` parameter, because elink treats them separately."""
        for name, value in pairs:
            if name.lower() == "id":
                self.id_groups.append([each for part in value.split(",") if (each := part.strip())])
            else:
                self._values[name.lower()] = value

    @classmethod
    def read(cls, query: str, body: str = "") -> Parameters:
        """Parse the URL query, then the body.

        Raises:
            InvalidRequest: there are too many parameters or IDs, or the query is too long (413).
        """
        try:
            pairs = [
                pair
                for part in (query, body)
                for pair in parse_qsl(part, keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="replace")
            ]
        except ValueError:
            raise InvalidRequest("Too many parameters", status=413) from None
        read = cls(pairs)
        if sum(map(len, read.id_groups)) > MOST_IDS:
            raise InvalidRequest(f"More than {MOST_IDS:,} IDs; send them in parts", status=413)
        if len(read.text("term").encode("utf-8", "replace")) > MOST_TERM:
            raise InvalidRequest(f"The query has more than {MOST_TERM:,} bytes; shorten it", status=413)
        return read

    @property
    def ids(self) -> list[str]:
        """All IDs, without duplicates."""
        return list(dict.fromkeys(each for group in self.id_groups for each in group))

    def text(self, name: str, default: str = "") -> str:
        """Return a value, stripped of whitespace."""
        return self._values.get(name.lower(), default).strip()

    def has(self, name: str) -> bool:
        """Whether a parameter is present and not empty."""
        return bool(self.text(name))

    def number(self, name: str, default: int, maximum: int) -> int:
        """Return a number from 0 to `maximum`. Larger numbers are capped, as at NCBI.

        Raises:
            InvalidRequest: the value is not a number.
        """
        value = self.text(name)
        if not value:
            return default
        if not (value.isascii() and value.isdigit()):
            raise InvalidRequest(f"Invalid value of {name}: {value[:40]}")
        return min(int(value[:12]), maximum)


# The history server: results stored for a client under `WebEnv` and `query_key`.

_MOST_SESSIONS = 1000
_MOST_KEYS = 100
_MOST_BYTES = 64_000_000
"""Characters of IDs and queries that are kept in all; most take a byte."""
_OVERHEAD = 300
"""Bytes that an entry takes besides."""


@dataclass(frozen=True)
class _Stored:
    """IDs, joined by commas because a list of them takes six times the memory, and the query that found them."""

    joined: str
    query: str

    @property
    def ids(self) -> list[str]:
        """The IDs."""
        return self.joined.split(",") if self.joined else []

    @property
    def size(self) -> int:
        """Bytes that it takes, about."""
        return len(self.joined) + len(self.query) + _OVERHEAD

    def as_query(self) -> str:
        """Return a query for the same records. With no IDs, it is a query without results."""
        return self.query if self.query and self.joined else f"{self.joined or 0}[UID]"


class History:
    """The most recent sessions of all clients, in memory. A restart deletes them, as NCBI does after some hours.

    Args:
        most: bytes that all of them may take, about; beyond it, the oldest are forgotten.
    """

    def __init__(self, most: int = _MOST_BYTES) -> None:
        self._most = most
        self._size = 0
        self._sessions: OrderedDict[str, list[_Stored]] = OrderedDict()
        self._lock = threading.Lock()

    def store(self, ids: Sequence[str], session: str = "", query: str = "") -> tuple[int, str]:
        """Store IDs in a session, or in a new one if none is named. Returns the key and the session.

        `query` is the full query that found them; posted IDs have none.

        Raises:
            InvalidRequest: the session does not exist or is full.
        """
        with self._lock:
            name = session or f"MCID_{secrets.token_hex(12)}"
            if session and session not in self._sessions:
                raise InvalidRequest("WebEnv not found: it does not exist or has expired")
            added = _Stored(",".join(ids), query)
            stored = self._sessions.get(name, [])
            if len(stored) >= _MOST_KEYS:
                raise InvalidRequest(f"WebEnv is full ({_MOST_KEYS} searches); start a new one")
            if _size(stored) + added.size > self._most:
                raise InvalidRequest("WebEnv is full (too many IDs); start a new one", status=413)
            self._sessions[name] = stored
            stored.append(added)
            self._size += added.size
            self._sessions.move_to_end(name)
            while len(self._sessions) > _MOST_SESSIONS or self._size > self._most:
                self._size -= _size(self._sessions.popitem(last=False)[1])
            return len(stored), name

    def ids(self, session: str, key: str) -> list[str]:
        """Return the IDs stored under a key.

        Raises:
            InvalidRequest: the key does not exist.
        """
        return self._find(session, key).ids

    def expanded_query(self, parameters: Parameters) -> str:
        """Return the query of a request, with references such as `#1` expanded and `query_key` added with AND.

        Raises:
            InvalidRequest: a referenced search does not exist, or the query becomes too long.
        """
        term, session = parameters.text("term"), parameters.text("WebEnv")
        if not session:
            return term
        if key := parameters.text("query_key"):
            term = f"#{key} AND ({term})" if term else f"#{key}"
        for token in reversed(tokens(term)):
            if token.kind == "history":
                start, end = token.column - 1, token.column - 1 + len(token.text)
                term = f"{term[:start]}({self._find(session, token.text[1:]).as_query()}){term[end:]}"
            if len(term) > MAX_CHARACTERS:
                raise InvalidRequest(f"Query too long: with its history it exceeds {MAX_CHARACTERS} characters")
        return term

    def _find(self, session: str, key: str) -> _Stored:
        with self._lock:
            stored = self._sessions.get(session, [])
            number = int(key[:6]) if key.isascii() and key.isdigit() else 0
            if not 1 <= number <= len(stored):
                raise InvalidRequest(f"Unable to obtain query #{key[:20]}")
            return stored[number - 1]

    def requested_ids(self, parameters: Parameters) -> list[str]:
        """Return the IDs of a request, from its session or its parameters.

        Raises:
            InvalidRequest: the request has no IDs.
        """
        if parameters.has("WebEnv") and parameters.has("query_key"):
            return self.ids(parameters.text("WebEnv"), parameters.text("query_key"))
        if not parameters.ids:
            raise InvalidRequest("Neither query_key nor id specified")
        return parameters.ids


def _size(stored: Sequence[_Stored]) -> int:
    return sum(one.size for one in stored)
