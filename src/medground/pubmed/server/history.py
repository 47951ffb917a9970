"""Searches that the server keeps for a client: `WebEnv` and `query_key`."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from medground.pubmed.lexer import tokens
from medground.pubmed.parser import MAX_CHARACTERS
from medground.pubmed.server.parameters import Parameters, Refused

_MOST_SESSIONS = 1000
_MOST_KEYS = 100


@dataclass(frozen=True)
class _Kept:
    """Ids, and the query that finds them."""

    ids: Sequence[str]
    query: str

    def as_query(self) -> str:
        """The same records as a query; one that finds nothing where there are none."""
        return self.query if self.query and self.ids else f"{','.join(self.ids) or 0}[UID]"


class History:
    """The last sessions of all clients, in memory: a restart forgets them, as NCBI does after some hours."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, list[_Kept]] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, ids: Sequence[str], session: str = "", query: str = "") -> tuple[int, str]:
        """Keep ids in a session, a new one where none is named: its key, and the session.

        `query` is what has found them, in full; ids that were posted are their own query.

        Raises:
            Refused: the session is not there, or full.
        """
        with self._lock:
            name = session or f"MCID_{secrets.token_hex(12)}"
            if session and session not in self._sessions:
                raise Refused("WebEnv not found: it has expired or was never given out")
            kept = self._sessions.setdefault(name, [])
            if len(kept) >= _MOST_KEYS:
                raise Refused(f"WebEnv holds {_MOST_KEYS} searches already; begin a new one")
            kept.append(_Kept(ids, query))
            self._sessions.move_to_end(name)
            while len(self._sessions) > _MOST_SESSIONS:
                self._sessions.popitem(last=False)
            return len(kept), name

    def kept(self, session: str, key: str) -> Sequence[str]:
        """The ids under a key.

        Raises:
            Refused: there are none.
        """
        return self._find(session, key).ids

    def written_out(self, parameters: Parameters) -> str:
        """The query of a request, with `#1` replaced by what it stands for; a `query_key` beside it is one more AND.

        Raises:
            Refused: it names a search that is not kept, or becomes too long.
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
                raise Refused(f"Query too long: with its history it has more than {MAX_CHARACTERS} characters")
        return term

    def _find(self, session: str, key: str) -> _Kept:
        with self._lock:
            kept = self._sessions.get(session, [])
            number = int(key[:6]) if key.isascii() and key.isdigit() else 0
            if not 1 <= number <= len(kept):
                raise Refused(f"Unable to obtain query #{key[:20]}")
            return kept[number - 1]

    def asked(self, parameters: Parameters) -> list[str]:
        """The ids of a request: those of its session, or its own.

        Raises:
            Refused: it names none.
        """
        if parameters.has("WebEnv") and parameters.has("query_key"):
            return list(self.kept(parameters.text("WebEnv"), parameters.text("query_key")))
        if not parameters.ids:
            raise Refused("Neither query_key nor id specified")
        return parameters.ids
