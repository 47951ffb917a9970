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


@dataclass(frozen=True)
class _Stored:
    """IDs, and the query that found them."""

    ids: Sequence[str]
    query: str

    def as_query(self) -> str:
        """Return a query for the same records. With no IDs, it is a query without results."""
        return self.query if self.query and self.ids else f"{','.join(self.ids) or 0}[UID]"


class History:
    """The most recent sessions of all clients, in memory. A restart deletes them, as NCBI does after some hours."""

    def __init__(self) -> None:
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
            stored = self._sessions.setdefault(name, [])
            if len(stored) >= _MOST_KEYS:
                raise InvalidRequest(f"WebEnv is full ({_MOST_KEYS} searches); start a new one")
            stored.append(_Stored(ids, query))
            self._sessions.move_to_end(name)
            while len(self._sessions) > _MOST_SESSIONS:
                self._sessions.popitem(last=False)
            return len(stored), name

    def ids(self, session: str, key: str) -> Sequence[str]:
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
            return list(self.ids(parameters.text("WebEnv"), parameters.text("query_key")))
        if not parameters.ids:
            raise InvalidRequest("Neither query_key nor id specified")
        return parameters.ids
