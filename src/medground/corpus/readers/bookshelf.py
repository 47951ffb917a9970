"""Full text of NCBI's Bookshelf, such as StatPearls: books in BITS XML, a document for each part with its own text."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from medground.corpus.readers.base import Item, numbered
from medground.corpus.readers.compose import Composition, make_document
from medground.corpus.readers.entry import id_of_content, named
from medground.corpus.readers.jats import LANGUAGE, add_abstract, add_body, authors_of, license_of
from medground.corpus.readers.xml import Element, drop_namespaces, flat_text, records
from medground.errors import BadDocument
from medground.values.document import Document

BOOKSHELF_ROOTS = frozenset(["book-part-wrapper", "book-part", "book"])

_PART = "book-part"
_NBK = re.compile(r"NBK\d+")
_YEAR = re.compile(r"[12]\d{3}")
_QUESTIONS = frozenset(["review questions", "references"])


@dataclass(frozen=True)
class _Book:
    """What all parts of a file share."""

    name: str = ""
    """What the ids of its parts begin with."""
    title: str = ""
    year: int | None = None
    license: str | None = None
    language: str | None = None


def read_bookshelf(path: Path) -> Iterator[Item]:
    """The parts of a file in order; the position of a bad one is its number, counting from 1."""
    yield from numbered(_parts(path), lambda found: filter(None, [_document(*found)]), path, "part")


def _parts(path: Path) -> Iterator[tuple[Element, _Book]]:
    book: _Book | None = None
    part = None
    for outer in records(path, [_PART], BOOKSHELF_ROOTS):
        if book is None:  # it stands before the first part
            book = _book_of(outer.getroottree().getroot())
        drop_namespaces(outer)
        for part in [*outer.iter(_PART)]:
            yield part, book
    if part is None:
        raise BadDocument("the book has no part with a text (<book-part>)", file=path)


def _book_of(root: Element) -> _Book:
    meta = root.find("{*}book-meta")
    if meta is None:
        return _Book(language=root.get(LANGUAGE))
    drop_namespaces(meta)
    title, ids = flat_text(meta, "book-title-group/book-title"), [*map(flat_text, meta.iterfind("book-id"))]
    named_ids = [one for one in ids if not _NBK.fullmatch(one)]
    return _Book(
        name=next(filter(None, (*named_ids, root.get("id"), *ids, title)), ""),
        title=title,
        year=_latest(meta),
        license=license_of(meta),
        language=root.get(LANGUAGE),
    )


def _document(part: Element, book: _Book) -> Document | None:
    """The document of a part; None if all of its text is in parts of its own."""
    own = (found for name in ("book-part-meta", "front") if (found := part.find(name)) is not None)
    meta = next(own, part.makeelement("front"))
    composition = Composition()
    for abstract in meta.iterfind("abstract"):
        add_abstract(composition, abstract)
    for section in [*part.iterfind("body/sec")]:
        if flat_text(section, "title").strip(" .:").lower() in _QUESTIONS:
            section.clear()
    add_body(composition, part)
    if not composition.text:
        if part.find(f"body/{_PART}") is not None:
            return None
        raise ValueError("it has no text")
    title = flat_text(meta, "title-group/title", leave_out=("xref", "fn"))
    if title and (subtitle := flat_text(meta, "title-group/subtitle")):
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
            "language": part.get(LANGUAGE) or book.language,
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
        return named("BOOKSHELF", f"{book.name}/{identifiers['name']}".lstrip("/"))
    return id_of_content(book.title, title or text)


def _latest(meta: Element) -> int | None:
    """The year of the last revision, or else of publication: books are revised in place."""
    history = [flat_text(one, "year") for one in meta.iterfind("pub-history/date")]
    published = [flat_text(one) for one in meta.iterfind("pub-date/year")]
    for years in (history, published):
        if found := [int(year) for year in years if _YEAR.fullmatch(year)]:
            return max(found)
    return None
