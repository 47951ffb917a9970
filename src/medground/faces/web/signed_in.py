"""Who sits before the page: a session cookie, and the CSRF token that every change must send beside it.

The cookie with the id of the session cannot be read by scripts. A second cookie holds the CSRF token for the page,
which sends it back in the header `X-CSRF-Token`: another site can make a browser send cookies, but can neither read
them nor set that header. The server compares the header with what it knows of the session, never with the cookie.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from medground.errors import NotAllowed
from medground.faces.web.sessions import LONGEST, Session, Sessions, matches
from medground.faces.web.throttle import Throttle
from medground.service.person import LOCAL, Person
from medground.service.service import Service

COOKIE = "medground_session"
CSRF_COOKIE = "medground_csrf"
CSRF_HEADER = "x-csrf-token"
_SAFE = frozenset(["GET", "HEAD", "OPTIONS"])
_MISSING = "the request lacks the CSRF token of its session; reload the page"


@dataclass
class SignedIn:
    """Tells who sends a request of the page.

    Attributes:
        service: knows the people.
        login: whether a token must be shown; if not, everybody is whoever sits at this computer.
        sessions: those who are signed in.
        throttle: failed attempts.
    """

    service: Service
    login: bool
    sessions: Sessions = field(default_factory=Sessions)
    throttle: Throttle = field(default_factory=Throttle)

    async def identify(self, request: Request) -> Person | None:
        """Whose session a request belongs to; None if it has none and needs none.

        Raises:
            NotAllowed: the token of the session was revoked.
            HTTPException: 403, it changes something and lacks the CSRF token.
        """
        session = self.session_of(request)
        if session is None:
            if not self.login and request.method not in _SAFE and _is_of_a_browser(request):
                raise HTTPException(403, _MISSING)
            return None
        self.check(request)
        if session.owner == LOCAL.id:
            return None if self.login else LOCAL
        try:
            return await self.service.person(session.owner)
        except NotAllowed:
            self.sessions.end_of(session.owner)
            raise

    def check(self, request: Request) -> None:
        """Check that a request that changes something sends the CSRF token of its session.

        Raises:
            HTTPException: 403, it does not.
        """
        session = self.session_of(request)
        if request.method in _SAFE:
            return
        if session is None or not matches(session, request.headers.get(CSRF_HEADER, "")):
            raise HTTPException(403, _MISSING)

    def session_of(self, request: Request) -> Session | None:
        """The session of a request's cookie."""
        secret = request.cookies.get(COOKIE)
        return self.sessions.find(secret) if secret else None

    def begin(self, request: Request, response: Response, owner: str) -> None:
        """Sign somebody in, under a new id whatever cookie the request had."""
        self.end(request, response)
        secret, session = self.sessions.begin(owner)
        for name, value, hidden in ((COOKIE, secret, True), (CSRF_COOKIE, session.csrf, False)):
            response.set_cookie(
                name,
                value,
                max_age=int(LONGEST),
                path="/",
                secure=_is_encrypted(request),
                httponly=hidden,
                samesite="strict",
            )

    def end(self, request: Request, response: Response) -> None:
        """Sign somebody out."""
        if secret := request.cookies.get(COOKIE):
            self.sessions.end(secret)
        for name in (COOKIE, CSRF_COOKIE):
            response.delete_cookie(name, path="/", samesite="strict")


def _is_of_a_browser(request: Request) -> bool:
    """Whether a page sent this: a browser names the page's origin with every change, a program does not."""
    return "origin" in request.headers or "sec-fetch-site" in request.headers


def _is_encrypted(request: Request) -> bool:
    """Whether the browser reached this server by https, also where a proxy in between ends that."""
    return request.url.scheme == "https" or request.headers.get("origin", "").startswith("https://")
