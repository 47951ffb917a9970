"""Full text in NLM's XML: articles in JATS, and books of NCBI's Bookshelf in BITS."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten

from medground.corpus.readers.base import Item, Retracts, numbered
from medground.corpus.readers.compose import Composition, make_document
from medground.corpus.readers.entry import id_of_content, named
from medground.corpus.readers.values import imprint_of
from medground.corpus.readers.xml import Element, flat_text, name_of, record_items, records
from medground.corpus.retraction import is_stamp, said_by
from medground.errors import BadDocument
from medground.values.document import Document
from medground.values.identifiers import normal_identifiers

# JATS and NLM full text: one article per file, or an article set of PMC.


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


# Blocks that may occur inside a paragraph, and are read after it.
_BLOCKS = frozenset(
    ["list", "def-list", "fig", "fig-group", "table-wrap", "table-wrap-group", "boxed-text", "disp-quote"]
)
_LEFT_OUT = {"ref-list", "title", "label", "sec-meta", "table", "table-wrap-foot", "kwd-group", "book-part"}
_LEFT_OUT |= {"supplementary-material"}
_NO_ABSTRACT = frozenset(["graphical", "toc", "teaser"])
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def add_abstract(composition: Composition, abstract: Element) -> None:
    """Add an abstract. Sections keep their labels; other text gets the abstract's title, or `Abstract`."""
    kind = abstract.get("abstract-type") or ""
    if kind not in _NO_ABSTRACT:
        heading = flat_text(abstract.find("title")) or kind.replace("-", " ").capitalize() or "Abstract"
        _add_content(composition, abstract, heading)


def add_body(composition: Composition, article: Element) -> None:
    """Add the body, and figures and tables that are placed outside it."""
    for name in ("body", "floats-group"):
        part = article.find(name)
        if part is not None:
            _add_content(composition, part, None)


def _add_content(composition: Composition, parent: Element, label: str | None) -> None:
    for element in parent:
        _add_block(composition, element, label)


def _add_block(composition: Composition, element: Element, label: str | None) -> None:
    name = name_of(element)
    if name == "sec":
        heading = flat_text(element.find("title"))
        _add_content(composition, element, " > ".join(filter(None, (label, heading))) or None)
    elif name == "p":
        composition.add(flat_text(element, leave_out=_BLOCKS), label)
        for block in element:
            if name_of(block) in _BLOCKS:
                _add_block(composition, block, label)
    elif name in ("list-item", "def-item"):  # one paragraph, `- text`; a definition is `term: text`
        term = flat_text(element.find("term"))
        parts = [flat_text(part, leave_out=_BLOCKS) for part in element if name_of(part) in ("p", "def")]
        text = " ".join(filter(None, parts))
        composition.add(f"{term}: {text}" if term else f"- {text}" if text else "", label)
        for nested in (*element.iterfind("p/list"), *element.iterfind("list")):
            _add_content(composition, nested, label)
    elif name in ("fig", "table-wrap"):
        number = flat_text(element.find("label"))
        caption = [flat_text(part, leave_out=_BLOCKS) for part in element.iterfind("caption/*")]
        composition.add(" ".join(filter(None, (number and f"{number.rstrip('.')}.", *caption))), label)
    elif name == "disp-formula":
        composition.add(flat_text(element, leave_out=("label",)), label)
    elif name and name not in _LEFT_OUT:
        _add_content(composition, element, label)


JATS_ROOTS = frozenset(["article", "pmc-articleset", "articles", "article-set"])

_HREF = "{http://www.w3.org/1999/xlink}href"


def read_jats(path: Path) -> Iterator[Item]:
    """The articles of a file; the position of a bad one is its number, counting from 1."""
    yield from record_items(path, ["article"], JATS_ROOTS, _items, "article")


