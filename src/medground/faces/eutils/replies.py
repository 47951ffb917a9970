"""Build the response of a utility."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from lxml import etree

from medground.faces.eutils.catalogue import Check, SnapshotCatalogue
from medground.faces.eutils.requests import History, InvalidRequest, Parameters
from medground.values.document import Document

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_DTD_URL = "https://eutils.ncbi.nlm.nih.gov/eutils/dtd"


def eutils_doctype(root: str, name: str, date: str, file: str | None = None) -> str:
    """Return the document type declaration that refers clients to the DTD."""
    return f'<!DOCTYPE {root} PUBLIC "-//NLM//DTD {name} {date}//EN" "{_DTD_URL}/{date}/{file or name}.dtd">'


def node(tag: str, text: str | int | None = None, /, *children: etree._Element, **attributes: str) -> etree._Element:
    """Build an element. Characters that are not allowed in XML become spaces."""
    element = etree.Element(tag, {name: _NOT_XML.sub(" ", value) for name, value in attributes.items()})
    if text is not None:
        element.text = _NOT_XML.sub(" ", str(text))
    element.extend(children)
    return element


MOST_BYTES = 100_000_000
"""Maximum bytes of a response: 10,000 records have about half of that."""
_BATCH = 200
_JSON = re.compile(r"(?:^|&)retmode=json(?:&|$)", re.IGNORECASE)


@dataclass(frozen=True)
class Reply:
    """A response body with its content type and status."""

    body: bytes
    type: str
    status: int = 200


@dataclass(frozen=True)
class Context:
    """What every utility gets: the server's state, and a function to call between two steps of long work."""

    catalogue: SnapshotCatalogue
    history: History
    check: Check


def fetched(context: Context, ids: Sequence[str]) -> Iterator[tuple[str, Document]]:
    """Yield the IDs and records that exist, a batch in memory at a time."""
    for first in range(0, len(ids), _BATCH):
        context.check()
        batch = ids[first : first + _BATCH]
        found = context.catalogue.fetch(batch)
        yield from ((each, found[each]) for each in batch if each in found)


def xml_reply(root: etree._Element, doctype: str, status: int = 200) -> Reply:
    """Build an XML response."""
    body = etree.tostring(root, xml_declaration=True, encoding="UTF-8", doctype=doctype)
    return Reply(body, "text/xml; charset=UTF-8", status)


def xml_stream(root: str, children: Iterable[etree._Element], doctype: str) -> Reply:
    """Build an XML response whose children are written, and forgotten, one by one.

    Raises:
        InvalidRequest: there are too many bytes.
    """
    out = BytesIO()
    with etree.xmlfile(out, encoding="UTF-8", buffered=False) as file:
        file.write_declaration()
        file.write_doctype(doctype)
        with file.element(root):
            for child in children:
                file.write(child)
                if out.tell() > MOST_BYTES:
                    raise InvalidRequest(f"The response has more than {MOST_BYTES:,} bytes; ask for less", status=413)
    return Reply(out.getvalue(), "text/xml; charset=UTF-8")


def json_reply(kind: str, content: dict[str, Any], status: int = 200) -> Reply:
    """Build a JSON response with NCBI's header."""
    whole = {"header": {"type": kind, "version": "0.3"}, **content}
    return Reply(
        json.dumps(whole, ensure_ascii=False).encode("utf-8", "replace"), "application/json; charset=UTF-8", status
    )


def text_reply(text: str) -> Reply:
    """Build a plain-text response."""
    return Reply(text.encode("utf-8", "replace"), "text/plain; charset=UTF-8")


def error_reply(name: str, root: str, doctype: str, reason: str, status: int, *, as_json: bool) -> Reply:
    """Build the response to a request that failed.

    Args:
        name: of the utility.
        root: the root element of its responses.
        doctype: the document type of its responses.
        reason: what is wrong.
        status: the HTTP status.
        as_json: whether the client asks for JSON.
    """
    if not as_json:
        return xml_reply(node(root, None, node("ERROR", reason)), doctype, status)
    # Only esearch reports errors inside its result.
    return json_reply(name, {"esearchresult": {"ERROR": reason}} if name == "esearch" else {"error": reason}, status)


def wants_json(parameters: Parameters) -> bool:
    """Whether the request asks for JSON."""
    return parameters.text("retmode").lower() == "json"


def asks_json(sent: str) -> bool:
    """Whether a request asks for JSON, by its encoded parameters, which may be too many to be read."""
    return _JSON.search(sent) is not None
