"""The server's web application."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from medground.errors import MedgroundError
from medground.pubmed.server import efetch, esearch, esummary, others
from medground.pubmed.server.catalogue import Catalogue
from medground.pubmed.server.history import History
from medground.pubmed.server.parameters import MOST_BYTES, InvalidRequest, Parameters
from medground.pubmed.server.reply import Context, Reply, json_reply, wants_json, xml_reply
from medground.pubmed.server.xml import node

Utility = Callable[[Context, Parameters], Reply]
_WORKERS = 2
"""Worker threads. Many Python threads slow each other down; a single one would block on a large efetch."""
_FETCH = "<!DOCTYPE eFetchResult>"

UTILITIES: Mapping[str, tuple[Utility, str, str]] = MappingProxyType(
    {
        "esearch": (esearch.esearch, "eSearchResult", esearch.DOCTYPE),
        "efetch": (efetch.efetch, "eFetchResult", _FETCH),
        "esummary": (esummary.esummary, "eSummaryResult", esummary.DOCTYPE),
        "epost": (others.epost, "ePostResult", others.POST),
        "einfo": (others.einfo, "eInfoResult", others.INFO),
        "espell": (others.espell, "eSpellResult", others.SPELL),
        "elink": (others.elink, "eLinkResult", others.LINK),
    }
)
"""Utilities by name: the handler, and the root element and document type of its responses, including errors."""


def make_app(catalogue: Catalogue) -> Starlette:
    """Build an application that serves a catalogue at `/entrez/eutils/NAME.fcgi`, for GET and POST."""
    context = Context(catalogue, History())
    workers = CapacityLimiter(_WORKERS)

    async def answer(request: Request) -> Response:
        """The response of a utility; 404 for an unknown one, 413 for a request that is too large."""
        name = request.path_params["name"]
        if name not in UTILITIES:
            return PlainTextResponse(
                f"unknown utility {name[:40]!r}; use one of: {', '.join(UTILITIES)}", status_code=404
            )
        body = await _body(request)
        if body is None:
            return PlainTextResponse(f"the request is larger than {MOST_BYTES:,} bytes", status_code=413)
        arguments = (context, name, request.url.query, body.decode("utf-8", "replace"))
        reply = await to_thread.run_sync(_answer, *arguments, limiter=workers)
        return Response(reply.body, reply.status, media_type=None, headers={"content-type": reply.type})

    return Starlette(routes=[Route("/entrez/eutils/{name}.fcgi", answer, methods=["GET", "POST"])])


async def _body(request: Request) -> bytes | None:
    """Return the body of a request, or None if it is too large."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BYTES:
            return None
        parts.append(part)
    return b"".join(parts)


def _answer(context: Context, name: str, query: str, body: str) -> Reply:
    utility, root, doctype = UTILITIES[name]
    parameters = Parameters(())
    try:
        parameters = Parameters.read(query, body)
        database = parameters.text("dbfrom" if name == "elink" else "db", "pubmed") or "pubmed"
        if database.lower() != "pubmed":
            raise InvalidRequest(f"Invalid db name specified: {database[:40]}")
        return utility(context, parameters)
    except InvalidRequest as invalid:
        reason, status = invalid.reason, invalid.status
    except MedgroundError as error:
        # A damaged corpus is a server error, so that clients do not mistake it for an empty result.
        reason, status = str(error), 500
    if wants_json(parameters):
        # Only esearch reports errors inside its result.
        content: dict[str, object] = {"esearchresult": {"ERROR": reason}} if name == "esearch" else {"error": reason}
        return json_reply(name, content, status)
    return xml_reply(node(root, None, node("ERROR", reason)), doctype, status)
