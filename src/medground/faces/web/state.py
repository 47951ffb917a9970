"""What the routes of the page share: who is signed in, by a cookie that is known only by its hash; and suggestions."""

from __future__ import annotations

import math
import secrets
import threading
import time
from asyncio import to_thread
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import Depends, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from medground.corpus.library import GRAPH_FILE, Library
from medground.errors import MedgroundError, NotAllowed
from medground.faces.service.records import Records
from medground.faces.service.service import Service
from medground.faces.service.values import LOCAL, Person, hashed
from medground.faces.web.upload import UploadLimits
from medground.graph.completions import Completions
from medground.values.document import Frozen

if TYPE_CHECKING:
    from medground.faces.web.oidc import Provider

IDLE = 12 * 3600.0
"""Seconds without a request after which a session ends."""
LONGEST = 7 * 24 * 3600.0
"""Seconds after which a session ends in any case."""
PROVIDED = 12 * 3600.0
"""The same for one that began at the identity provider: who left, or has another role, is not let in for longer."""
OF_PROVIDER = "oidc-"
"""How the ids of people begin whom the identity provider names."""
MOST = 10_000
"""Sessions that are kept; beyond that the one that was idle longest ends."""
EACH = 20
"""Sessions of one person; beyond that their own one that was idle longest ends."""
_NOTED = 60.0
"""Seconds after which it is written down again that a session is in use."""


@dataclass(frozen=True)
class Session:
    """A person who is signed in.

    Attributes:
        owner: what `Sessions.begin` was given: the id of a person.
        csrf: what every request that changes something must send in a header, in addition to the cookie.
    """

    owner: str
    csrf: str

    @property
    def provided(self) -> bool:
        """Whether it began at the identity provider."""
        return self.owner.startswith(OF_PROVIDER)


@dataclass(repr=False)
class Sessions:
    """All sessions, known to every server that shares the records, and kept when one ends. Blocks."""

    records: Records
    clock: Callable[[], float] = time.time
    most: int = MOST

    def begin(self, owner: str) -> tuple[str, Session]:
        """A new session, and the secret id that only the cookie holds."""
        now, secret = self.clock(), secrets.token_urlsafe(32)
        ends = now + (PROVIDED if owner.startswith(OF_PROVIDER) else LONGEST)
        many = "DELETE FROM sessions WHERE id NOT IN (SELECT id FROM sessions ORDER BY used DESC, ends DESC LIMIT ?)"
        own = (
            "DELETE FROM sessions WHERE owner = ? AND id NOT IN "
            "(SELECT id FROM sessions WHERE owner = ? ORDER BY used DESC, ends DESC LIMIT ?)"
        )
        self.records.change(
            ("DELETE FROM sessions WHERE ends < ? OR used < ?", (now, now - IDLE)),
            (own, (owner, owner, EACH - 1)),
            (many, (self.most - 1,)),
            ("INSERT INTO sessions VALUES (?, ?, ?, ?)", (hashed(secret), owner, ends, now)),
        )
        return secret, Session(owner, hashed(f"csrf {secret}"))

    def find(self, secret: str) -> Session | None:
        """The session with this id, which counts as used now; None if there is none or it has ended."""
        now, which = self.clock(), "WHERE id = ? AND ends >= ? AND used >= ?"
        statement, values = f"SELECT owner, used FROM sessions {which}", (hashed(secret), now, now - IDLE)  # noqa: S608
        if not (found := self.records.rows(statement, *values)):
            return None
        (owner, used) = found[0]
        if now - used > _NOTED:
            self.records.change(("UPDATE sessions SET used = ? WHERE id = ?", (now, values[0])))
        return Session(owner, hashed(f"csrf {secret}"))

    def end(self, secret: str) -> None:
        """End a session. Safe to call twice."""
        self.records.change(("DELETE FROM sessions WHERE id = ?", (hashed(secret),)))

    def end_of(self, owner: str) -> None:
        """End all sessions of a person."""
        self.records.change(("DELETE FROM sessions WHERE owner = ?", (owner,)))


MOST_FAILED = 5
"""Failed attempts at one token from one address within the window."""
PREFIX_LENGTH = 9
"""Characters of a token by which attempts are counted: an attacker cannot lock out the holder of another token."""
WINDOW = 300.0
"""Seconds for which a failed attempt counts."""
_MOST_TRIED = 10_000
Tried = tuple[str, str]
"""An address and the prefix of the token that it tries."""


@dataclass(repr=False)
class Throttle:
    """Counts failed attempts."""

    clock: Callable[[], float] = time.monotonic
    _failed: dict[Tried, deque[float]] = field(default_factory=dict, init=False)

    def wait(self, tried: Tried) -> int:
        """Whole seconds to wait before another attempt; 0 if it may be made now."""
        times = self._failed.get(tried)
        if times is None or len(times) < MOST_FAILED:
            return 0
        return max(0, math.ceil(WINDOW - (self.clock() - times[0])))

    def failed(self, tried: Tried) -> None:
        """Count a failed attempt."""
        times = self._failed.pop(tried, None) or deque[float](maxlen=MOST_FAILED)
        times.append(self.clock())
        self._failed[tried] = times
        while len(self._failed) > _MOST_TRIED:
            del self._failed[next(iter(self._failed))]

    def succeeded(self, tried: Tried) -> None:
        """Forget the failed attempts."""
        self._failed.pop(tried, None)


COOKIE = "medground_session"
CSRF_COOKIE = "medground_csrf"
PROVIDER_COOKIE = "medground_provider"
AT_PROVIDER = 600.0
"""Seconds in which a person signs in at the identity provider."""
CSRF_HEADER = "x-csrf-token"
_SAFE = frozenset(["GET", "HEAD", "OPTIONS"])
_MISSING = "the request lacks the CSRF token of its session; reload the page"


