"""What reference managers export as XML: EndNote's records and Zotero's RDF."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from medground.corpus.readers.base import Item
from medground.corpus.readers.entry import described
from medground.corpus.readers.values import own_pmid, pmid_of_accession
from medground.corpus.readers.xml import Element, flat_text, name_of, record_items, records
from medground.errors import BadDocument
from medground.values.document import Document

# EndNote's XML export (`<xml><records><record>`): styled text, authors in full, abstract.

ENDNOTE_ROOTS = frozenset(["xml", "records"])

_BOOKS = ("Book", "Book Section", "Edited Book", "Encyclopedia", "Electronic Book")
_TOLD = {"volume": "volume", "number": "issue", "pages": "pages", "isbn": "issn", "publisher": "publisher"}
_TOLD |= {"notes": "notes", "label": "label", "remote-database-name": "database", "custom1": "custom1"}


def read_endnote(path: Path) -> Iterator[Item]:
    """The records of a file of EndNote; the position of a bad one is its number, counting from 1."""
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


# Zotero's RDF export: papers, books and pages with their creators; journals and notes are parts of them.

ZOTERO_ROOTS = frozenset(["RDF"])

_ITEMS = (
    "Article",
    "Book",
    "BookSection",
    "Document",
    "Thesis",
    "Report",
    "Patent",
    "Description",
    "ConferenceProceedings",
)
_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_KINDS = {"book": "book", "bookSection": "book", "encyclopediaArticle": "book", "webpage": "web", "blogPost": "web"}
_BESIDE = frozenset(["attachment", "note", "annotation"])
_PMID = re.compile(r"PMID:?\s*(\d+)", re.IGNORECASE)
_PMC = re.compile(r"PMCID:?\s*(?:PMC)?(\d+)", re.IGNORECASE)


def read_zotero(path: Path) -> Iterator[Item]:
    """The items of a file of Zotero; the position of a bad one is its number. Attachments and notes are left out."""
    journals: dict[str, dict[str, str]] = {}  # those that stand beside the items, by their address
    for element in records(path, ["Journal"], ZOTERO_ROOTS):
        names = {name_of(part): flat_text(part) for part in element}
        names["identifier"] = next((flat_text(part) for part in element if "DOI" in flat_text(part)), "")
        journals[element.get(f"{_RDF}about", "")] = names
    yield from record_items(path, _ITEMS, ZOTERO_ROOTS, partial(_documents, journals=journals), "item")


def _documents(item: Element, journals: dict[str, dict[str, str]]) -> Iterator[Document]:
    """The document of an item; none of an attachment or a note."""
    kind = flat_text(item.find("itemType"))
    if kind in _BESIDE or item.find("itemType") is None:
        return
    extra = " ".join(flat_text(part) for part in item.iterfind("description"))
    own = item.find("isPartOf")
    within = own.find("*") if own is not None and len(own) else None
    place = own.get(f"{_RDF}resource", "") if own is not None else ""
    journal = {name_of(part): flat_text(part) for part in within} if within is not None else journals.get(place, {})
    texts = [flat_text(part) for part in item.iterfind("identifier")]
    doi = next((text for text in [*texts, journal.get("identifier", "")] if "10." in text), None)
    fields: dict[str, Any] = {
        "title": _text(item, "title"),
        "abstract": _text(item, "abstract"),
        "authors": [_person(person) for person in item.iterfind("authors//Person")],
        "date": _text(item, "date"),
        "journal": journal.get("title"),
        "doi": doi,
        "pmid": found[1] if (found := _PMID.search(extra)) else own_pmid(texts),
        "pmc": found[1] if (found := _PMC.search(extra)) else None,
        "url": next((text for text in texts if text.startswith("http")), None) or _text(item, "identifier/URI/value"),
        "language": _text(item, "language"),
        "keywords": [flat_text(subject) for subject in item.iterfind("subject")],
        "publication_types": ["Journal Article"] if kind == "journalArticle" else [],
        "kind": _KINDS.get(kind, "research"),
    }
    told = {"entry_type": kind, "pages": _text(item, "pages"), "extra": extra, "volume": journal.get("volume", "")}
    yield described(fields | {"metadata": {name: value for name, value in told.items() if value}})


def _person(person: Element) -> str:
    family = flat_text(person.find("surname"))
    given = flat_text(person.find("givenName")) or flat_text(person.find("givenname"))
    return f"{family}, {given}".strip(", ")
