"""From what a site sent to a document: the main text of a page, a PDF, or plain text. Nothing else is read."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from medground.corpus.readers.decode import decoded
from medground.corpus.readers.html import html_document, is_page
from medground.corpus.readers.pdf.reader import open_pdf
from medground.document import Document
from medground.errors import BadDocument
from medground.fetching.addresses import Refused
from medground.fetching.blocked import is_block
from medground.fetching.sending import Received

HTML = ("text/html", "application/xhtml+xml")
PDF = "application/pdf"
TEXT = "text/plain"
WANTED = f"{', '.join(HTML)}, {PDF};q=0.9, {TEXT};q=0.8"
"""The `Accept` header of a page."""
_UNTYPED = ("", "application/octet-stream", "binary/octet-stream")
_CHARSET = re.compile(r"charset=[\"']?([\w-]{3,20})", re.IGNORECASE)
_NAMED = re.compile(rb"<meta[^>]{0,200}charset", re.IGNORECASE)
_STATUS = {
    401: "it needs a login",
    402: "it must be paid for",
    403: "its site refuses robots",
    404: "it is not there (any more)",
    410: "it is not there any more",
    429: "its site asks for fewer requests",
    451: "it may not be shown for legal reasons",
}


def is_readable(media_type: str) -> bool:
    """Whether content of this type may be a document; other content is not even received."""
    return media_type in (*HTML, PDF, TEXT, *_UNTYPED)


def document_of(received: Received, url: str, document_id: str) -> Document:
    """The document that a site sent, of kind `web`.

    Args:
        received: the reply.
        url: where it came from, after redirects.
        document_id: its id.

    Raises:
        Refused: it is no text, has none, or is a check for robots.
    """
    kind = _kind(received)
    if kind == "html" and is_block(received.status, received.headers, received.body):
        raise Refused("its site shows a check for robots (captcha) in place of the page")
    if received.status != 200:
        raise Refused(_STATUS.get(received.status, f"its site answered with HTTP status {received.status}"))
    try:
        document = _read(kind, received, url)
    except BadDocument as error:
        raise Refused(f"its PDF cannot be read: {error.reason}") from None
    except ValueError as error:
        raise Refused(f"{error}") from None
    except RecursionError:
        raise Refused("the page is nested too deeply") from None
    shown = {"id": document_id, "kind": "web", "url": url, "title": document.title or _place(url)}
    return Document.model_validate(document.model_dump() | shown)


def _kind(received: Received) -> str:
    """`html`, `pdf` or `text`.

    Raises:
        Refused: it is something else.
    """
    media, start = received.media_type, received.body[:1024]
    if media == PDF or (media in _UNTYPED and start.startswith(b"%PDF-")):
        return "pdf"
    if media in HTML or (media in _UNTYPED and is_page(start)):
        return "html"
    if media == TEXT:
        return "text"
    if received.status != 200:
        raise Refused(_STATUS.get(received.status, f"its site answered with HTTP status {received.status}"))
    raise Refused(f"it is {media[:50] or 'something'}, not a text")


def _read(kind: str, received: Received, url: str) -> Document:
    if kind == "pdf":
        return _pdf(received.body)
    charset = _CHARSET.search(received.headers.get("content-type", ""))
    content = _as_utf8(received.body, charset[1] if charset else "")
    if kind == "html":
        return html_document(content, _place(url))
    text = decoded(content).strip()
    if not text:
        raise ValueError("the page has no main text")
    return Document(id="WEB:text", title=_place(url), text=text, kind="web")


def _as_utf8(content: bytes, charset: str) -> bytes:
    """In UTF-8, if the server names another encoding and the page itself names none."""
    if not charset or charset.lower() in ("utf-8", "utf8") or _NAMED.search(content[:4096]):
        return content
    try:
        return content.decode(charset).encode()
    except (UnicodeDecodeError, LookupError):
        return content


def _pdf(content: bytes) -> Document:
    with tempfile.TemporaryDirectory(prefix="medground-") as folder:
        path = Path(folder, "page.pdf")
        path.write_bytes(content)
        items = list(open_pdf(path).read(0))
    for item in items:
        if isinstance(item, BadDocument):
            raise item
        if isinstance(item, Document):
            return item
    raise ValueError("its PDF has no text")


def _place(url: str) -> str:
    """Host and path of an address, for a page without a title."""
    parts = urlsplit(url)
    return f"{parts.hostname}{parts.path}"[:200]
