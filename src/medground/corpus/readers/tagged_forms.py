"""The forms of tagged records: what their tags look like, which of them begin or end a record, and what they mean.

The tags of all forms but PubMed's are renamed to those of RIS, of which the fields of a document are made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from medground.corpus.readers.compose import Composition
from medground.corpus.readers.entry import entry_kind, entry_types
from medground.corpus.readers.values import iso_date, own_title, year_in
from medground.corpus.retraction import state_of_types
from medground.home.files import tables
from medground.values.document import MeshHeading


class Tags(dict[str, list[str]]):
    """The values of each tag of a record, none for one that it lacks; `pairs` has them in order."""

    def __init__(self, pairs: Sequence[tuple[str, list[str]]] = (), form: Form | None = None) -> None:
        super().__init__()
        self.pairs: list[tuple[str, str]] = []
        renamed, by_line = (form.renamed, form.by_line) if form else ({}, frozenset())
        for tag, lines in pairs:
            own = renamed.get(tag, tag)
            for value in lines if tag in by_line or len(lines) == 1 else (" ".join(lines),):
                self.pairs.append((own, value))
                self.setdefault(own, []).append(value)

    def __missing__(self, tag: str) -> list[str]:
        return []


Get = Callable[[Tags], Any]


def first(*names: str) -> Get:
    """The first value of these tags that says something."""
    return lambda tags: next((value for name in names for value in tags[name] if value.strip(" /")), None)


def each(*names: str) -> Get:
    """All values of the first of these tags that a record has."""
    return lambda tags: next((tags.get(name, ()) for name in names if tags.get(name, ())), [])


def in_order(*names: str) -> Get:
    """All values of these tags in the order of the record, so that a group stands among the authors where it signed."""
    return lambda tags: [value for tag, value in tags.pairs if tag in names]


def at_semicolons(*names: str) -> Get:
    """All values of these tags, each cut at its semicolons."""
    return lambda tags: [part for name in names for value in tags.get(name, ()) for part in value.split(";")]


def longest(*names: str) -> Get:
    """The longest value of these tags: exporters cut one of two abstracts short."""
    return lambda tags: max((value for name in names for value in tags.get(name, ())), key=len, default=None)


def pairs_of(names: str) -> list[tuple[str, str]]:
    """The pairs of a table such as `VL=volume IS=issue`."""
    return [(tag, name) for tag, _, name in (word.partition("=") for word in names.split())]


def kept(names: str) -> Get:
    """Metadata: what is kept of these tags, `TAG=NAME`."""
    table = pairs_of(names)
    return lambda tags: {name: tags[tag] for tag, name in table if tag in tags}


@dataclass(frozen=True)
class Form:
    """A form of tagged records, a table of `tagged.toml`, where its parts are explained; and the fields of its tags."""

    tag: re.Pattern[str]
    needs: frozenset[str]
    begins: frozenset[str]
    once: frozenset[str]
    """Where one of these comes again after a blank line, another record has begun."""
    fields: Mapping[str, Get]
    """Fields of a document, and under an empty name what gives several of them."""
    read: frozenset[str]
    """What the fields do not tell of other tags is metadata."""
    ends: frozenset[str] = frozenset()
    by_line: frozenset[str] = frozenset()
    preface: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()
    names: str = ""

    @cached_property
    def renamed(self) -> Mapping[str, str]:
        """What each tag is called where `fields` ask for it."""
        return dict(pairs_of(self.names))


_OF_NLM = re.compile(r"(?i)medline|pubmed|nlm|cmedm|national library of medicine")
_UNSURE = ("C2", "C5", "N1")
"""Tags that hold a PMID, or a number of one's own."""


def pmid(tags: Tags) -> str | None:
    """From the accession number where PubMed gave the record, or where Scopus and Embase keep it."""
    databases = " ".join(value for name in ("DB", "DP", "C8") for value in tags[name])
    numbers = tags["AN"]
    if any("SCOPUS:" in number for number in numbers):
        databases += " Scopus"
    from_nlm = _OF_NLM.search(databases)
    places = [*numbers] if from_nlm or not databases.strip() else []
    places += [value for name in ("ID", "U1", "U2") for value in tags[name]] if from_nlm else []
    shown = [] if databases.strip() else [value for name in _UNSURE for value in tags[name]]
    unsure = [value for value in shown if len(value) > 6]  # a shorter number is anything
    places += tags["C5"] if "Embase" in databases else tags["C2"] if "Scopus" in databases else unsure
    parts = (part.strip() for place in places for part in place.split(";"))
    return next((part for part in parts if part.isdecimal() and len(part) <= 8), None)


def issue_date(tags: Tags) -> str | None:
    """DA, the date of the issue, decides where it has a year; else PY, as precise as a Y1 of the same year is."""
    issue, years = next(iter(tags["DA"]), ""), [v for name in ("PY", "Y1", "YR") for v in tags[name]]
    if year_in(issue) or (len(years) < 2 and not issue):
        return issue or next(iter(years), None)
    dated = [value for value in years if year_in(value)]
    if not dated:
        return years[0] if years else None
    dated += [f"{dated[0]} {issue}"] if issue else []
    same = (value for value in dated if year_in(value) == year_in(dated[0]))
    return max(same, key=lambda value: len(iso_date(value) or ""))


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
_named_doi = re.compile(r"(?i)(?:doi:? ?|https?://(?:dx\.)?doi\.org/)?10\.\d{4,9}/\S+").fullmatch
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