class SignInFailed(NotAllowed):
    """Nobody is signed in: begin `again`, the `provider` failed, or the person, by this id, is `unknown` here."""

    def __init__(self, reason: Literal["again", "provider", "unknown"], detail: str, person: str = "") -> None:
        super().__init__(detail)
        self.reason, self.person = reason, person


@dataclass
class SignedIn:
    """Tells who sends a request of the page.

    `login`: whether a token must be shown; if not, everybody is the local user.
    """

    service: Service
    login: bool
    sessions: Sessions
    throttle: Throttle = field(default_factory=Throttle)

    async def identify(self, request: Request) -> Person | None:
        """Whose session a request belongs to; None if it has none and needs none.

        Raises NotAllowed: the token of the session was revoked; HTTPException: 403, it changes something and lacks the
        CSRF token.
        """
        session = await self.session_of(request)
        if session is None:
            if not self.login and request.method not in _SAFE and _is_of_a_browser(request):
                raise HTTPException(403, _MISSING)
            return None
        self.check(request, session)
        if session.owner == LOCAL.id:
            return None if self.login else LOCAL
        try:
            return await self.service.person(session.owner)
        except NotAllowed:
            await to_thread(self.sessions.end_of, session.owner)
            raise

    def check(self, request: Request, session: Session) -> None:
        """Check that a request that changes something sends the CSRF token of its session.

        Raises HTTPException: 403, it does not.
        """
        sent = request.headers.get(CSRF_HEADER, "").encode("utf-8", "replace")
        if request.method not in _SAFE and not secrets.compare_digest(session.csrf.encode(), sent):
            raise HTTPException(403, _MISSING)

    async def session_of(self, request: Request) -> Session | None:
        """The session of a request's cookie."""
        secret = request.cookies.get(COOKIE)
        return await to_thread(self.sessions.find, secret) if secret else None

    async def begin(self, request: Request, response: Response, owner: str) -> None:
        """Sign a person in, under a new id whatever cookie the request had."""
        await self.end(request, response)
        secret, session = await to_thread(self.sessions.begin, owner)
        self.set_cookie(request, response, COOKIE, secret)
        self.set_cookie(request, response, CSRF_COOKIE, session.csrf)

    def set_cookie(self, request: Request, response: Response, name: str, value: str) -> None:
        """Set a cookie; only that of a sign-in under way comes along when another site sends the browser here."""
        response.set_cookie(
            name,
            value,
            max_age=int(AT_PROVIDER if name == PROVIDER_COOKIE else LONGEST),
            path="/",
            secure=_is_encrypted(request) or self.service.settings.serve.oidc.address.startswith("https://"),
            httponly=name != CSRF_COOKIE,
            samesite="lax" if name == PROVIDER_COOKIE else "strict",
        )

    async def end(self, request: Request, response: Response) -> None:
        """Sign a person out."""
        if secret := request.cookies.get(COOKIE):
            await to_thread(self.sessions.end, secret)
        for name in (COOKIE, CSRF_COOKIE):
            response.delete_cookie(name, path="/", samesite="strict")


def _is_of_a_browser(request: Request) -> bool:
    """Whether a page sent this: a browser names the page's origin with every change, a program does not."""
    return "origin" in request.headers or "sec-fetch-site" in request.headers


def _is_encrypted(request: Request) -> bool:
    """Whether the browser reached this server by https, also where a proxy in between ends that."""
    return request.url.scheme == "https" or request.headers.get("origin", "").startswith("https://")


MOST_GRAPHS = 3
"""Graphs whose names are held in memory."""
MOST_SUGGESTED = 20


class Suggestion(Frozen):
    """A name that completes what is typed: `text` as it is written, and what it is, in words."""

    text: str
    about: str
    id: str
    start: int


_completions = lru_cache(maxsize=MOST_GRAPHS)(Completions.read)


@dataclass
class Suggestions:
    """Suggests names of the graphs of corpora, those that are named `first` before others."""

    library: Library
    first: tuple[str, ...] = ()
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def suggestions(self, typed: str = "", limit: int = 1) -> list[Suggestion]:
        """Names that complete the typed text, each once, at most `limit`. Blocks; the first call reads the graphs."""
        found: dict[str, Suggestion] = {}
        with self._lock:  # a graph is read once
            for path in self._graphs():
                with suppress(MedgroundError):  # a question can be asked without suggestions
                    for one in _completions(path).completions_for(typed, limit):
                        about = one.kind or "concept"
                        if one.name.casefold() != one.text.casefold():
                            about += f", for {one.name}"
                        named = Suggestion(text=one.text, about=about, id=one.id, start=one.start)
                        found.setdefault(one.text.casefold(), named)
        return list(found.values())[:limit]

    def _graphs(self) -> list[Path]:
        found = []
        for name in sorted(self.library.list(), key=lambda name: name not in self.first):
            with suppress(MedgroundError):  # damaged: it suggests nothing
                found.append(self.library.current(name) / GRAPH_FILE)
        return [path for path in found if path.is_file()][:MOST_GRAPHS]


@dataclass
class PageState:
    """What the page needs in addition to the service."""

    signed_in: SignedIn
    library: Library
    suggestions: Suggestions
    limits: UploadLimits
    uploads: Path
    """Where uploads wait until a corpus is built from them."""
    provider: Provider | None = None
    """The identity provider, if one is set."""


def page_state(request: Request) -> PageState:
    """What the page of this app needs."""
    found: PageState = request.app.state.page
    return found


Page = Annotated[PageState, Depends(page_state)]
