"""JATS and NLM full text: one article per file, or an article set of PMC.

The text is the abstract and the body: paragraphs, lists, and captions of figures and tables, each in the section named
by the headings above it (`Methods > Patients`). The reference list, table cells and TeX formulas are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import shorten

from medground.corpus.readers.base import Item, Retracts
from medground.corpus.readers.cautions import is_stamp
from medground.corpus.readers.compose import Composition, make_document
from medground.corpus.readers.xml import Element, flat_text, name_of, record_items
from medground.values.identifiers import normal_identifiers


def authors_of(meta: Element) -> tuple[str, ...]:
    """`Family Initials`, as in MEDLINE, or the name of a group."""
    names = []
    for author in meta.iterfind("contrib-group/contrib"):
        if author.get("contrib-type", "author") == "author":
            family, given = flat_text(author.find("name/surname")), flat_text(author.find("name/given-names"))
            names.append(
                f"{family} {_initials(given)}".strip() or flat_text(author.find("collab"), leave_out=("contrib-group",))
            )
    return tuple(name for name in names if name)


def license_of(meta: Element) -> str | None:
    """The URL of the licence, or else its first words."""
    for found in meta.iterfind(".//license"):
        links = [found.get(_HREF), flat_text(found.find("license_ref"))]
        links += [link.get(_HREF) for link in found.iterfind(".//ext-link") if "licen" in (link.get(_HREF) or "")]
        return next(filter(None, links), None) or shorten(flat_text(found), 200) or None
    return None


def _initials(given: str) -> str:
    """`John A.` as `JA`; initials stay as they are."""
    parts = re.findall(r"[^\W\d_]+", given)
    return "".join(part if part.isupper() and len(part) < 4 else part[0].upper() for part in parts)


# The text of a JATS article: its headings, paragraphs, lists and captions, in order.

# Blocks that may occur inside a paragraph, and are read after it.
_BLOCKS = frozenset(
    ["list", "def-list", "fig", "fig-group", "table-wrap", "table-wrap-group", "boxed-text", "disp-quote"]
)
_LEFT_OUT = frozenset(
    [
        "ref-list",
        "title",
        "label",
        "sec-meta",
        "table",
        "table-wrap-foot",
        "kwd-group",
        "supplementary-material",
        "book-part",
    ]
)
_NO_ABSTRACT = frozenset(["graphical", "toc", "teaser"])


def add_abstract(composition: Composition, abstract: Element) -> None:
    """Add an abstract. Sections keep their labels; other text gets the abstract's title, or `Abstract`."""
    kind = abstract.get("abstract-type") or ""
    if kind not in _NO_ABSTRACT:
        heading = flat_text(abstract.find("title")) or kind.replace("-", " ").capitalize() or "Abstract"
        _add_content(composition, abstract, (heading,))


def add_body(composition: Composition, article: Element) -> None:
    """Add the body, and figures and tables that are placed outside it."""
    for name in ("body", "floats-group"):
        part = article.find(name)
        if part is not None:
            _add_content(composition, part, ())


def _add_content(composition: Composition, parent: Element, path: tuple[str, ...]) -> None:
    for element in parent:
        _add_block(composition, element, path)


def _add_block(composition: Composition, element: Element, path: tuple[str, ...]) -> None:
    name = name_of(element)
    if name == "sec":
        heading = flat_text(element.find("title"))
        _add_content(composition, element, (*path, heading) if heading else path)
    elif name == "p":
        composition.add(flat_text(element, leave_out=_BLOCKS), _label(path))
        for block in element:
            if name_of(block) in _BLOCKS:
                _add_block(composition, block, path)
    elif name in ("list-item", "def-item"):
        _add_item(composition, element, path)
    elif name in ("fig", "table-wrap"):
        _add_caption(composition, element, path)
    elif name == "disp-formula":
        composition.add(flat_text(element, leave_out=("label",)), _label(path))
    elif name and name not in _LEFT_OUT:
        _add_content(composition, element, path)


def _add_item(composition: Composition, item: Element, path: tuple[str, ...]) -> None:
    """A list item is one paragraph, `- text`; a definition is `term: text`."""
    term = flat_text(item.find("term"))
    parts = [flat_text(part, leave_out=_BLOCKS) for part in item if name_of(part) in ("p", "def")]
    text = " ".join(filter(None, parts))
    composition.add(f"{term}: {text}" if term else f"- {text}" if text else "", _label(path))
    for nested in (*item.iterfind("p/list"), *item.iterfind("list")):
        _add_content(composition, nested, path)


def _add_caption(composition: Composition, float_: Element, path: tuple[str, ...]) -> None:
    label = flat_text(float_.find("label"))
    caption = [flat_text(part, leave_out=_BLOCKS) for part in float_.iterfind("caption/*")]
    composition.add(" ".join(filter(None, (label and f"{label.rstrip('.')}.", *caption))), _label(path))


