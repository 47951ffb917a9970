"""Addresses of the page: sign in and out, suggestions, use, and corpora that are built from uploads."""

from __future__ import annotations

import shutil
from asyncio import to_thread
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import RedirectResponse, Response

from medground.errors import NotAllowed, NotFound, UsageError
from medground.faces.api.caller import Caller, Served
from medground.faces.api.questions import accepted
from medground.faces.service.accounts import Spent, Work
from medground.faces.service.audit import Entry
from medground.faces.service.building import Mode, build_uploaded, check, kept_aside
from medground.faces.service.job import Tell
from medground.faces.service.job_store import JobState
from medground.faces.service.offers import CorpusTold, FilesTold, corpus_told, files_told
from medground.faces.service.service import Service
from medground.faces.service.values import LOCAL, LimitReached, Limits, Person, Role
from medground.faces.web.state import MOST_SUGGESTED, PREFIX_LENGTH, PROVIDER_COOKIE, Page, SignInFailed, Suggestion
from medground.faces.web.state import PageState as Held
from medground.faces.web.upload import FilePassedOver, received
from medground.values.document import Described, Frozen

if TYPE_CHECKING:
    from medground.faces.web.oidc import Provider

router = APIRouter(tags=["page"])


class SignIn(Described):
    """What signs in."""

    token: str = Field(min_length=1, max_length=200)
    """a token of `medground token create`"""


class SessionTold(Described):
    """Whether somebody is signed in, and what the page shows of that."""

    login: bool
    """whether this server requires a token"""
    name: str | None
    """the person who is signed in; null if no one is"""
    role: Role | None
    """what they may do: `reader`, `editor` or `admin`"""
    provider: str | None
    """the identity provider to sign in with; null: tokens alone"""
    keep_days: int | None
    """days after which questions are deleted; null: never"""


@router.get("/session", summary="Who is signed in")
async def session(request: Request, response: Response, page: Page, service: Served) -> SessionTold:
    """Who is signed in. Where no token is asked for, this begins the session of the local user."""
    signed_in = page.signed_in
    known = await signed_in.session_of(request)
    person: Person | None = None
    if not signed_in.login:
        person = LOCAL
        if known is None:
            await signed_in.begin(request, response, LOCAL.id)
    elif known is not None:
        try:
            person = await service.person(known.owner)
        except NotAllowed:
            await signed_in.end(request, response)
    return _told(page, service, person)


@router.get("/session/provider", summary="Sign in with the identity provider", status_code=303)
async def go_to_provider(request: Request, page: Page, service: Served) -> Response:
    """Go to the identity provider of this server; it sends the browser back to `/session/return`."""
    provider = _provider(page)
    try:
        place, secret = await provider.begin()
    except SignInFailed as error:
        return await _refused(request, page, service, error)
    response = RedirectResponse(place, 303)
    page.signed_in.set_cookie(request, response, PROVIDER_COOKIE, secret)
    return response


@router.get("/session/return", summary="Come back from the identity provider", status_code=303)
async def come_back(request: Request, page: Page, service: Served) -> Response:
    """Sign in whom the provider names, and go to the page; where that fails, the page says why."""
    provider = _provider(page)
    try:
        who = await provider.finish(request.cookies.get(PROVIDER_COOKIE, ""), request.query_params)
        person = await service.admit(*who)
    except NotAllowed as error:
        return await _refused(request, page, service, error)
    response = RedirectResponse(provider.home, 303)
    await page.signed_in.begin(request, response, person.id)
    response.delete_cookie(PROVIDER_COOKIE, path="/")
    await service.audit.note(person, "sign-in", "identity provider")
    return response


async def _refused(request: Request, page: Held, service: Service, error: NotAllowed) -> Response:
    await _note_refusal(request, page, service, str(error))
    reason = error.reason if isinstance(error, SignInFailed) else "unknown"
    page.signed_in.sessions.end_of(getattr(error, "person", ""))  # who had a role before has none now
    return RedirectResponse(f"{_provider(page).home}?refused={reason}", 303)


async def _note_refusal(request: Request, page: Held, service: Service, why: str) -> None:
    """Log a failed sign-in, at most a few times for each address, so that strangers cannot fill the log."""
    throttle, tried = page.signed_in.throttle, (_host(request), "refused")
    if not throttle.wait(tried):
        throttle.failed(tried)
        await service.audit.note(None, "refused", f"sign-in: {why}")


