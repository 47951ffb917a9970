"""EndNote's XML export (`<xml><records><record>`): styled text, authors in full, abstract."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from medground.corpus.readers.base import Input, Item
from medground.corpus.readers.entry import described
from medground.corpus.readers.files import file_input
from medground.corpus.readers.values import pmid_of_accession
from medground.corpus.readers.xml import Element, flat_text, record_items
from medground.document import Document
from medground.errors import BadDocument

ENDNOTE_ROOTS = frozenset(["xml", "records"])

_BOOKS = ("Book", "Book Section", "Edited Book", "Encyclopedia", "Electronic Book")
_TOLD = {"volume": "volume", "number": "issue", "pages": "pages", "isbn": "issn", "publisher": "publisher"}
_TOLD |= {"notes": "notes", "label": "label", "remote-database-name": "database", "custom1": "custom1"}


def open_endnote(path: Path) -> Input:
    """One file of EndNote XML, plain or gzip."""
    return file_input(path, "endnote", _read)


def _read(path: Path) -> Iterator[Item]:
    """The records; the position of a bad one is its number, counting from 1."""
    found = False
    for item in record_items(path, ["record"], ENDNOTE_ROOTS, _items, "record"):
        found = True
        yield item
    if not found:
        raise BadDocument("no <record> is in the file; export it from EndNote as XML", file=str(path))


def _items(record: Element) -> Iterator[Document]:
    kind = record.find("ref-type")
    kind_name = kind.get("name", "") if kind is not None else ""
    accession = _text(record, "accession-num")
    fields: dict[str, Any] = {
        "title": _text(record, "titles/title"),
        "abstract": _text(record, "abstract"),
        "authors": [flat_text(author) for author in record.iterfind("contributors/authors/author")],
        "year": _text(record, "dates/year"),
        "date": f"{_text(record, 'dates/pub-dates/date')} {_text(record, 'dates/year')}".strip(),
        "journal": _text(record, "periodical/full-title")
        or _text(record, "titles/secondary-title")
        or _text(record, "periodical/abbr-1"),
        "doi": _text(record, "electronic-resource-num"),
        "pmid": pmid_of_accession(accession),
        "pmc": _text(record, "custom2") if _text(record, "custom2").upper().startswith("PMC") else None,
        "url": _text(record, "urls/related-urls/url"),
        "language": _text(record, "language"),
        "keywords": [flat_text(word) for word in record.iterfind("keywords/keyword")],
        "publication_types": [kind_name] * (kind_name == "Journal Article") + [_text(record, "work-type")],
        "kind": "book" if kind_name in _BOOKS else "web" if kind_name == "Web Page" else "research",
    }
    told = {name: value for tag, name in _TOLD.items() if (value := _text(record, tag))}
    yield described(fields | {"metadata": told | ({"entry_type": kind_name} if kind_name else {})})


def _text(record: Element, path: str) -> str:
    return flat_text(record.find(path))
