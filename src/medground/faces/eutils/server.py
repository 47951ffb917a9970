"""The server: requests answered in threads, each kind with a line of its own that has an end."""

import asyncio
import contextlib
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TypeVar

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from medground.errors import MedgroundError
from medground.faces.eutils import links, pages, searches, summaries
from medground.faces.eutils.catalogue import SnapshotCatalogue
from medground.faces.eutils.exchange import (
    MOST_BYTES,
    Context,
    History,
    InvalidRequest,
    Parameters,
    Reply,
    asks_json,
    error_reply,
)
from medground.faces.eutils.rates import Rates
from medground.faces.server_log import Logged
from medground.faces.serving import Connection as ServingConnection
from medground.faces.serving import OwnHosts, Refusal, whole_body


@dataclass(frozen=True)
class Limits:
    """Limits of a server. Those of a single utility stand with it.

    Attributes:
        body: most bytes of a body; 50,000 IDs fit in.
        body_seconds: in which a body must come.
        work: CPU seconds of one request, checked by the work itself between two steps.
        workers: threads for cheap requests, and as many for others.
        cheap_line: most cheap requests that wait for a thread.
        costly_line: most others that wait for a thread.
        patience: most seconds that one waits.
    """

    body: int = 1_000_000
    body_seconds: float = 20.0
    work: float = 10.0
    workers: int = 2
    cheap_line: int = 200
    costly_line: int = 50
    patience: float = 30.0


class Work:
    """The work of one request. A thread cannot be stopped, so the work asks from time to time whether it may go on.

    Args:
        seconds: that it may take, by `clock`.
        ending: set when the server is to end.
        clock: by default the CPU time of the thread, so that a busy machine makes no request fail.
    """

    def __init__(self, seconds: float, ending: threading.Event, clock: Callable[[], float] = time.thread_time) -> None:
        self._seconds = seconds
        self._ending = ending
        self._clock = clock
        self._until = clock() + seconds

    def check(self) -> None:
        """Call this between two steps, in the thread that made the object."""
        if self._ending.is_set():
            raise InvalidRequest("The server is stopping", status=503)
        if self._clock() > self._until:
            raise InvalidRequest(
                f"The request takes more than {self._seconds:g} s; make it shorter, or send it in parts", status=413
            )


T = TypeVar("T")


class Lane:
    """A few requests at work at once, each in a thread, and a line of those who wait.

    The threads are daemons: one that hangs in a query does not keep the process from ending.

    Args:
        line: most that wait.
        patience: most seconds that one waits.
        retry_after: seconds that a refused client should wait.
    """

    def __init__(self, workers: int, line: int, patience: float, retry_after: int) -> None:
        self._line = line
        self._patience = patience
        self._retry_after = retry_after
        self._waiting = 0
        self._turns = asyncio.Semaphore(workers)

    async def run(self, work: Callable[[], T]) -> T:
        """The result of some work, in a thread; refused (429) if the line is full, or there was no turn in time."""
        busy = Refusal(429, "Too many requests at once; wait, then send it again", retry_after=self._retry_after)
        if self._turns.locked() and self._waiting >= self._line:
            raise busy
        self._waiting += 1
        try:
            async with asyncio.timeout(self._patience):
                await self._turns.acquire()
        except TimeoutError:
            raise busy from None
        finally:
            self._waiting -= 1
        loop, result = asyncio.get_running_loop(), Future[T]()
        result.set_running_or_notify_cancel()  # it goes on, even if it is no longer awaited

        def serve() -> None:
            try:
                tell = partial(result.set_result, work())
            except BaseException as error:  # noqa: BLE001 - the waiting caller gets it
                tell = partial(result.set_exception, error)
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._turns.release)
            tell()

        threading.Thread(target=serve, name="eutils", daemon=True).start()
        return await asyncio.wrap_future(result)


class Lanes:
    """A lane for cheap requests and one for others, so that no cheap request waits for a costly one."""

    def __init__(self, limits: Limits) -> None:
        self.cheap = Lane(limits.workers, limits.cheap_line, limits.patience, retry_after=1)
        self.costly = Lane(limits.workers, limits.costly_line, limits.patience, retry_after=5)
        self.ending = threading.Event()

    async def end(self) -> None:
        """Let the work under way stop at its next check, and refuse what waits."""
        self.ending.set()


UTILITIES: Mapping[str, Callable[[Context, Parameters], Reply]] = MappingProxyType(
    {
        "esearch": searches.esearch,
        "efetch": summaries.efetch,
        "esummary": summaries.esummary,
        "epost": searches.epost,
        "einfo": searches.einfo,
        "espell": searches.espell,
        "elink": links.elink,
        "ecitmatch": searches.ecitmatch,
    }
)
_FOLDER = "/entrez/eutils"
_HEADERS = {
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
}
_CHEAP_CHARACTERS = 2000
_CHEAP_PIECES = 50
_PIECE = re.compile(r"(?i),|%2C|\*|%2A|&id=")
_STORED = re.compile(r"(?i)webenv|usehistory")