def _host(request: Request) -> str:
    return request.client.host if request.client else ""


def _provider(page: Held) -> Provider:
    if page.provider is None:
        raise NotFound("this server has no identity provider; sign in with a token")
    return page.provider


@router.post("/session", summary="Sign in")
async def sign_in(body: SignIn, request: Request, response: Response, page: Page, service: Served) -> SessionTold:
    """Sign in with a token. It is not kept: a cookie with the random id of a session takes its place."""
    signed_in = page.signed_in
    if not signed_in.login:
        raise UsageError("this server does not require a token; open the page without one")
    secret = body.token.strip()
    tried = (_host(request), secret[:PREFIX_LENGTH])
    if wait := signed_in.throttle.wait(tried):
        raise LimitReached("too many attempts to sign in failed", retry_after=wait)
    try:
        person = await service.who(secret)
    except NotAllowed:
        signed_in.throttle.failed(tried)
        await _note_refusal(request, page, service, "the token is wrong or was revoked")
        raise
    signed_in.throttle.succeeded(tried)
    await signed_in.begin(request, response, person.id)
    await service.audit.note(person, "sign-in", "token")
    return _told(page, service, person)


class SignedOut(Described):
    """A session has ended."""

    next: str | None
    """where to sign out at the identity provider too; null: nowhere"""


@router.delete("/session", summary="Sign out")
async def sign_out(request: Request, response: Response, page: Page, service: Served) -> SignedOut:
    """End the session of this browser. Signing out without being signed in is not a mistake."""
    if (known := await page.signed_in.session_of(request)) is None:
        return SignedOut(next=None)
    page.signed_in.check(request, known)
    await page.signed_in.end(request, response)
    with suppress(NotAllowed):  # revoked meanwhile
        await service.audit.note(await service.person(known.owner), "sign-out")
    return SignedOut(next=await page.provider.leave() if page.provider and known.provided else None)


def _told(page: Held, service: Service, person: Person | None) -> SessionTold:
    return SessionTold(
        login=page.signed_in.login,
        name=person.name if person else None,
        role=person.role if person else None,
        keep_days=service.settings.serve.keep_days,
        provider=page.provider.settings.title if page.provider else None,
    )


@router.get("/v1/suggest", summary="Names that complete the typed text")
async def suggest(
    person: Caller,
    page: Page,
    q: Annotated[str, Query(max_length=4000, description="the typed text, up to the cursor")],
    limit: Annotated[int, Query(ge=1, le=MOST_SUGGESTED)] = 8,
) -> list[Suggestion]:
    """Names and synonyms of the graphs that begin as the last words of what is typed; `start` is where these begin."""
    return await to_thread(page.suggestions.suggestions, q, limit)


@router.get("/v1/saved", summary="What you saved")
async def saved(person: Caller, service: Served) -> Work:
    """Your projects, notes, and questions to ask again, as the page wrote them."""
    return await to_thread(service.saved.read, person.id)


@router.put("/v1/saved", summary="Save your work", status_code=204)
async def save(content: Work, person: Caller, service: Served) -> None:
    """Put this in the place of what you saved before."""
    await to_thread(service.saved.write, person.id, content)


class Deleted(Frozen):
    """How many answers were deleted."""

    deleted: int


class TokenTold(Frozen):
    """A token without its secret, and what its holder used in this calendar month (UTC)."""

    name: str
    created: datetime
    revoked: datetime | None
    role: Role
    limits: Limits
    month: Spent


class Tokens(Frozen):
    """All tokens, revoked ones too, the oldest first."""

    tokens: tuple[TokenTold, ...]


@router.delete("/v1/answers", summary="Delete all your answers")
async def delete_all(person: Caller, service: Served) -> Deleted:
    """Delete all of your answers and their traces. This cannot be undone."""
    return Deleted(deleted=await service.delete_all(person))


@router.get("/v1/tokens", summary="What each token has used")
async def tokens(person: Caller, service: Served) -> Tokens:
    """Tokens with their limits and use; for those who run the server."""
    found = await service.tokens()
    return Tokens(tokens=tuple(TokenTold(**token.model_dump(exclude={"id"}), month=month) for token, month in found))


