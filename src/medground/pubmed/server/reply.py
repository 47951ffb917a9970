"""An answer of a utility, before it is sent."""

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
    """Bytes and what they are."""

    body: bytes
    type: str
    status: int = 200


@dataclass(frozen=True)
class Shelf:
    """What every utility works with."""

    catalogue: Catalogue
    history: History


def xml_reply(root: etree._Element, doctype: str, status: int = 200) -> Reply:
    """An answer in XML."""
    return Reply(document(root, doctype), "text/xml; charset=UTF-8", status)


def json_reply(kind: str, content: dict[str, Any], status: int = 200) -> Reply:
    """An answer in JSON, under NCBI's header."""
    whole = {"header": {"type": kind, "version": "0.3"}, **content}
    return Reply(
        json.dumps(whole, ensure_ascii=False).encode("utf-8", "replace"), "application/json; charset=UTF-8", status
    )


def text_reply(text: str) -> Reply:
    """An answer in plain text."""
    return Reply(text.encode("utf-8", "replace"), "text/plain; charset=UTF-8")


def wants_json(parameters: Parameters) -> bool:
    """Whether JSON was asked for."""
    return parameters.text("retmode").lower() == "json"
