"""Addresses of the page: sign in and out, suggestions, and what the server keeps of people."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from medground.errors import NotAllowed, UsageError
from medground.faces.api.caller import Caller, Served
from medground.faces.service.accounts import Spent
from medground.faces.service.values import LOCAL, LimitReached, Limits, Person
from medground.faces.web.state import Keeper, Page, Suggestion
from medground.faces.web.state import PageState as Held
from medground.values.document import Frozen

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


MOST = 20


@router.get("/v1/suggest", summary="Names that complete what is typed", responses={422: {}})
async def suggest(
    person: Caller,
    page: Page,
    q: Annotated[str, Query(max_length=4000, description="what is typed, up to the caret")],
    limit: Annotated[int, Query(ge=1, le=MOST)] = 8,
) -> list[Suggestion]:
    """Names and synonyms of the graphs that begin as the last words of what is typed; `start` is where these begin."""
    return await page.suggestions.of(q, limit)


class Deleted(Frozen):
    """How many answers were deleted."""

    deleted: int


class TokenTold(Frozen):
    """A token without its secret, and what its holder used in this calendar month (UTC)."""

    name: str
    created: datetime
    revoked: datetime | None
    admin: bool
    limits: Limits
    month: Spent


class Tokens(Frozen):
    """All tokens, revoked ones too, the oldest first."""

    tokens: tuple[TokenTold, ...]


@router.delete("/v1/answers", summary="Delete all your answers")
async def delete_all(person: Caller, service: Served) -> Deleted:
    """Delete all of your answers and their traces. This cannot be undone."""
    return Deleted(deleted=await service.delete_all(person))


@router.get("/v1/tokens", summary="What each token has used", responses={403: {}})
async def tokens(person: Keeper, service: Served) -> Tokens:
    """Tokens with their limits and use; for those who run the server."""
    return Tokens(
        tokens=tuple(
            TokenTold(**one.token.model_dump(exclude={"id", "limits"}), limits=one.token.limits, month=one.month)
            for one in await service.tokens()
        )
    )