def _label(path: tuple[str, ...]) -> str | None:
    return " > ".join(path) or None


JATS_ROOTS = frozenset(["article", "pmc-articleset", "articles", "article-set"])

_HREF = "{http://www.w3.org/1999/xlink}href"
_RETRACTED_TITLE = re.compile(r"\W*retracted(?: article)?\s*:", re.I)


def read_jats(path: Path) -> Iterator[Item]:
    """The articles of a file; the position of a bad one is its number, counting from 1.

    Raises:
        BadDocument: the file is damaged, is not well-formed XML of this kind, or declares entities.
    """
    yield from record_items(path, ["article"], JATS_ROOTS, _items, "article")


def _items(article: Element) -> Iterator[Item]:
    meta = article.find("front/article-meta")
    if meta is None:
        raise ValueError("the article has no front matter")
    identifiers = _identifiers(meta)
    title = flat_text(meta.find("title-group/article-title"), leave_out=("xref", "fn"))
    composition = Composition()
    for abstract in meta.iterfind("abstract"):
        add_abstract(composition, abstract)
    add_body(composition, article)
    years = [flat_text(date) for date in meta.iterfind("pub-date/year")]
    cited = (flat_text(part) for part in article.iterfind("back//ref//pub-id[@pub-id-type='pmid']"))
    kind = article.get("article-type")
    retracts = _retracts(meta) if kind == "retraction" else ()
    yield make_document(
        {
            "id": _id(identifiers),
            "title": title,
            "text": composition.text or title,
            "sections": composition.sections,
            "year": min((int(year) for year in years if re.fullmatch(r"[12]\d{3}", year)), default=None),
            "journal": flat_text(article.find("front/journal-meta//journal-title")) or None,
            "authors": authors_of(meta),
            "imprint": _imprint(meta),
            "language": article.get("{http://www.w3.org/XML/1998/namespace}lang"),
            "keywords": tuple(filter(None, (flat_text(word) for word in meta.iterfind("kwd-group/kwd")))),
            "publication_types": (kind,) if kind else (),
            "identifiers": identifiers,
            "references": tuple(dict.fromkeys(f"PMID:{pmid}" for pmid in cited if pmid.isdecimal())),
            "url": _url(identifiers),
            "license": license_of(meta),
            "retraction": _retraction(kind, title, meta),
        }
    )
    if retracts:
        yield Retracts(retracts)


def _identifiers(meta: Element) -> dict[str, str]:
    found = normal_identifiers({part.get("pub-id-type", ""): flat_text(part) for part in meta.iterfind("article-id")})
    pmc = found.get("pmc") or found.get("pmcid") or found.get("pmcaid") or ""
    ids = {
        "pmid": found.get("pmid", ""),
        "pmc": pmc and f"PMC{pmc.upper().removeprefix('PMC')}",
        "doi": found.get("doi", ""),
    }
    return {kind: value for kind, value in ids.items() if value}


def _id(identifiers: dict[str, str]) -> str:
    for kind in ("pmc", "pmid", "doi"):
        if kind in identifiers:
            return f"{kind.upper()}:{identifiers[kind]}"
    raise ValueError("the article has no PMC id, PMID or DOI")


def _url(identifiers: dict[str, str]) -> str | None:
    if "pmc" in identifiers:
        return f"https://pmc.ncbi.nlm.nih.gov/articles/{identifiers['pmc']}/"
    return f"https://doi.org/{identifiers['doi']}" if "doi" in identifiers else None


def _imprint(meta: Element) -> dict[str, str]:
    """Volume, issue, and pages or else the number of an electronic article."""
    ends = dict.fromkeys(filter(None, (flat_text(meta.find(name)) for name in ("fpage", "lpage"))))
    pages = "-".join(ends) or flat_text(meta.find("elocation-id"))
    found = (("volume", flat_text(meta.find("volume"))), ("issue", flat_text(meta.find("issue"))), ("pages", pages))
    return {name: value for name, value in found if value}


def _related(meta: Element, kind: str) -> list[Element]:
    return [part for part in meta.iterfind("related-article") if part.get("related-article-type") == kind]


def _retracts(meta: Element) -> tuple[str, ...]:
    pmids = [
        part.get(_HREF) or "" for part in _related(meta, "retracted-article") if part.get("ext-link-type") == "pubmed"
    ]
    return tuple(f"PMID:{pmid}" for pmid in pmids if pmid.isdecimal())


def _retraction(kind: str | None, title: str, meta: Element) -> str:
    subjects = (flat_text(part) for part in meta.iterfind("article-categories//subject"))
    if any(is_stamp(subject) for subject in subjects):
        return "retracted"
    if _related(meta, "retraction-forward") or kind == "retracted-article" or _RETRACTED_TITLE.match(title):
        return "retracted"
    return "notice" if kind == "retraction" else "none"
