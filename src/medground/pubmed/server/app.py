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
from medground.pubmed.server.parameters import MOST_BYTES, Parameters, Refused
from medground.pubmed.server.reply import Reply, Shelf, json_reply, wants_json, xml_reply
from medground.pubmed.server.xml import node

Utility = Callable[[Shelf, Parameters], Reply]
_WORKERS = 2
"""Threads that answer. Many threads of Python get into one another's way; one alone would wait for a large efetch."""
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
"""What answers, and the root and document type of its answers, errors included."""


def make_app(catalogue: Catalogue) -> Starlette:
    """The E-utilities over a catalogue, under `/entrez/eutils/NAME.fcgi`, by GET and POST."""
    shelf = Shelf(catalogue, History())
    workers = CapacityLimiter(_WORKERS)

    async def answer(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in UTILITIES:
            return PlainTextResponse(f"no utility {name[:40]!r}; there are: {', '.join(UTILITIES)}", status_code=404)
        body = await _body(request)
        if body is None:
            return PlainTextResponse(f"the request is larger than {MOST_BYTES:,} bytes", status_code=413)
        asked = (shelf, name, request.url.query, body.decode("utf-8", "replace"))
        reply = await to_thread.run_sync(_answer, *asked, limiter=workers)
        return Response(reply.body, reply.status, media_type=None, headers={"content-type": reply.type})

    return Starlette(routes=[Route("/entrez/eutils/{name}.fcgi", answer, methods=["GET", "POST"])])


async def _body(request: Request) -> bytes | None:
    """The body of a request, or None when it is too large."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BYTES:
            return None
        parts.append(part)
    return b"".join(parts)


def _answer(shelf: Shelf, name: str, query: str, body: str) -> Reply:
    utility, root, doctype = UTILITIES[name]
    parameters = Parameters(())
    try:
        parameters = Parameters.read(query, body)
        database = parameters.text("dbfrom" if name == "elink" else "db", "pubmed") or "pubmed"
        if database.lower() != "pubmed":
            raise Refused(f"Invalid db name specified: {database[:40]}")
        return utility(shelf, parameters)
    except Refused as refused:
        reason, status = refused.reason, refused.status
    except MedgroundError as error:
        # A damaged corpus is the server's failure: clients may try again, and never take it for an empty result.
        reason, status = str(error), 500
    if wants_json(parameters):
        # esearch alone tells its errors inside of its result.
        told: dict[str, object] = {"esearchresult": {"ERROR": reason}} if name == "esearch" else {"error": reason}
        return json_reply(name, told, status)
    return xml_reply(node(root, None, node("ERROR", reason)), doctype, status)
