"""The server's web application."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from types import MappingProxyType

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Scope

from medground.errors import MedgroundError
from medground.faces.eutils import searches, summaries
from medground.faces.eutils.catalogue import SnapshotCatalogue
from medground.faces.eutils.lanes import Lanes, Limits, Work
from medground.faces.eutils.replies import MOST_BYTES, Context, Reply, asks_json, error_reply
from medground.faces.eutils.requests import History, InvalidRequest, Parameters
from medground.faces.serving import Connection as ServingConnection
from medground.faces.serving import OwnHosts, Refusal, whole_body


@dataclass(frozen=True)
class Utility:
    """A utility: what answers, and the root element and document type of its responses, including errors."""

    answer: Callable[[Context, Parameters], Reply]
    root: str
    doctype: str


UTILITIES: Mapping[str, Utility] = MappingProxyType(
    {
        "esearch": Utility(searches.esearch, "eSearchResult", searches.DOCTYPE),
        "efetch": Utility(summaries.efetch, "eFetchResult", "<!DOCTYPE eFetchResult>"),
        "esummary": Utility(summaries.esummary, "eSummaryResult", summaries.DOCTYPE),
        "epost": Utility(searches.epost, "ePostResult", searches.POST),
        "einfo": Utility(searches.einfo, "eInfoResult", searches.INFO),
        "espell": Utility(searches.espell, "eSpellResult", searches.SPELL),
        "elink": Utility(searches.elink, "eLinkResult", searches.LINK),
    }
)
_CHEAP_CHARACTERS = 2000
_CHEAP_PIECES = 50
_PIECE = re.compile(r",|%2C|\*|%2A|&id=", re.IGNORECASE)
_STORED = re.compile(r"webenv|usehistory", re.IGNORECASE)


def is_cheap(name: str, query: str, body: str) -> bool:
    """Whether a request takes milliseconds, by its look: short, with few IDs and truncated words, and without the
    history. Each ID of an elink is a search.
    """
    if name == "elink" or len(query) + len(body) > _CHEAP_CHARACTERS:
        return False
    sent = f"{query}&{body}"
    return len(_PIECE.findall(sent)) <= _CHEAP_PIECES and _STORED.search(sent) is None


_ROOT, _DOCTYPE = "eUtilsResult", "<!DOCTYPE eUtilsResult>"


def response(reply: Reply) -> Response:
    """A reply as a response."""
    return Response(reply.body, reply.status, headers={"content-type": reply.type})


def refused(refusal: Refusal, scope: Scope | None = None) -> Response:
    """An `ERROR` in XML, or in JSON if the address asks for it."""
    name, as_json = "", False
    if scope is not None:
        name = PurePosixPath(scope["path"]).stem
        as_json = asks_json(scope["query_string"].decode("latin-1"))
    utility = UTILITIES.get(name)
    root, doctype = (utility.root, utility.doctype) if utility else (_ROOT, _DOCTYPE)
    made = response(error_reply(name, root, doctype, refusal.detail, refusal.status, as_json=as_json))
    if refusal.retry_after is not None:
        made.headers["retry-after"] = str(refusal.retry_after)
    return made


class Connection(ServingConnection):
    """A connection that refuses in the form of the E-utilities."""

    def response_to(self, refusal: Refusal) -> Response:
        return refused(refusal)


log = logging.getLogger(__name__)


def make_app(
    catalogue: SnapshotCatalogue, *, hosts: Sequence[str] = (), limits: Limits | None = None, lanes: Lanes | None = None
) -> Starlette:
    """Build an application that serves a catalogue at `/entrez/eutils/NAME.fcgi`, for GET and POST.

    Args:
        catalogue: the records to serve.
        hosts: host names that it answers to, beside those of loopback and the address that was called.
        limits: what one request may cost.
        lanes: where requests are answered; whoever gives them can end them.
    """
    limits = limits or Limits()
    lanes = lanes or Lanes(limits)
    history = History()

    async def answer(request: Request) -> Response:
        """The response of a utility; 404 for an unknown one."""
        name = request.path_params["name"]
        if name not in UTILITIES:
            return PlainTextResponse(
                f"unknown utility {name[:40]!r}; use one of: {', '.join(UTILITIES)}", status_code=404
            )
        try:
            body = await whole_body(request.receive, request.headers, most=limits.body, seconds=limits.body_seconds)
            return response(await _reply(name, request.url.query, body.decode("utf-8", "replace")))
        except Refusal as refusal:
            return refused(refusal, request.scope)

    async def _reply(name: str, query: str, body: str) -> Reply:
        cheap = is_cheap(name, query, body)
        work = partial(_answer, catalogue, history, lanes, limits.work, name, query, body)
        if cheap and name == "einfo":  # it needs no index, and so no thread
            return work()
        return await (lanes.cheap if cheap else lanes.costly).run(work)

    async def failed(request: Request, error: Exception) -> Response:
        log.error("a request to %s failed", request.url.path[:80], exc_info=error)
        return refused(Refusal(500, "An unexpected error occurred; the server's log has the details"), request.scope)

    return Starlette(
        routes=[Route("/entrez/eutils/{name}.fcgi", answer, methods=["GET", "POST"])],
        middleware=[Middleware(OwnHosts, names=hosts, respond=refused)],
        exception_handlers={Exception: failed},
    )


def _answer(
    catalogue: SnapshotCatalogue, history: History, lanes: Lanes, seconds: float, name: str, query: str, body: str
) -> Reply:
    utility = UTILITIES[name]
    try:
        work = Work(seconds, lanes.ending)
        work.check()
        parameters = Parameters.read(query, body)
        database = parameters.text("dbfrom" if name == "elink" else "db", "pubmed") or "pubmed"
        if database.lower() != "pubmed":
            raise InvalidRequest(f"Invalid db name specified: {database[:40]}")
        reply = utility.answer(Context(catalogue, history, work.check), parameters)
        if len(reply.body) > MOST_BYTES:
            raise InvalidRequest(f"The response has more than {MOST_BYTES:,} bytes; ask for less", status=413)
        return reply
    except InvalidRequest as invalid:
        reason, status = invalid.reason, invalid.status
    except MedgroundError as error:
        # A damaged corpus is a server error, so that clients do not mistake it for an empty result.
        reason, status = str(error), 500
    return error_reply(name, utility.root, utility.doctype, reason, status, as_json=asks_json(f"{query}&{body}"))