class Log(Frozen):
    """Some entries of the audit log, the latest first. `next` is the `before` of the next page; null on the last."""

    entries: tuple[Entry, ...]
    next: str | None


@router.get("/v1/audit", summary="Who did what, and when")
async def audit(
    person: Caller,
    service: Served,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    before: Annotated[str | None, Query(max_length=64, description="only those before this entry's id")] = None,
) -> Log:
    """The audit log, the latest first; for those who run the server."""
    found = await to_thread(service.audit.read, before, limit)
    return Log(entries=tuple(found), next=found[-1].id if len(found) == limit else None)


_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {"files": {"type": "array", "items": {"type": "string", "format": "binary"}}},
    "required": ["files"],
}


class BuildStarted(Frozen):
    """The job that builds a corpus. Files that no reader can read are named once it has ended."""

    job: JobState
    files: int
    passed_over: tuple[FilePassedOver, ...]


@router.post(
    "/v1/corpora",
    summary="Build a corpus from uploaded files",
    status_code=202,
    openapi_extra={"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": _FORM}}}},
)
async def build(
    request: Request,
    response: Response,
    person: Caller,
    page: Page,
    service: Served,
    name: Annotated[str, Query(max_length=64, description="the corpus")],
    mode: Annotated[Mode, Query(description="whether it is new, is added to, or is replaced")] = "new",
    embed: Annotated[Literal["minilm"] | None, Query(description="the model of its vectors; none without it")] = None,
    title: Annotated[str, Query(max_length=64, description="its name as people read it")] = "",
) -> BuildStarted:
    """Upload files and build a corpus from them as a job; until it has ended, and if it is stopped, nothing changes.

    The job reports its progress as events. A file that is too large, empty, or has an unsafe name is skipped.
    """
    await to_thread(check, page.library, name, mode)
    length = request.headers.get("content-length", "")
    async with received(
        request.stream(),
        request.headers.get("content-type", ""),
        page.uploads,
        page.limits,
        length=int(length) if length.isascii() and length.isdigit() else None,
    ) as upload:
        over = tuple(upload.passed_over)
        if not upload.files:
            named = "; ".join(f"{one.name}: {one.reason}" for one in over[:5])
            nothing = (
                f"none of the files can be used: {named}" if over else "the upload has no file; choose at least one"
            )
            raise UsageError(nothing)
        place = await to_thread(kept_aside, upload.folder)

    async def work(tell: Tell) -> None:
        await build_uploaded(page.library, name, place, mode, embed, tell.progress)
        if title.strip():
            await to_thread(page.library.entitle, name, title)

    try:
        job = await service.begin(work, person, kind="build", title=name)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    await service.audit.note(person, "build", f"{name} ({mode})")
    return BuildStarted(job=accepted(job, request, response), files=len(upload.files), passed_over=over)


@router.get("/v1/corpora/{name}", summary="Contents of a corpus")
async def what_was_read(name: str, person: Caller, page: Page) -> CorpusTold:
    """How many files were read and skipped, what their readers noted, and records that could not be read."""
    _known(page, name)
    return await to_thread(corpus_told, page.library, name)


@router.get("/v1/corpora/{name}/files", summary="The files of a corpus")
async def files(
    name: str,
    person: Caller,
    page: Page,
    passed_over: Annotated[bool, Query(description="only skipped files")] = False,
    offset: Annotated[int, Query(ge=0, le=100_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> FilesTold:
    """Files with their reader, or the reason why they were skipped."""
    _known(page, name)
    return await to_thread(files_told, page.library, name, passed_over=passed_over, offset=offset, limit=limit)


@router.delete("/v1/corpora/{name}", summary="Remove a corpus", status_code=204)
async def remove(name: str, person: Caller, page: Page, service: Served) -> None:
    """Delete a corpus with what was uploaded for it. This cannot be undone."""
    _known(page, name)
    await to_thread(page.library.remove, name)
    await service.audit.note(person, "remove", name)


def _known(page: Held, name: str) -> None:
    if not page.library.has(name):
        raise NotFound(f"no corpus {name!r}; GET /v1/corpora lists them")
