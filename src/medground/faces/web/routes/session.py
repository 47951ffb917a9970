"""Sign in and out: the token is sent once, and the browser keeps a session in a cookie that scripts cannot read."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from medground.document import Frozen
from medground.errors import NotAllowed, UsageError
from medground.faces.api.caller import Served
from medground.faces.web.held import Held, Page
from medground.service.person import LOCAL, Person
from medground.service.refused import LimitReached

router = APIRouter(tags=["page"])


class SignIn(Frozen):
    """What signs in."""

    token: str = Field(min_length=1, max_length=200, description="a token of `medground token create`")


class SessionTold(Frozen):
    """Whether somebody is signed in, and what the page shows of that."""

    login: bool = Field(description="whether this server asks for a token")
    name: str | None = Field(description="who is signed in; null if nobody is")
    admin: bool = Field(description="whether they may change corpora")
    keep_days: int | None = Field(description="days after which questions are deleted; null: never")


@router.get("/session", summary="Who is signed in")
async def session(request: Request, response: Response, page: Page, service: Served) -> SessionTold:
    """Who is signed in. Where no token is asked for, this begins the session of whoever sits at this computer."""
    signed_in = page.signed_in
    known = signed_in.session_of(request)
    person: Person | None = None
    if not signed_in.login:
        person = LOCAL
        if known is None:
            signed_in.begin(request, response, LOCAL.id)
    elif known is not None:
        try:
            person = await service.person(known.owner)
        except NotAllowed:
            signed_in.end(request, response)
    return _told(page, service.settings.serve.keep_days, person)


@router.post("/session", summary="Sign in", responses={401: {}, 429: {}})
async def sign_in(body: SignIn, request: Request, response: Response, page: Page, service: Served) -> SessionTold:
    """Sign in with a token. It is not kept: a cookie with the random id of a session takes its place."""
    signed_in = page.signed_in
    if not signed_in.login:
        raise UsageError("this server asks for no token; open the page without one")
    address = request.client.host if request.client else ""
    if wait := signed_in.throttle.wait(address):
        raise LimitReached("too many attempts to sign in failed", retry_after=wait)
    try:
        person = await service.who(body.token.strip())
    except NotAllowed:
        signed_in.throttle.failed(address)
        raise
    signed_in.throttle.succeeded(address)
    signed_in.begin(request, response, person.id)
    return _told(page, service.settings.serve.keep_days, person)


@router.delete("/session", summary="Sign out", status_code=204)
async def sign_out(request: Request, response: Response, page: Page) -> None:
    """End the session of this browser. Signing out without being signed in is no mistake."""
    if page.signed_in.session_of(request) is not None:
        page.signed_in.check(request)
        page.signed_in.end(request, response)


def _told(page: Held, keep_days: int | None, person: Person | None) -> SessionTold:
    return SessionTold(
        login=page.signed_in.login,
        name=person.name if person else None,
        admin=person is not None and person.admin,
        keep_days=keep_days,
    )
