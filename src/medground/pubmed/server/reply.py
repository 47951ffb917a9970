"""Build the response of a utility."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from lxml import etree

from medground.pubmed.server.catalogue import Catalogue
from medground.pubmed.server.history import History
from medground.pubmed.server.parameters import Parameters
from medground.pubmed.server.xml import document


@dataclass(frozen=True)
class Reply:
    """A response body with its content type and status."""

    body: bytes
    type: str
    status: int = 200


@dataclass(frozen=True)
class Context:
    """The shared state passed to every utility."""

    catalogue: Catalogue
    history: History


def xml_reply(root: etree._Element, doctype: str, status: int = 200) -> Reply:
    """Build an XML response."""
    return Reply(document(root, doctype), "text/xml; charset=UTF-8", status)


def json_reply(kind: str, content: dict[str, Any], status: int = 200) -> Reply:
    """Build a JSON response with NCBI's header."""
    whole = {"header": {"type": kind, "version": "0.3"}, **content}
    return Reply(
        json.dumps(whole, ensure_ascii=False).encode("utf-8", "replace"), "application/json; charset=UTF-8", status
    )


def text_reply(text: str) -> Reply:
    """Build a plain-text response."""
    return Reply(text.encode("utf-8", "replace"), "text/plain; charset=UTF-8")


def wants_json(parameters: Parameters) -> bool:
    """Whether the request asks for JSON."""
    return parameters.text("retmode").lower() == "json"