def _items(article: Element) -> Iterator[Item]:
    meta = article.find("front/article-meta")
    if meta is None:
        raise ValueError("the article has no front matter")
    found = normal_identifiers({part.get("pub-id-type", ""): flat_text(part) for part in meta.iterfind("article-id")})
    pmc = found.get("pmc") or found.get("pmcid") or found.get("pmcaid") or ""
    ids = {"pmc": pmc and f"PMC{pmc.upper().removeprefix('PMC')}", "pmid": found.get("pmid"), "doi": found.get("doi")}
    identifiers = {kind: value for kind, value in ids.items() if value}
    if not identifiers:
        raise ValueError("the article has no PMC id, PMID or DOI")
    url = f"https://doi.org/{ids['doi']}" if ids["doi"] else None
    title = flat_text(meta.find("title-group/article-title"), leave_out=("xref", "fn"))
    composition = Composition()
    for abstract in meta.iterfind("abstract"):
        add_abstract(composition, abstract)
    add_body(composition, article)
    years = [flat_text(date) for date in meta.iterfind("pub-date/year")]
    cited = (flat_text(part) for part in article.iterfind("back//ref//pub-id[@pub-id-type='pmid']"))
    kind = article.get("article-type")
    links = _related(meta, "retracted-article") if kind == "retraction" else ()
    pmids = [link.get(_HREF) or "" for link in links if link.get("ext-link-type") == "pubmed"]
    retracts = tuple(f"PMID:{pmid}" for pmid in pmids if pmid.isdecimal())
    yield make_document(
        {
            "id": ":".join(next((kind.upper(), value) for kind, value in identifiers.items())),
            "title": title,
            "text": composition.text or title,
            "sections": composition.sections,
            "year": min((int(year) for year in years if re.fullmatch(r"[12]\d{3}", year)), default=None),
            "journal": flat_text(article.find("front/journal-meta//journal-title")) or None,
            "authors": authors_of(meta),
            "imprint": _imprint(meta),
            "language": article.get(_LANGUAGE),
            "keywords": tuple(filter(None, (flat_text(word) for word in meta.iterfind("kwd-group/kwd")))),
            "publication_types": (kind,) if kind else (),
            "identifiers": identifiers,
            "references": tuple(dict.fromkeys(f"PMID:{pmid}" for pmid in cited if pmid.isdecimal())),
            "url": f"https://pmc.ncbi.nlm.nih.gov/articles/{ids['pmc']}/" if ids["pmc"] else url,
            "license": license_of(meta),
            "retraction": _retraction(kind, title, meta),
        }
    )
    if retracts:
        yield Retracts(retracts)


def _imprint(meta: Element) -> dict[str, str]:
    ends = dict.fromkeys(filter(None, (flat_text(meta.find(name)) for name in ("fpage", "lpage"))))
    pages = "-".join(ends) or flat_text(meta.find("elocation-id"))
    return imprint_of(flat_text(meta.find("volume")), flat_text(meta.find("issue")), pages)


def _related(meta: Element, kind: str) -> list[Element]:
    return [part for part in meta.iterfind("related-article") if part.get("related-article-type") == kind]


def _retraction(kind: str | None, title: str, meta: Element) -> str:
    subjects = (flat_text(part) for part in meta.iterfind("article-categories//subject"))
    if any(is_stamp(subject) for subject in subjects) or said_by(title) == "retracted":
        return "retracted"
    if _related(meta, "retraction-forward") or kind == "retracted-article":
        return "retracted"
    return "notice" if kind == "retraction" else "none"


# NCBI Bookshelf's full text, such as StatPearls: books in BITS XML, one document for each part with a text of its
# own.

BOOKSHELF_ROOTS = frozenset(["book-part-wrapper", "book-part", "book"])

_PART = "book-part"
_NBK = re.compile(r"NBK\d+")
_YEAR = re.compile(r"[12]\d{3}")
_QUESTIONS = frozenset(["review questions", "references"])


@dataclass(frozen=True)
class _Book:
    """What all parts of a file share."""

    name: str = ""
    title: str = ""
    year: int | None = None
    license: str | None = None
    language: str | None = None
    ids: tuple[str, ...] = ()


def read_bookshelf(path: Path) -> Iterator[Item]:
    """The parts of a file in order; the position of a bad one is its number, counting from 1."""
    yield from numbered(_parts(path), lambda found: filter(None, [_document(*found)]), path, "part")


def _parts(path: Path) -> Iterator[tuple[Element, _Book]]:
    book: _Book | None = None
    part = None
    for outer in records(path, [_PART], BOOKSHELF_ROOTS):
        if book is None:  # it stands before the first part
            book = _book_of(outer.getroottree().getroot())
        for element in outer.iter("{*}*"):
            element.tag = name_of(element)
        for part in [*outer.iter(_PART)]:
            yield part, book
    if part is None:
        raise BadDocument("the book has no part with a text (<book-part>)", file=str(path))


