"""What every route needs: who sends a request, the service, and figures of what was asked so far."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response
from starlette.types import Message, Scope

from medground.errors import NotAllowed
from medground.faces.server_log import route_of
from medground.faces.service.service import Service
from medground.faces.service.values import LOCAL, ROLES, Person, Role
from medground.home.files import tables
from medground.version import __version__

FIGURES = "text/plain; version=0.0.4"
_UPPER = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Upper limits of the classes of seconds."""


class Requests:
    """Counts requests, and the seconds until their responses began. Each route is one, whatever ids are in its path."""

    def __init__(self) -> None:
        self._count = Counter[tuple[str, str, int]]()
        self._classes: dict[str, list[int]] = defaultdict(lambda: [0] * (len(_UPPER) + 1))
        self._seconds: dict[str, float] = defaultdict(float)

    def add(self, scope: Scope, message: Message, seconds: float) -> None:
        """A response has begun."""
        method, route = route_of(scope)
        self._count[method, route, message["status"]] += 1
        self._classes[route][bisect_left(_UPPER, seconds)] += 1
        self._seconds[route] += seconds

    def lines(self) -> Iterator[str]:
        """In the text format of Prometheus."""
        yield "# HELP medground_requests_total Responses that began, by route and status."
        yield "# TYPE medground_requests_total counter"
        for (method, route, status), count in sorted(self._count.items()):
            yield f'medground_requests_total{{method="{method}",route="{route}",status="{status}"}} {count}'
        yield "# HELP medground_response_seconds Seconds until a response began."
        yield "# TYPE medground_response_seconds histogram"
        for route, classes in sorted(self._classes.items()):
            for upper, count in zip((*map(str, _UPPER), "+Inf"), accumulate(classes), strict=True):
                yield f'medground_response_seconds_bucket{{route="{route}",le="{upper}"}} {count}'
            yield f'medground_response_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}'
            yield f'medground_response_seconds_count{{route="{route}"}} {sum(classes)}'


def written(requests: Requests, jobs: Mapping[tuple[str, str], int]) -> str:
    """All figures in the text format of Prometheus. `jobs`: how many there are of each kind in each state."""
    lines = [
        "# HELP medground_info The version of this server.",
        "# TYPE medground_info gauge",
        f'medground_info{{version="{__version__}"}} 1',
        *requests.lines(),
        "# HELP medground_jobs Jobs that are kept, of all servers, by kind and state.",
        "# TYPE medground_jobs gauge",
        *(f'medground_jobs{{kind="{kind}",state="{state}"}} {count}' for (kind, state), count in sorted(jobs.items())),
    ]
    return "\n".join(lines) + "\n"


Identify = Callable[[Request], Awaitable[Person | None]]
"""Another way to tell who asks, such as a session cookie; None if the request has none, an error for a wrong one."""

NO_TOKEN = "none"  # noqa: S105 (a word, not a secret)
"""What clients that cannot go without a token send to a server that needs none."""
_BEARER = HTTPBearer(
    auto_error=False, scheme_name="token", description="A token of `medground token create NAME`; none on loopback."
)


@dataclass
class Door:
    """What every route needs: the service, and how it identifies callers.

    Attributes:
        authenticated: whether a request without a token is refused; if not, it belongs to the local user.
        identify: further ways to tell who asks.
    """

    service: Service
    authenticated: bool
    requests: Requests
    identify: list[Identify] = field(default_factory=list)

    async def figures(self) -> Response:
        """Requests and jobs, for Prometheus."""
        return PlainTextResponse(written(self.requests, await self.service.jobs.counts()), media_type=FIGURES)


def door(request: Request) -> Door:
    """The door of the app."""
    found: Door = request.app.state.door
    return found


def service_of(request: Request) -> Service:
    """The service of the app."""
    return door(request).service


NEEDED: Mapping[str, Role] = {address: role for role in ROLES for address in tables("faces/api", "roles").get(role, ())}
"""The role that each address needs, by its method and path."""


async def caller(request: Request, bearer: Annotated[HTTPAuthorizationCredentials | None, Security(_BEARER)]) -> Person:
    """Who sends this request, if they have the role that its address needs.

    Raises NotAllowed: the caller may not ask; HTTPException: 403, their role is too low.
    """
    entry, person = door(request), await _known(request, bearer)
    needed = NEEDED.get(address := f"{request.method} {request.scope['route'].path}", "admin")
    if not person.may(needed):
        await entry.service.audit.note(person, "refused", address)
        raise HTTPException(403, f"this needs the role {needed}, and yours is {person.role}; ask the administrator")
    return person


async def _known(request: Request, bearer: HTTPAuthorizationCredentials | None) -> Person:
    """Who sends a request. A token that is sent must be valid, also where none is needed."""
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
