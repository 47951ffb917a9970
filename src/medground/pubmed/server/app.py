"""The server's web application."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from medground.errors import MedgroundError
from medground.pubmed.server.history import History
from medground.pubmed.server.lanes import Lanes
from medground.pubmed.server.limits import Limits, Work
from medground.pubmed.server.parameters import InvalidRequest, Parameters
from medground.pubmed.server.refused import refused, response
from medground.pubmed.server.reply import MOST_BYTES, Context, Reply, asks_json, error_reply
from medground.pubmed.server.snapshot_catalogue import SnapshotCatalogue
from medground.pubmed.server.utilities import UTILITIES, is_cheap, is_instant
from medground.serving.bodies import whole_body
from medground.serving.hosts import OwnHosts
from medground.serving.refusal import Refusal

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
        if cheap and is_instant(name):
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