def _book_of(root: Element) -> _Book:
    meta = root.find("{*}book-meta")
    if meta is None:
        return _Book(language=root.get(_LANGUAGE))
    for element in meta.iter("{*}*"):
        element.tag = name_of(element)
    ids = [flat_text(one) for one in meta.iterfind("book-id")]
    return _Book(
        name=next((one for one in ids if one and not _NBK.fullmatch(one)), ""),
        title=flat_text(meta.find("book-title-group/book-title")),
        year=_latest(meta),
        license=license_of(meta),
        language=root.get(_LANGUAGE),
        ids=(root.get("id") or "", *ids),
    )


def _document(part: Element, book: _Book) -> Document | None:
    """The document of a part; None if all of its text is in parts of its own."""
    own = (found for name in ("book-part-meta", "front") if (found := part.find(name)) is not None)
    meta = next(own, part.makeelement("front"))
    composition = Composition()
    for abstract in meta.iterfind("abstract"):
        add_abstract(composition, abstract)
    for section in [*part.iterfind("body/sec")]:
        if flat_text(section.find("title")).strip(" .:").lower() in _QUESTIONS:
            section.clear()
    add_body(composition, part)
    if not composition.text:
        if part.find(f"body/{_PART}") is not None:
            return None
        raise ValueError("it has no text")
    title = flat_text(meta.find("title-group/title"), leave_out=("xref", "fn"))
    if title and (subtitle := flat_text(meta.find("title-group/subtitle"))):
        title = f"{title}: {subtitle}"
    if not title and not book.title:
        raise ValueError("it has no title")
    identifiers = _part_identifiers(part, meta)
    keywords = (flat_text(one) for one in meta.iterfind("kwd-group/kwd"))
    return make_document(
        {
            "id": _part_id(identifiers, book, title, composition.text),
            "title": title or book.title,
            "text": composition.text,
            "sections": composition.sections,
            "kind": "book",
            "year": _latest(meta) or book.year,
            "journal": book.title or None,
            "authors": authors_of(meta),
            "language": part.get(_LANGUAGE) or book.language,
            "keywords": tuple(dict.fromkeys(filter(None, keywords))),
            "identifiers": {name: identifiers[name] for name in ("pmid", "doi", "nbk") if name in identifiers},
            "url": f"https://www.ncbi.nlm.nih.gov/books/{identifiers['nbk']}/" if "nbk" in identifiers else None,
            "license": license_of(meta) or book.license,
        }
    )


def _part_identifiers(part: Element, meta: Element) -> dict[str, str]:
    """The ids of a part by their type: `nbk`, `pmid`, `doi`, and `name`, which is the name of its file."""
    named_ids = [*meta.iterfind("book-part-id"), *meta.iterfind("article-id")]
    given = {one.get("book-part-id-type") or one.get("pub-id-type") or "": flat_text(one) for one in named_ids}
    found = {kind: given[kind] for kind in ("pmid", "doi") if given.get(kind)}
    if nbk := next((value for value in given.values() if _NBK.fullmatch(value)), ""):
        found["nbk"] = nbk
    found["name"] = given.get("pmcid") or given.get("publisher-id") or part.get("id") or ""
    return found


def _part_id(identifiers: Mapping[str, str], book: _Book, title: str, text: str) -> str:
    """`NBK:NBK430685`, or else `BOOKSHELF:statpearls/article-18170`, or a digest where the file names nothing."""
    if "nbk" in identifiers:
        return named("NBK", identifiers["nbk"])
    if identifiers["name"]:
        whole = next((one for one in (book.name, *book.ids, book.title) if one), "")
        return named("BOOKSHELF", f"{whole}/{identifiers['name']}" if whole else identifiers["name"])
    return id_of_content(book.title, title or text)


def _latest(meta: Element) -> int | None:
    """The year of the last revision, or else of publication: books are revised in place."""
    history = [flat_text(one.find("year")) for one in meta.iterfind("pub-history/date")]
    published = [flat_text(one) for one in meta.iterfind("pub-date/year")]
    for years in (history, published):
        if found := [int(year) for year in years if _YEAR.fullmatch(year)]:
            return max(found)
    return None
