"""E-utilities responses: parsed safely as typed values, or classified as a fault."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from medground.corpus.readers.base import Item, opened
from medground.corpus.readers.jats import read_jats
from medground.corpus.readers.medline import MEDLINE_ROOTS, read_medline
from medground.corpus.readers.xml import root_name
from medground.errors import BadDocument, ConfigError, UsageError
from medground.sources.http.retries import Fault, passing_fault, shorten
from medground.sources.http.service import message_in

_PEEK = 4000
_LIMITED = re.compile(r"rate limit|too many requests", re.IGNORECASE)
_BAD_KEY = re.compile(r"api[ _]key (is )?(not valid|invalid)|invalid api[ _]key", re.IGNORECASE)
_BAD_CALL = re.compile(
    r"invalid (db|database)|empty (term|id)|neither query_key nor id|empty result|"
    r"must not be empty|not supported|invalid (value|parameter|retmode|rettype|date)",
    re.IGNORECASE,
)


def service_fault(message: str) -> Fault:
    """Classify an error message from the service, whatever the HTTP status."""
    detail = shorten(message)
    if _LIMITED.search(detail):
        return Fault("rate limit exceeded", status="429", rate_limited=True)
    if _BAD_KEY.search(detail):
        return Fault("the API key was rejected; correct or remove it in the settings", user_error=ConfigError)
    if _BAD_CALL.search(detail):
        return Fault(f"the request was rejected: {detail}", status="200", user_error=UsageError)
    return Fault(f"the service reported an error: {detail}", status="200")


def _damaged(what: str) -> Fault:
    return Fault(f"the XML response is truncated or damaged ({shorten(what)})")


def status_fault(status: int, headers: Mapping[str, str], body: Path) -> Fault:
    """Return the fault for a response with a status other than 200."""
    if (passing := passing_fault(status, headers)) is not None:
        return passing
    detail = _told(body)
    if status in (400, 401, 403) and _BAD_KEY.search(detail):
        return service_fault(detail)
    if 300 <= status < 400:
        return Fault(f"redirected with HTTP status {status}; check its address", status=str(status), transient=False)
    suffix = f": {detail}" if detail else ""
    return Fault(f"the request was rejected with HTTP status {status}{suffix}", status=str(status), transient=False)


def type_fault(found: str, body: Path) -> Fault:
    """Return the fault for an unexpected content type, such as a JSON error or a proxy's HTML page."""
    detail = _told(body)
    if "json" in found and detail:
        return service_fault(detail)
    what = "an HTML page" if "html" in found else f"content type {found or 'none'}"
    suffix = f" ({detail})" if detail else ""
    return Fault(f"the response is {what} instead of XML{suffix}")


def _told(body: Path) -> str:
    with body.open("rb") as file:
        return message_in(file.read(_PEEK))


def read_tree(path: Path, root: str, *, tolerated: re.Pattern[str] | None = None) -> etree._Element:
    """Parse a small response, plain or gzip, with this root. `tolerated` ERROR texts concern single IDs only.

    Raises Fault: the response is truncated, not XML, a different document, or has an ERROR.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        with opened(path) as body:
            tree = etree.parse(body, parser).getroot()
    except etree.XMLSyntaxError as error:
        raise _damaged(str(error.msg)) from None
    except BadDocument as error:
        raise _damaged(error.reason) from None
    table = tree.getroottree().docinfo.internalDTD
    if table is not None and next(iter(table.iterentities()), None) is not None:
        raise Fault("the XML response declares entities, which are not allowed", transient=False)
    errors = texts(tree.iter("ERROR"))
    if tree.tag != root:
        raise service_fault(errors[0]) if errors else Fault(f"the response is <{tree.tag}> instead of <{root}>")
    serious = [error for error in errors if tolerated is None or not tolerated.search(error)]
    if serious:
        raise service_fault(serious[0])
    return tree


def texts(elements: Iterable[etree._Element]) -> tuple[str, ...]:
    """Return the texts within the elements, each as one line, without empty ones."""
    return tuple(found for element in elements if (found := " ".join("".join(element.itertext()).split())))


def number(element: etree._Element, path: str) -> int:
    """Return the number at a path. Raises Fault: there is no number."""
    found = element.findtext(path, "").strip()
    if not (found.isascii() and found.isdigit()):
        raise Fault(f"the response has no number in <{path}>")
    return int(found[:18])


@dataclass(frozen=True)
class SearchResult:
    """The result of esearch: how many records match, the requested IDs in order, and phrases that match no record."""

    count: int
    ids: tuple[str, ...]
    not_found: tuple[str, ...] = ()


def read_search(path: Path) -> SearchResult:
    """Parse an esearch response."""
    tree = read_tree(path, "eSearchResult")
    messages = [child for name in ("ErrorList", "WarningList") for child in tree.iterfind(f"{name}/*")]
    not_found = ("PhraseNotFound", "QuotedPhraseNotFound")
    return SearchResult(
        count=number(tree, "Count"),
        ids=texts(tree.iterfind("IdList/Id")),
        not_found=texts(child for child in messages if child.tag in not_found),
    )


def read_count(path: Path) -> int:
    """Parse an esearch response to rettype=count."""
    return number(read_tree(path, "eSearchResult"), "Count")


def read_links(path: Path, name: str) -> list[str]:
    """Parse the ids behind one link of an elink response."""
    sets = read_tree(path, "eLinkResult").iterfind("LinkSet/LinkSetDb")
    return [pmid for one in sets if one.findtext("LinkName") == name for pmid in texts(one.iterfind("Link/Id"))]


def read_matches(path: Path) -> dict[str, str]:
    """Parse the lines of ecitmatch: what stands behind each key."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    parted = [[part.strip() for part in line.rsplit("|", 2)] for line in lines if line.count("|") > 1]
    return {key: found for _, key, found in parted}


_NO_SUCH_IDS = re.compile(r"id list is empty|no correct ids", re.IGNORECASE)
"""Errors for a batch in which no ID is known."""
_FULL_TEXT_ROOTS = frozenset(["pmc-articleset", "article"])


def read_articles(path: Path) -> list[Item]:
    """Return all PubMed records of a response, or raise a Fault."""
    return _all(path, MEDLINE_ROOTS, read_medline)


def read_full_texts(path: Path) -> list[Item]:
    """Return all PMC articles of a response, or raise a Fault."""
    return _all(path, _FULL_TEXT_ROOTS, read_jats)


def _all(path: Path, roots: frozenset[str], read: Callable[[Path], Iterator[Item]]) -> list[Item]:
    try:
        if root_name(path) not in roots:
            read_tree(path, "eFetchResult", tolerated=_NO_SUCH_IDS)
            return []
        # A bad record is named by its position in the response, not by the temporary file.
        return [
            BadDocument(item.reason, file="efetch", position=item.position) if isinstance(item, BadDocument) else item
            for item in read(path)
        ]
    except BadDocument as error:
        raise _damaged(error.reason) from None
