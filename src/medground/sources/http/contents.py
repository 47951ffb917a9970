"""From what a site sent to a document: the main text of a page, a PDF, or plain text. Nothing else is read."""

import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx2

from medground.corpus.readers.compose import decoded
from medground.corpus.readers.html import html_document, is_page
from medground.corpus.readers.pdf import open_pdf
from medground.errors import BadDocument
from medground.home.apart import Limits, read_apart
from medground.sources.http.addresses import Refused
from medground.sources.http.clients import CutReply, media_type
from medground.sources.http.wire import Recorded
from medground.values.document import Document

# Pages that stand in place of the page that was asked for: a captcha, a check for robots, a block.

_TITLE = re.compile(rb"<title[^>]*>([^<]{0,300})", re.IGNORECASE)
_SAYS_SO = re.compile(
    rb"just a moment|attention required|are you (?:a )?(?:human|robot)|robot check|human verification|"
    rb"verify(?:ing)? (?:that )?you are (?:a )?human|security (?:check|verification)|pardon our interruption|"
    rb"checking your browser|bot (?:detection|verification)|access (?:to this page has been )?denied|captcha|"
    rb"ddos.?guard|request (?:blocked|rejected)|unusual traffic|are not a robot",
    re.IGNORECASE,
)
_FORM = re.compile(
    rb"g-recaptcha|h-captcha|cf-turnstile|challenge-form|/cdn-cgi/challenge-platform/|px-captcha|"
    rb"captcha-delivery\.com|anomaly-modal|awswafcaptcha|_incapsula_resource|geo\.captcha",
    re.IGNORECASE,
)
_SHORT = 1500
"""Characters of text below which a page with a captcha is nothing but the captcha: a form for comments may have one."""
_LOOKED_AT = 200_000


def is_block(status: int, headers: Mapping[str, str], content: bytes) -> bool:
    """Whether a reply is a check for robots instead of the page."""
    start = content[:_LOOKED_AT]
    if "challenge" in headers.get("cf-mitigated", "").lower():
        return True
    title = _TITLE.search(start)
    says_so = bool(title and _SAYS_SO.search(title[1]))
    if status in (202, 403, 429, 503):
        return says_so or bool(_FORM.search(start))
    return (says_so or bool(_FORM.search(start))) and _text_length(start) < _SHORT


def _text_length(content: bytes) -> int:
    import lxml.html
    from lxml import etree

    try:
        tree = lxml.html.document_fromstring(content)
    except (etree.LxmlError, ValueError):  # nothing in it
        return 0
    etree.strip_elements(tree, "script", "style", "noscript", with_tail=False)
    return len(" ".join(tree.text_content().split()))


@dataclass(frozen=True)
class Received(Recorded):
    """A reply of a site, and where it redirects to."""

    target: str | None = None

    @property
    def media_type(self) -> str:
        """Such as `text/html`; empty if the server names none."""
        return media_type(self.headers)


async def send(
    client: httpx2.AsyncClient,
    url: str,
    accept: str,
    most: int | None = None,
    wanted: Callable[[str], bool] | None = None,
) -> Received:
    """Ask for an address. Redirects are reported, not followed; what is beyond `most` bytes of the body is left out.

    A body is received only if its type is `wanted`; by default any is.

    Raises Refused: the body is too large, or packed in a way that cannot be limited; httpx2.TransportError: the
    connection failed.
    """
    async with client.stream("GET", url, headers={"accept": accept}) as response:
        if response.has_redirect_location:
            target = urljoin(url, response.headers["location"])
            return Received(response.status_code, response.headers, b"", target)
        received = Received(response.status_code, response.headers, b"")
        if wanted is not None and response.status_code == 200 and not wanted(received.media_type):
            return received
        body = bytearray()
        try:
            async for part in response.aiter_bytes():
                body += part
                if most is not None and len(body) >= most:
                    break
        except CutReply as cut:
            raise Refused(cut.reason) from None
        return replace(received, body=bytes(body[:most]))


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
    403: "its site does not allow automated access",
    404: "it was not found",
    410: "it was removed",
    429: "its site asks for fewer requests",
    451: "it may not be shown for legal reasons",
}


def is_readable(media_type: str) -> bool:
    """Whether content of this type may be a document; other content is not even received."""
    return media_type in (*HTML, PDF, TEXT, *_UNTYPED)


def document_of(received: Received, url: str, document_id: str) -> Document:
    """The document that a site sent, of kind `web`; `url` is its address after redirects.

    Raises Refused: it is not text, has none, or is a check for robots.
    """
    kind, media = _kind(received), received.media_type
    if kind == "html" and is_block(received.status, received.headers, received.body):
        raise Refused("its site shows a captcha instead of the page")
    if received.status != 200:
        raise Refused(_STATUS.get(received.status, f"its site answered with HTTP status {received.status}"))
    if not kind:
        raise Refused(f"it is {media[:50] or 'something'}, not a text")
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
    """`html`, `pdf` or `text`; empty for anything else."""
    media, start = received.media_type, received.body[:1024]
    if media == PDF or (media in _UNTYPED and start.startswith(b"%PDF-")):
        return "pdf"
    if media in HTML or (media in _UNTYPED and is_page(start)):
        return "html"
    return "text" if media == TEXT else ""


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


# Reading what a site sent, in a process of its own, which can be ended.

_MOST_MEMORY = 1000
"""MB that a reading process may use."""


def read_document(received: Received, url: str, document_id: str, seconds: float) -> Document:
    """As `contents.document_of`, in at most this time.

    Raises Refused: as for `document_of`; or reading takes too long, or fails.
    """
    read = partial(_read_there, received, url, document_id)
    try:
        [document] = read_apart(read, url, Limits(seconds, _MOST_MEMORY, by_clock=True))
    except BadDocument as error:
        raise Refused(error.reason) from None
    return document


def _read_there(received: Received, url: str, document_id: str) -> list[Document]:
    try:
        return [document_of(received, url, document_id)]
    except Refused as error:
        raise BadDocument(str(error)) from None
