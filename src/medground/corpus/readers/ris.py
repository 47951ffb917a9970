"""One record of RIS, by rispy. Each exporter uses the tags in its own way, so several are tried for one field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from medground.corpus.readers.entry import described
from medground.document import Document
from medground.identifiers import named_pmid

_KINDS = {"BOOK": "book", "CHAP": "book", "EBOOK": "book", "ECHAP": "book", "EDBOOK": "book", "ELEC": "web"}
_KINDS |= {"BLOG": "web", "ICOMM": "web", "ENCYC": "book"}
_TYPES = {"JOUR": "Journal Article", "EJOUR": "Journal Article", "NEWS": "News", "CLSWK": "Classical Article"}
_PMID = re.compile(r"(?:^\W*|[;,|]\s*)(?:PMID|PUBMED|PubMed ID)\W*(\d+)", re.IGNORECASE)
"""At the start of a value or of one of its parts: a note such as `Comment on: PMID: 123` names another paper."""
_VALUE = re.compile(r"^([A-Z][A-Z0-9])  ?- ?(.*)$", re.MULTILINE)
_NO_ID = frozenset(["AB", "N2", "TI", "T1", "T2", "T3", "KW", "CR", "AU", "A1", "DB", "DP"])
_PMC = re.compile(r"PMC\d+")
_PMID_OF = {"Scopus": "custom2", "Embase": "custom5"}
_TOLD = {
    "volume": "volume",
    "number": "issue",
    "issn": "issn",
    "publisher": "publisher",
    "label": "label",
    "database_provider": "database",
    "name_of_database": "database",
    "type_of_reference": "entry_type",
    "notes": "notes",
    "start_page": "start_page",
    "end_page": "end_page",
    "place_published": "place",
    "edition": "edition",
    "custom1": "custom1",
    "custom3": "custom3",
    "custom4": "custom4",
    "custom5": "custom5",
    "custom6": "custom6",
    "call_number": "call_number",
    "research_notes": "research_notes",
}


def ris_document(record: str) -> Document:
    """The document of a record.

    Raises:
        ValueError: the record cannot be parsed, or has neither title nor abstract.
    """
    import rispy

    try:
        (fields,) = rispy.loads(record if "\nER  -" in record else f"{record.rstrip()}\nER  - \n")
    except (ValueError, OSError, KeyError, IndexError, AttributeError, TypeError) as error:
        raise ValueError(f"not a RIS record ({' '.join(str(error).split())[:80] or type(error).__name__})") from error
    reference = str(fields.get("type_of_reference", "")).upper()
    types = [_TYPES[reference]] if reference in _TYPES else []
    return described(
        {
            "title": _first(fields, "title", "primary_title", "translated_title", "short_title"),
            "abstract": _first(fields, "abstract", "notes_abstract"),
            "authors": [*_all(fields, "authors"), *_all(fields, "first_authors")],
            "year": _first(fields, "year", "publication_year", "date") or _own(fields, "YR"),
            "date": _first(fields, "date", "publication_year", "year"),
            "journal": _first(
                fields, "secondary_title", "alternate_title3", "journal_name", "alternate_title1", "alternate_title2"
            )
            or _own(fields, "SO"),
            "doi": _first(fields, "doi") or next((url for url in _all(fields, "urls") if "doi.org/10." in url), None),
            "pmid": _pmid(record, fields),
            "pmc": next(iter(_PMC.findall(" ".join([*_all(fields, "custom2"), *_all(fields, "urls")]))), None),
            "url": next(iter(_all(fields, "urls")), None),
            "language": _first(fields, "language"),
            "keywords": _all(fields, "keywords") or (_own(fields, "KY") or "").split(";"),
            "publication_types": [*types, *_all(fields, "type_of_work")],
            "kind": _KINDS.get(reference, "research"),
            "metadata": {name: fields[key] for key, name in _TOLD.items() if fields.get(key)}
            | {f"ris_{tag.casefold()}": values for tag, values in fields.get("unknown_tag", {}).items() if tag},
        }
    )


def _pmid(record: str, fields: Mapping[str, Any]) -> str | None:
    """From the accession number where PubMed gave the record, where Scopus and Embase keep it, a note or an address."""
    databases = " ".join(str(fields.get(name, "")) for name in ("name_of_database", "database_provider", "custom8"))
    from_nlm = re.search(r"medline|pubmed|nlm|national library of medicine", databases, re.IGNORECASE)
    places = [str(fields.get("accession_number", ""))] if from_nlm or not databases.strip() else []
    places += [str(fields.get("id", ""))] if from_nlm else []
    places += [str(fields.get(name, "")) for database, name in _PMID_OF.items() if database in databases]
    for number in (part.strip() for place in places for part in place.split(";")):
        if number.isdecimal() and len(number) <= 8:
            return number
    values = [value for tag, value in _VALUE.findall(record) if tag not in _NO_ID]
    named = (found[1] if (found := _PMID.search(value)) else named_pmid(value) for value in values)
    return next(filter(None, named), None)


def _first(fields: Mapping[str, Any], *names: str) -> str | None:
    for name in names:
        for value in _all(fields, name):
            if value.strip(" /"):
                return value.strip(" /") if name in ("date", "publication_year", "year") else value
    return None


def _own(fields: Mapping[str, Any], tag: str) -> str | None:
    """The value of a tag that RIS does not have."""
    return next(iter(fields.get("unknown_tag", {}).get(tag, ())), None)


def _all(fields: Mapping[str, Any], name: str) -> list[str]:
    value = fields.get(name) or []
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]
