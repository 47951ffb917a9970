"""Searches that the server keeps for a client: `WebEnv` and `query_key`."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Sequence

from medground.pubmed.server.parameters import Parameters, Refused

_MOST_SESSIONS = 1000
_MOST_KEYS = 100


class History:
    """The last sessions of all clients, in memory: a restart forgets them, as NCBI does after some hours."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, list[Sequence[str]]] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, ids: Sequence[str], session: str = "") -> tuple[int, str]:
        """Keep ids in a session, a new one where none is named: its key, and the session.

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
            kept.append(ids)
            self._sessions.move_to_end(name)
            while len(self._sessions) > _MOST_SESSIONS:
                self._sessions.popitem(last=False)
            return len(kept), name

    def kept(self, session: str, key: str) -> Sequence[str]:
        """The ids under a key.

        Raises:
            Refused: there are none.
        """
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