def is_cheap(name: str, query: str, body: str) -> bool:
    """Whether a request takes milliseconds, by its look: short, with few IDs and truncated words, and without the
    history. Each ID of an elink is a search.
    """
    if name == "elink" or len(query) + len(body) > _CHEAP_CHARACTERS:
        return False
    sent = f"{query}&{body}"
    return len(_PIECE.findall(sent)) <= _CHEAP_PIECES and _STORED.search(sent) is None


def response(reply: Reply) -> Response:
    """A reply as a response."""
    return Response(reply.body, reply.status, headers={"content-type": reply.type, **_HEADERS})


def refused(refusal: Refusal, scope: Scope | None = None) -> Response:
    """An `ERROR` in XML, or in JSON if the address asks for it."""
    name, as_json = "", False
    if scope is not None:
        name = PurePosixPath(scope["path"]).stem
        as_json = asks_json(scope["query_string"].decode("latin-1"))
    made = response(error_reply(name, refusal.detail, refusal.status, as_json=as_json))
    if refusal.retry_after is not None:
        made.headers["retry-after"] = str(refusal.retry_after)
    return made


class Connection(ServingConnection):
    """A connection that refuses in the form of the E-utilities."""

    def response_to(self, refusal: Refusal) -> Response:
        return refused(refusal)


Catalogue = SnapshotCatalogue | Callable[[], SnapshotCatalogue]


def make_app(
    catalogue: Catalogue,
    *,
    hosts: Sequence[str] = (),
    limits: Limits | None = None,
    lanes: Lanes | None = None,
    rates: Rates | None = None,
) -> Starlette:
    """Build an application that serves a catalogue at `/entrez/eutils/NAME.fcgi`, for GET and POST, and a page at `/`.

    Args:
        catalogue: what is served, or a function that returns it for each request.
        hosts: host names that it answers to, in addition to those of loopback and the address that was called.
        lanes: where requests are answered; the caller that gives them can end them.
        rates: refuses requests that come too fast; by default, none does.
    """
    limits = limits or Limits()
    lanes = lanes or Lanes(limits)
    history = History()

    async def answer(request: Request) -> Response:
        asked = request.url.path
        name = PurePosixPath(asked).stem if asked.startswith(_FOLDER) else ""
        query = f"id={request.path_params['pmid']}" if "pmid" in request.path_params else request.url.query
        if name and name not in UTILITIES:
            known = ", ".join(UTILITIES)
            return PlainTextResponse(f"unknown utility {name[:40]!r}; use one of: {known}", status_code=404)
        try:
            raw = await whole_body(request.receive, request.headers, most=limits.body, seconds=limits.body_seconds)
            body = raw.decode("utf-8", "replace")
            if rates is not None:
                rates.count(request.client.host if request.client else "", f"{query}&{body}")
            return response(await _reply(name, query, body))
        except Refusal as refusal:
            return refused(refusal, request.scope)

    async def _reply(name: str, query: str, body: str) -> Reply:
        cheap = is_cheap(name, query, body)
        work = partial(_answer, catalogue, history, lanes, limits.work, name, query, body)
        if cheap and name == "einfo":  # it needs no index, and so no thread
            return work()
        return await (lanes.cheap if cheap else lanes.costly).run(work)

    async def failed(scope: Scope, receive: Receive, send: Send) -> None:
        reply = refused(Refusal(500, "An unexpected error occurred; the server's log has the details"), scope)
        await reply(scope, receive, send)

    utilities = (f"{_FOLDER}/{{name}}.fcgi", f"{_FOLDER}/ecitmatch.cgi")
    routes = [Route(path, answer, methods=["GET", "POST"]) for path in utilities]
    shown = [Route(path, answer) for path in ("/", "/{pmid:int}", "/{pmid:int}/")]
    return Starlette(
        routes=[*routes, *shown, Route("/dtd/{name}", _dtd)],
        middleware=[Middleware(Logged, failed=failed), Middleware(OwnHosts, names=hosts, respond=refused)],
    )


async def _dtd(request: Request) -> Response:
    found = pages.DTDS.get(request.path_params["name"])
    return Response(found or b"no such document type", 200 if found else 404, media_type="application/xml-dtd")


def _answer(
    catalogue: Catalogue, history: History, lanes: Lanes, seconds: float, name: str, query: str, body: str
) -> Reply:
    try:
        work = Work(seconds, lanes.ending)
        work.check()
        parameters = Parameters.read(query, body)
        database = parameters.text("dbfrom" if name == "elink" else "db", "pubmed") or "pubmed"
        if database.lower() != "pubmed":
            raise InvalidRequest(f"Invalid db name specified: {database[:40]}")
        current = catalogue() if callable(catalogue) else catalogue
        reply = UTILITIES.get(name, pages.page)(Context(current, history, work.check), parameters)
        if len(reply.body) > MOST_BYTES:
            raise InvalidRequest(f"The response has more than {MOST_BYTES:,} bytes; ask for less", status=413)
        return reply
    except InvalidRequest as invalid:
        reason, status = invalid.reason, invalid.status
    except MedgroundError as error:
        # A damaged corpus is a server error, so that clients do not mistake it for an empty result.
        reason, status = str(error), 500
    return error_reply(name, reason, status, as_json=asks_json(f"{query}&{body}"))
