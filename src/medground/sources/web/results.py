"""Results of search engines: one form for all engines, and one name for a page that several of them find."""

from __future__ import annotations

import hashlib
import html
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit

from medground.corpus.readers.dates import iso_date
from medground.corpus.readers.markup import unmarked
from medground.document import Document
from medground.errors import SourceUnavailable

RESULT = "RESULT"
"""Prefix of the document that is a search result: title and summary as the engine gives them."""
PAGE = "WEB"
"""Prefix of the document that is the page itself."""
_LONGEST_TITLE = 300
_LONGEST_SUMMARY = 1000
_TRACKING = frozenset(["gclid", "fbclid", "msclkid", "dclid", "yclid", "mc_cid", "mc_eid", "igshid", "ref_src"])


@dataclass(frozen=True)
class WebResult:
    """A result: where its page is, and what the engine says of it, as plain text."""

    url: str
    title: str
    summary: str = ""
    date: str | None = None

    @property
    def digest(self) -> str:
        """The name of its page, in the ids of both documents."""
        return page_digest(self.url)

    def document(self) -> Document:
        """Title and summary as a document. It says what an engine wrote, so the page itself is what may be quoted."""
        text = "\n\n".join(filter(None, [self.title, self.summary])) or self.url
        found = iso_date(self.date) if self.date else None
        return Document(
            id=f"{RESULT}:{self.digest}",
            title=self.title,
            text=text,
            kind="web",
            url=self.url,
            dates={"published": found} if found else {},
            year=int(found[:4]) if found else None,
        )


@dataclass(frozen=True)
class ResultPage:
    """One page of results, and the parameters that ask for the next; None if it is the last."""

    results: tuple[WebResult, ...]
    following: Mapping[str, str] | None = None


def result(url: object, title: object, summary: object = "", date: object = None) -> WebResult | None:
    """A result from what an engine sent; None if it has no address on the web."""
    if not isinstance(url, str) or not url.startswith(("http://", "https://")):
        return None
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return None
    if not host:
        return None
    said = date if isinstance(date, str) else None
    return WebResult(url.strip(), _plain(title, _LONGEST_TITLE), _plain(summary, _LONGEST_SUMMARY), said)


def page_digest(url: str) -> str:
    """SHA-256 (16 hex digits) of an address in its normal form.

    Scheme, `www.`, port, fragment, a final slash and parameters that only count visitors make no other page.
    """
    return hashlib.sha256(normal(url).encode()).hexdigest()[:16]


def normal(url: str) -> str:
    """The normal form of an address, for comparing; it is not asked."""
    parts = urlsplit(url)
    host = (parts.hostname or "").removeprefix("www.")
    kept = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if name.lower() not in _TRACKING and not name.lower().startswith("utm_")
    ]
    query = f"?{urlencode(kept)}" if kept else ""
    return f"{host}{parts.path.rstrip('/')}{query}"


def changed(engine: str) -> SourceUnavailable:
    """The failure of an engine whose replies can no longer be read. It is not an empty result."""
    return SourceUnavailable("its results cannot be read: it changed its form; update Medground", source=engine)


def _plain(text: object, longest: int) -> str:
    """One line without markup."""
    line = " ".join(html.unescape(unmarked(str(text or ""))).split())
    return line if len(line) <= longest else f"{line[: longest - 1].rpartition(' ')[0]}…"
