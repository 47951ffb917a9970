"""Who sends a request: the holder of a bearer token, of a session of the page, or whoever sits at this computer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from medground.errors import NotAllowed
from medground.faces.api.middleware import Requests
from medground.faces.service.service import Service
from medground.faces.service.values import LOCAL, Person

Identify = Callable[[Request], Awaitable[Person | None]]
"""Another way to tell who asks, such as a session cookie; None if the request has none.

Raises:
    NotAllowed: it has one that is not valid.
"""

NO_TOKEN = "none"  # noqa: S105 (a word, not a secret)
"""What clients that cannot go without a token send to a server that needs none."""
_BEARER = HTTPBearer(
    auto_error=False, scheme_name="token", description="A token of `medground token create NAME`; none on loopback."
)


@dataclass
class Door:
    """What every route needs: the service, and how callers are told apart.

    Attributes:
        authenticated: whether a request without a token is refused; if not, it is of whoever sits at this computer.
        requests: what was asked so far.
        identify: further ways to tell who asks.
    """

    service: Service
    authenticated: bool
    requests: Requests
    identify: list[Identify] = field(default_factory=list)


def door(request: Request) -> Door:
    """The door of the app."""
    found: Door = request.app.state.door
    return found


def service_of(request: Request) -> Service:
    """The service of the app."""
    return door(request).service


async def caller(request: Request, bearer: Annotated[HTTPAuthorizationCredentials | None, Security(_BEARER)]) -> Person:
    """Who sends this request. A token that is sent must be valid, also where none is needed.

    Raises:
        NotAllowed: the token is missing, wrong or revoked.
    """
    entry = door(request)
    if bearer is not None and (entry.authenticated or bearer.credentials != NO_TOKEN):
        return await entry.service.who(bearer.credentials)
    if bearer is None and "authorization" in request.headers:
        raise NotAllowed("the Authorization header is not a bearer token")
    for identify in entry.identify:
        if (person := await identify(request)) is not None:
            return person
    if entry.authenticated:
        raise NotAllowed("a token is needed; send it as Authorization: Bearer TOKEN")
    return LOCAL


Caller = Annotated[Person, Depends(caller)]
Served = Annotated[Service, Depends(service_of)]
