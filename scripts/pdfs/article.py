"""A JATS article as what a journal would print, and the plain text that a reader of the print should find.

The plain text is that of the package's own JATS reader: superscripts that cite are left out, exponents get their sign.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from medground.corpus.readers.xml import Element, flat_text, name_of, records

Face = Literal["", "bold", "italic", "raised", "lowered"]
_FACES: dict[str, Face] = {"sup": "raised", "sub": "lowered", "italic": "italic", "bold": "bold"}
_BLOCKS = frozenset(
    ["list", "def-list", "fig", "fig-group", "table-wrap", "table-wrap-group", "boxed-text", "disp-quote"]
)
_PRINTED_NOT = frozenset(["tex-math", "annotation", "object-id", "graphic", "media", "inline-graphic", "label"])


@dataclass(frozen=True)
class Span:
    """Text in one face; `plain` is what a reader should find of it."""

    text: str
    face: Face = ""
    plain: str | None = None


@dataclass(frozen=True)
class Piece:
    """What is printed as one block, in order.

    Attributes:
        kind: heading, paragraph, item of a list, figure, table.
        spans: its text, or the legend of a figure or table.
        plain: the text that should be found.
        level: of a heading, from 1.
        cells: of a table, rows of cells.
        section: the headings over it, `Methods > Patients`.
    """

    kind: Literal["heading", "paragraph", "item", "figure", "table"]
    spans: tuple[Span, ...]
    plain: str
    level: int = 0
    cells: tuple[tuple[str, ...], ...] = ()
    section: str = ""


@dataclass
class Article:
    """What is printed of an article."""

    name: str
    title: str
    authors: tuple[str, ...]
    affiliation: str
    journal: str
    year: int
    doi: str
    pmid: str
    abstract: list[Piece] = field(default_factory=list)
    body: list[Piece] = field(default_factory=list)
    back: list[Piece] = field(default_factory=list)
    """What follows the text: thanks, funding, conflicts of interest."""
    references: list[str] = field(default_factory=list)


def read_article(path: Path) -> Article | None:
    """The article of a JATS file; None if it lacks a title, a year, an abstract or a body."""
    article = next(records(path, ["article"], ["article", "pmc-articleset"]), None)
    if article is None:
        return None
    for element in article.iter("{*}*"):
        element.tag = name_of(element)
    meta = article.find("front/article-meta")
    body, abstract = article.find("body"), None if meta is None else meta.find("abstract")
    if meta is None or body is None or abstract is None:
        return None
    title = flat_text(meta.find("title-group/article-title"), leave_out=("xref", "fn"))
    years = [int(y) for part in meta.iterfind("pub-date/year") if re.fullmatch(r"[12]\d{3}", y := flat_text(part))]
    ids = {part.get("pub-id-type"): flat_text(part) for part in meta.iterfind("article-id")}
    if not title or not years:
        return None
    found = Article(
        name=path.name.partition(".")[0],
        title=title,
        authors=tuple(_authors(meta)),
        affiliation=flat_text(meta.find(".//aff"), leave_out=("label", "sup"))[:200],
        journal=flat_text(article.find("front/journal-meta//journal-title")),
        year=min(years),
        doi=ids.get("doi", ""),
        pmid=ids.get("pmid", ""),
    )
    found.abstract = list(_pieces(abstract, 2, ("Abstract",)))
    found.body = list(_pieces(body, 1))
    found.back = list(_back(article))
    found.references = [" ".join(" ".join(ref.itertext()).split()) for ref in article.iterfind("back//ref")]
    return found


def _authors(meta: Element) -> Iterator[str]:
    for author in meta.iterfind("contrib-group/contrib"):
        if author.get("contrib-type", "author") == "author":
            given, family = flat_text(author.find("name/given-names")), flat_text(author.find("name/surname"))
            if family:
                yield f"{given} {family}".strip()


def _back(article: Element) -> Iterator[Piece]:
    for part in article.iterfind("back/*"):
        name = name_of(part)
        if name == "sec":
            yield from _piece(part, 1)
        elif name == "ack":
            heading = flat_text(part.find("title")) or "Acknowledgements"
            yield Piece("heading", (Span(heading),), heading, 1)
            yield from _pieces(part, 1, (heading,))


def _pieces(parent: Element, level: int, path: tuple[str, ...] = ()) -> Iterator[Piece]:
    for element in parent:
        yield from _piece(element, level, path)


def _piece(element: Element, level: int, path: tuple[str, ...] = ()) -> Iterator[Piece]:
    name = name_of(element)
    if name == "sec":
        if heading := flat_text(element.find("title")):
            yield Piece("heading", (Span(heading),), heading, level)
            path = (*path, heading.rstrip(".: "))
        for child in element:
            yield from _piece(child, level + 1, path) if name_of(child) != "title" else ()
    elif name == "p":
        yield from _text("paragraph", element, path)
        yield from (piece for block in element if name_of(block) in _BLOCKS for piece in _piece(block, level, path))
    elif name == "list-item":
        for paragraph in element.iterfind("p"):
            yield from _text("item", paragraph, path)
    elif name in ("fig", "table-wrap"):
        yield from _float(element, "figure" if name == "fig" else "table")
    elif name in ("list", "fig-group", "table-wrap-group", "disp-quote", "boxed-text"):
        yield from _pieces(element, level, path)


def _text(kind: Literal["paragraph", "item"], element: Element, path: tuple[str, ...]) -> Iterator[Piece]:
    spans = _spans(element)
    if plain := plain_of(spans):
        yield Piece(kind, spans, plain, section=" > ".join(path))


def _float(element: Element, kind: Literal["figure", "table"]) -> Iterator[Piece]:
    label = flat_text(element.find("label")).rstrip(".")
    spans: list[Span] = [Span(f"{label}. ", "bold")] if label else []
    for part in element.iterfind("caption/*"):
        spans += [*_spans(part), Span(" ")]
    rows = [tuple(flat_text(c) for c in row if name_of(c) in ("td", "th")) for row in element.iter("tr")]
    if label and (plain := plain_of(spans)):
        yield Piece(kind, tuple(spans), plain, cells=tuple(row for row in rows if any(row))[:30])


def _spans(element: Element) -> tuple[Span, ...]:
    found: list[Span] = []
    _collect(element, "", found, leave_out=_BLOCKS)
    return tuple(_tidied(found))


def _collect(element: Element, face: Face, found: list[Span], leave_out: frozenset[str] = frozenset()) -> None:
    if element.text:
        found.append(Span(element.text, face))
    for child in element:
        name = name_of(child)
        if name and name not in _PRINTED_NOT and name not in leave_out:
            if name == "sup":
                found.append(_raised(child, "".join(s.text for s in found[-2:])))
            else:
                _collect(child, _FACES.get(name, face), found)
        if child.tail:
            found.append(Span(child.tail, face))


def _raised(element: Element, before: str) -> Span:
    text = "".join(element.itertext())
    if any(name_of(child) == "xref" and child.get("ref-type") == "bibr" for child in element):
        return Span(text, "raised", "")
    if before[-1:].isdigit() and re.match(r"\s*[-+\u2212\u2013]?\d", text):
        return Span(text, "raised", f"^{text}")
    return Span(text, "raised")


def _tidied(spans: list[Span]) -> Iterator[Span]:
    """The spans with white space collapsed, across their borders too."""
    space = True
    for span in spans:
        text = re.sub(r"\s+", " ", span.text)
        text = text[1:] if space and text.startswith(" ") else text
        if text:
            space = text.endswith(" ")
            yield Span(text, span.face, None if span.plain is None else re.sub(r"\s+", " ", span.plain))


def plain_of(spans: list[Span] | tuple[Span, ...]) -> str:
    """The plain text of spans."""
    return " ".join("".join(s.text if s.plain is None else s.plain for s in spans).split())
