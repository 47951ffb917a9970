"""The history server: results stored for a client under `WebEnv` and `query_key`."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from medground.pubmed.lexer import tokens
from medground.pubmed.parser import MAX_CHARACTERS
from medground.pubmed.server.parameters import InvalidRequest, Parameters

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
