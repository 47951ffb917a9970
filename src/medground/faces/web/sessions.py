"""Sessions of the page: a random id in a cookie, known to the server only by its hash, with an end."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

IDLE = 12 * 3600.0
"""Seconds without a request after which a session ends."""
LONGEST = 7 * 24 * 3600.0
"""Seconds after which a session ends in any case."""
MOST = 10_000
"""Sessions that are kept; beyond that the one that was idle longest ends."""


@dataclass(frozen=True)
class Session:
    """Somebody who is signed in.

    Attributes:
        owner: what `Sessions.begin` was given: the id of a person.
        csrf: what every request that changes something must send in a header, beside the cookie.
        began, used: seconds of the clock.
    """

    owner: str
    csrf: str
    began: float
    used: float


class Sessions:
    """All sessions of one server, in memory: they end when it does. Safe to use from several threads.

    Args:
        clock: seconds that never go back.
        idle: seconds without a request after which a session ends.
        longest: seconds after which it ends in any case.
        most: sessions that are kept.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        *,
        idle: float = IDLE,
        longest: float = LONGEST,
        most: int = MOST,
    ) -> None:
        self._clock = clock
        self._idle = idle
        self._longest = longest
        self._most = most
        self._sessions: dict[str, Session] = {}
        self._lock = threading.Lock()

    def begin(self, owner: str) -> tuple[str, Session]:
        """A new session, and the secret id that only the cookie holds."""
        now = self._clock()
        secret = secrets.token_urlsafe(32)
        session = Session(owner, secrets.token_urlsafe(32), now, now)
        with self._lock:
            self._drop_ended(now)
            while len(self._sessions) >= self._most:
                del self._sessions[next(iter(self._sessions))]
            self._sessions[_hashed(secret)] = session
        return secret, session

    def find(self, secret: str) -> Session | None:
        """The session with this id, which counts as used now; None if there is none or it has ended."""
        key, now = _hashed(secret), self._clock()
        with self._lock:
            session = self._sessions.pop(key, None)
            if session is None or self._has_ended(session, now):
                return None
            self._sessions[key] = replace(session, used=now)  # the last one in the order is the last one used
            return self._sessions[key]

    def end(self, secret: str) -> None:
        """End a session. Safe to call twice."""
        with self._lock:
            self._sessions.pop(_hashed(secret), None)

    def end_of(self, owner: str) -> None:
        """End all sessions of a person."""
        with self._lock:
            self._sessions = {key: one for key, one in self._sessions.items() if one.owner != owner}

    def _drop_ended(self, now: float) -> None:
        self._sessions = {key: one for key, one in self._sessions.items() if not self._has_ended(one, now)}

    def _has_ended(self, session: Session, now: float) -> bool:
        return now - session.used > self._idle or now - session.began > self._longest


def matches(session: Session, sent: str) -> bool:
    """Whether a request sent the CSRF token of its session."""
    return secrets.compare_digest(session.csrf.encode(), sent.encode("utf-8", "replace"))


def _hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
