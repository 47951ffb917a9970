"""The forms of tagged records: what their tags look like, which of them begin or end a record, and what they mean.

The tags of all forms but PubMed's are renamed to those of RIS, of which the fields of a document are made.
"""

import re
from collections.abc import Mapping
from typing import Any

from medground.corpus.readers.compose import Composition
from medground.corpus.readers.entry import entry_kind, entry_types
from medground.corpus.readers.tagged_fields import (
    Form,
    Get,
    Tags,
    at_semicolons,
    each,
    first,
    in_order,
    issue_date,
    kept,
    longest,
    pmid,
)
from medground.corpus.readers.values import iso_date, own_title
from medground.corpus.retraction import state_of_types
from medground.home.files import tables
from medground.values.document import MeshHeading

# What PubMed's own form says.

_LABEL = re.compile(r"(?:^|(?<=[.?!;)] ))([A-Z][A-Z0-9 ,/&'()-]{2,60}): ")
_NBIB_DATES = {"entered": "EDAT", "created": "CRDT", "revised": "LR", "completed": "DCOM"}


def _nbib_abstract(tags: Tags) -> Composition:
    """One section per label (`METHODS: `), as PubMed prints them."""
    composition = Composition()
    pieces = _LABEL.split(" ".join(tags["AB"]) or first("OAB")(tags) or "")
    composition.add(pieces[0].strip())
    for label, part in zip(pieces[1::2], pieces[2::2], strict=True):
        composition.add(part.strip(), label)
    return composition


def _nbib_parts(tags: Tags) -> dict[str, Any]:
    """The text with its sections, and the dates with the year."""
    composition, title = _nbib_abstract(tags), own_title(first("TI", "BTI")(tags) or "", first("TT")(tags) or "")
    dates = {kind: date for kind, tag in _NBIB_DATES.items() if (date := iso_date(first(tag)(tags) or ""))}
    if published := iso_date(first("DP")(tags) or "") or iso_date(first("DEP")(tags) or ""):
        dates["published"] = published
    year = int(dates.get("published", min(dates.values(), default="0"))[:4]) or None
    parts = {"title": title or None, "text": composition.text or title, "sections": composition.sections}
    return parts | {"dates": dates, "year": year}


def _nbib_heading(value: str) -> MeshHeading:
    """`Aspirin/*therapeutic use/adverse effects`; an asterisk marks a major topic."""
    descriptor, *qualifiers = value.split("/")
    return MeshHeading(
        descriptor=descriptor.lstrip("*"),
        major=descriptor.startswith("*"),
        qualifiers=tuple(name.lstrip("*") for name in qualifiers),
        major_qualifiers=tuple(name[1:] for name in qualifiers if name.startswith("*")),
    )


def _nbib_retraction(tags: Tags) -> str:
    said = state_of_types(tags["PT"])
    if tags["RIN"] or said == "retracted":
        return "retracted"
    if tags["ROF"] or said == "notice":
        return "notice"
    named = tags["EIN"] and any(kind.casefold() == "expression of concern" for kind in tags["PT"])
    return "concern" if tags["ECI"] or named else "none"


_NBIB: Mapping[str, Get] = {
    "": _nbib_parts,
    "authors": lambda tags: in_order("AU" if tags["AU"] or not tags["FAU"] else "FAU", "CN")(tags),
    "journal": first("JT", "TA"),
    "language": first("LA"),
    "mesh": lambda tags: tuple(map(_nbib_heading, tags["MH"])),
    "keywords": lambda tags: list(dict.fromkeys(word.lstrip("*") for word in tags["OT"])),
    "publication_types": each("PT"),
    "pmid": first("PMID"),
    "pmc": first("PMC"),
    "doi": lambda tags: next(
        (v for tag in ("LID", "AID") for v in tags[tag] if v.endswith("[doi]") or v[:3] == "10."), None
    ),
    "retraction": _nbib_retraction,
    "kind": lambda tags: "book" if tags["BTI"] else "research",
    "substances": each("RN"),
    "metadata": kept("VI=volume IP=issue PG=pages IS=issn SI=secondary_source GR=grant"),
}


_type, _book = first("TY"), first("T2", "BT")
_periodical = first("JF", "JO", "T2", "JA", "J2", "J1", "SO", "BT")
_form = at_semicolons("M3")
_named_doi = re.compile(r"(?:doi:? ?|https?://(?:dx\.)?doi\.org/)?10\.\d{4,9}/\S+", re.IGNORECASE).fullmatch
"""As Mendeley writes it where other programs have the type of a publication."""


def _journal(tags: Tags) -> str | None:
    """T2 is the book of a chapter; of an article it may be a subtitle, where another tag names the journal."""
    is_part = (_type(tags) or "").casefold() in ("chap", "echap", "book, section", "book section", "conf")
    found: str | None = (is_part and _book(tags)) or _periodical(tags)
    return found


_ENTRY: Mapping[str, Get] = {
    "title": first("TI", "T1", "CT", "BT", "TT", "ST"),
    "abstract": longest("AB", "N2"),
    "authors": in_order("AU", "A1"),
    "date": issue_date,
    "journal": _journal,
    "doi": lambda tags: first("DO")(tags) or next(filter(_named_doi, tags["M3"]), None),
    "pmid": lambda tags: first("PM")(tags) or pmid(tags),
    "url": first("UR"),
    "language": first("LA"),
    "keywords": at_semicolons("KW"),
    "publication_types": lambda tags: [*entry_types(_type(tags)), *(v for v in _form(tags) if not _named_doi(v))],
    "kind": lambda tags: entry_kind(_type(tags)),
    "metadata": kept(
        "VL=volume IS=issue SP=start_page EP=end_page PG=pages C7=ar SN=issn PB=publisher CY=place LB=label ET=edition "
        "DP=database_provider DB=database N1=notes TY=entry_type AN=accession_number UT=unique_id CC=group A2=editors "
        "C1=custom1 C3=custom3 C4=custom4 C5=custom5 C6=custom6 CN=call_number RN=research_notes T3=series"
    ),
}
_OWN: Mapping[str, Mapping[str, Get]] = {
    "nbib": _NBIB,
    "wos": {
        **_ENTRY,
        "authors": lambda tags: [*each("AF", "AU")(tags), *tags["CA"]],
        "kind": lambda tags: "book" if tags["TY"][:1] == ["B"] else "research",
    },
    "ovid": {**_ENTRY, "journal": lambda tags: first("JF")(tags) or (first("SO")(tags) or "").partition(". ")[0]},
}
"""The fields of the forms that do not have those of RIS."""
_TABLES = tables("corpus/readers", "tagged")


def _made(name: str, *, line: str, names: str = "", read: str = _TABLES["ris"]["read"], **tags: str) -> Form:
    sets = {what: frozenset(said.split()) for what, said in tags.items()}
    return Form(re.compile(line), fields=_OWN.get(name, _ENTRY), names=names, read=frozenset(read.split()), **sets)


FORMS: Mapping[str, Form] = {name: _made(name, **table) for name, table in _TABLES.items()}
