"""What the server refuses before a utility sees it, in the form that clients of the E-utilities read."""

from __future__ import annotations

from pathlib import PurePosixPath

from starlette.responses import Response
from starlette.types import Scope

from medground.pubmed.server.reply import Reply, asks_json, error_reply
from medground.pubmed.server.utilities import UTILITIES
from medground.serving.connection import Connection as ServingConnection
from medground.serving.refusal import Refusal

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
