"""The forms of tagged records: what their tags look like, which of them begin or end a record, and what they mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from medground.corpus.readers.compose import Composition
from medground.corpus.readers.entry import entry_kind, entry_types
from medground.corpus.readers.values import iso_date, own_title, pmid_of_accession, year_in
from medground.corpus.retraction import state_of_types
from medground.values.document import MeshHeading
from medground.values.identifiers import named_pmid, normal_doi


class Tags(dict[str, list[str]]):
    """The values of each tag of a record, none for one that it lacks; `pairs` has them in order."""

    def __init__(self, pairs: Sequence[tuple[str, list[str]]] = (), by_line: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self.pairs: list[tuple[str, str]] = []
        for tag, lines in pairs:
            self.pairs += [(tag, value) for value in (lines if tag in by_line else [" ".join(lines)])]
        for tag, value in self.pairs:
            self.setdefault(tag, []).append(value)

    def __missing__(self, tag: str) -> list[str]:
        return []


Get = Callable[[Tags], Any]


def first(*names: str) -> Get:
    """The first value of these tags that says something."""
    return lambda tags: next((value for name in names for value in tags[name] if value.strip(" /")), None)


def each(*names: str) -> Get:
    """All values of the first of these tags that a record has."""
    return lambda tags: next((tags[name] for name in names if tags[name]), [])


def in_order(*names: str) -> Get:
    """All values of these tags in the order of the record, so that a group stands among the authors where it signed."""
    return lambda tags: [value for tag, value in tags.pairs if tag in names] if any([tags[n] for n in names]) else []


def at_semicolons(*names: str) -> Get:
    """All values of these tags, each cut at its semicolons."""
    return lambda tags: [part for name in names for value in tags[name] for part in value.split(";")]


def both(*names: str) -> Get:
    """The first values of these tags, one after the other."""
    return lambda tags: " ".join(tags[name][0] for name in names if tags[name])


def longest(*names: str) -> Get:
    """The longest value of these tags: exporters cut one of two abstracts short."""
    return lambda tags: max((value for name in names for value in tags[name]), key=len, default=None)


def kept(names: str, most: int | None = None) -> Get:
    """Metadata: what is kept of these tags, `TAG` or `TAG=NAME`; at most so many values of each."""
    table = [(tag, name or tag) for tag, _, name in (word.partition("=") for word in names.split())]
    return lambda tags: {name: tags[tag][:most] for tag, name in table if tags[tag]}


@dataclass(frozen=True)
class Form:
    """A form of tagged records: how its lines look, how its records are told apart, and what its tags mean."""

    tag: re.Pattern[str]
    """A line that begins with a tag: the tag, and what is said after it."""
    known: frozenset[str]
    needs: frozenset[str]
    """Tags of which a file of this form has one."""
    begins: frozenset[str]
    ends: frozenset[str]
    once: frozenset[str]
    """Tags that a record has once: where one comes again after a blank line, another record has begun."""
    fields: Mapping[str, Get]
    """Fields of a document, and under an empty name what gives several of them."""
    by_line: frozenset[str] = frozenset()
    """Tags of which each line is a value of its own."""
    preface: frozenset[str] = frozenset()
    """Tags of the file, not of a record."""
    wrapped: bool = False
    """Whether a line of text can look like one with a tag, so that only tags count that are known and can come here."""


    @cached_property
    def read(self) -> frozenset[str]:
        """The tags of which fields are made: an empty record is asked for all of them."""
        asked: set[str] = set()

        class Asked(Tags):
            def __missing__(self, tag: str) -> list[str]:
                asked.add(tag)
                return []

        for value in self.fields.values():
            value(Asked())
        return frozenset(asked)


def _set(tags: str) -> frozenset[str]:
    return frozenset(tags.split())


# Which paper a record is: its ids in all the places where exporters put them.

_PMID_IN_VALUE = re.compile(r"(?:^\W*|[;,|]\s*)(?:PMID|PUBMED|PubMed ID)\W*(\d+)", re.IGNORECASE)
"""At the start of a value or of one of its parts: a note such as `Comment on: PMID: 123` names another paper."""
_HINT = re.compile("pm|med|uniprot|uid", re.IGNORECASE)
"""What every name or address of a PMID has in it: the exact patterns are slow."""
_PMC = re.compile(r"PMC\d+")
_NO_ID = _set("AB N2 TI T1 T2 T3 KW KY CR AU A1 A2 DB DP %X %T %A %B %K C1 AD")
_OF_NLM = re.compile(r"medline|pubmed|nlm|national library of medicine", re.IGNORECASE)


def _pmid(tags: Tags) -> str | None:
    """From the accession number where PubMed gave the record, where Scopus and Embase keep it, a note or an address."""
    databases = " ".join(value for name in ("DB", "DP", "C8", "DS") for value in tags[name])
    numbers = tags["AN"]
    if any("SCOPUS:" in number for number in numbers):
        databases += " Scopus"
    from_nlm = _OF_NLM.search(databases)
    places = [*numbers] if from_nlm or not databases.strip() else []
    places += [value for name in ("UI", "ID", "U1", "U2") for value in tags[name]] if from_nlm else []
    places += tags["C2"] if "Scopus" in databases else tags["C5"] if "Embase" in databases else []
    for number in (part.strip() for place in places for part in place.split(";")):
        if number.isdecimal() and len(number) <= 8:
            return number
    values = [value for tag, value in tags.pairs if tag not in _NO_ID and _HINT.search(value)]
    named = (found[1] if (found := _PMID_IN_VALUE.search(value)) else named_pmid(value) for value in values)
    return next(filter(None, named), None)


def _doi(*names: str) -> Get:
    """The DOI of these tags, or else a value that is nothing but a DOI or its address."""

    def found(tags: Tags) -> str | None:
        alone = (value for tag, value in tags.pairs if tag not in _NO_ID and " " not in value.strip())
        named = (value for value in alone if re.match(r"(?:doi:|https?://(?:dx\.)?doi\.org/)?10\.", value, re.IGNORECASE))
        return first(*names)(tags) or next(filter(normal_doi, named), None)

    return found


def _pmc(tags: Tags) -> str | None:
    values = (value for tag, value in tags.pairs if "PMC" in value and tag not in _NO_ID)
    return next((found[0] for value in values if (found := _PMC.search(value))), None)


def _issue_date(tags: Tags) -> str | None:
    """DA, the date of the issue, decides where it has a year; else PY, as precise as a Y1 of the same year is."""
    issue, years = first("DA", "FD")(tags) or "", [v for name in ("PY", "Y1", "YR") for v in tags[name]]
    if year_in(issue):
        return str(issue)
    dated = [value for value in years if year_in(value)]
    if not dated:
        return years[0] if years else None
    dated += [f"{dated[0]} {issue}"] if issue else []
    same = (value for value in dated if year_in(value) == year_in(dated[0]))
    return max(same, key=lambda value: len(iso_date(value) or ""))


def _is_chapter(tags: Tags) -> bool:
    return (first("TY", "RT")(tags) or "").casefold() in ("chap", "echap", "book, section", "book section", "conf")


def _ris_journal(tags: Tags) -> str | None:
    """T2 is the book of a chapter; of an article it may be a subtitle, where another tag names the journal."""
    names = ("JF", "JO", "T2", "JA", "J2", "J1", "SO", "BT")
    found: str | None = first(*(("T2", "BT", *names) if _is_chapter(tags) else names))(tags)
    return found


def _ris_kept(tags: Tags) -> dict[str, list[str]]:
    found: dict[str, list[str]] = _RIS_KEPT(tags)
    return {**found, "urls": tags["UR"]} if len(tags["UR"]) > 1 else found


_RIS_KEPT = kept(
    "VL=volume IS=number SN=issn PB=publisher LB=label DP=database_provider DB=database N1=notes TY=entry_type CY=place "
    "SP=start_page EP=end_page ET=edition C1=custom1 C3=custom3 C4=custom4 C5=custom5 C6=custom6 C7=ar CN=call_number "
    "RN=research_notes NO=issue PG=pages AN=accession_number A2=editors T3=series Y2=accessed"
)
_SERVICE = "VL=volume IS=issue IP=issue NO=issue PG=pages PU=publisher SN=issn UT=unique_id CC=group VI=volume"


def _wos_kept(tags: Tags) -> dict[str, list[str]]:
    pages = "-".join(filter(None, (first("BP")(tags), first("EP")(tags)))) or first("AR")(tags)
    return {**kept(_SERVICE, 1)(tags), **({"pages": [pages]} if pages else {})}


# What PubMed's own form says.

_LABEL = re.compile(r"(?:^|(?<=[.?!;)] ))([A-Z][A-Z0-9 ,/&'()-]{2,60}): ")
_NBIB_DATES = {"entered": "EDAT", "created": "CRDT", "revised": "LR", "completed": "DCOM"}


def _nbib_abstract(tags: Tags) -> Composition:
    """One section per label (`METHODS: `), as PubMed prints them."""
    composition = Composition()
    pieces = _LABEL.split(first("AB", "OAB")(tags) or "")
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


_OF_SERVICES: Mapping[str, Get] = {
    "title": first("TI"),
    "abstract": longest("AB"),
    "journal": first("SO"),
    "language": first("LA", "LG"),
    "authors": in_order("AU", "CN", "CA"),
    "pmid": _pmid,
    "pmc": _pmc,
}
_OF_ENTRIES: Mapping[str, Get] = {
    "title": first("TI", "T1", "CT", "BT", "TT", "ST"),
    "abstract": longest("AB", "N2"),
    "authors": in_order("AU", "A1"),
    "date": _issue_date,
    "journal": _ris_journal,
    "doi": _doi("DO", "DI"),
    "pmid": _pmid,
    "pmc": _pmc,
    "language": first("LA"),
}
_ENTRY_TAGS = "TI T1 T2 T3 AU A1 A2 A3 A4 PY Y1 YR DA AB N1 N2 KW JO JF JA J2 IS SN SP EP PB CY DO UR UL AN DB LA U1 U2"

FORMS: Mapping[str, Form] = {
    "nbib": Form(
        re.compile(r"(?=.{4}-)([A-Z][A-Z0-9]{1,3}) *- ?(.*)"),
        _set("PMID OWN STAT DCOM LR IS VI IP DP TI PG LID AB FAU AU AD LA PT DEP PL TA JT JID SB RN MH OT PMC EDAT MHDA")
        | _set("CRDT PHST AID PST SO CN IR FIR GR CI OAB OTO TT NM CIN CON ECI EFR EIN ROF RIN CRI ORI RF BTI CTI"),
        _set("PMID OWN STAT FAU JT TA DP EDAT"),
        begins=_set("PMID"),
        ends=_set(""),
        once=_set("PMID OWN STAT TI AB DP JT TA VI IP PG LR SO EDAT"),
        fields={
            "": _nbib_parts,
            "authors": lambda tags: in_order("AU" if tags["AU"] or not tags["FAU"] else "FAU", "CN")(tags),
            "journal": first("JT", "TA"),
            "language": first("LA"),
            "mesh": lambda tags: tuple(map(_nbib_heading, tags["MH"])),
            "keywords": lambda tags: list(dict.fromkeys(word.lstrip("*") for word in tags["OT"])),
            "publication_types": each("PT"),
            "pmid": first("PMID"),
            "pmc": first("PMC"),
            "doi": lambda tags: next((v for tag in ("LID", "AID") for v in tags[tag] if v.endswith("[doi]")), None),
            "retraction": _nbib_retraction,
            "kind": lambda tags: "book" if tags["BTI"] else "research",
            "substances": each("RN"),
            "metadata": kept("VI=volume IP=issue PG=pages IS=issn SI=secondary_source GR=grant"),
        },
    ),
    "ris": Form(
        re.compile(rf"[ \t]*([A-Z][A-Z0-9]) (?: |(?<=(?:{'|'.join([*_ENTRY_TAGS.split(), 'TY', 'ER'])}) ))- ?(.*)"),
        _set(f"{_ENTRY_TAGS} TY ER VL CN C1 C2 C3 C5 C7 DP ID L1 L2 M1 M3 ST UT Y2 BT SO NO PG XR KY PM"),
        _set("TY ER PY Y1 T1 JO JF"),
        begins=_set("TY"),
        ends=_set("ER"),
        once=_set("TY TI T1 AB PY VL JO JF DO SP"),
        by_line=_set("KW"),
        fields={
            **_OF_ENTRIES,
            "url": first("UR"),
            "keywords": lambda tags: tags["KW"] or at_semicolons("KY")(tags),
            "publication_types": lambda tags: [*entry_types(first("TY")(tags)), *tags["M3"]],
            "kind": lambda tags: entry_kind(first("TY")(tags)),
            "metadata": _ris_kept,
        },
    ),
    "refworks": Form(
        re.compile(r"([A-Z][A-Z0-9])(?: (.*)|$)"),
        _set(f"{_ENTRY_TAGS} RT SR ID RD SD FD VO OP K1 NO PP LK ED ST A5 A6 AD DI DS CL LL CR SL WT WP OL U3 U4 U5 PMID"),
        _set("RT SR"),
        begins=_set("RT"),
        ends=_set(""),
        once=_set("RT SR ID T1 JF JO YR VO IS SP OP AB DO"),
        wrapped=True,
        fields={
            **_OF_ENTRIES,
            "url": first("UL", "LK", "UR"),
            "keywords": at_semicolons("K1"),
            "publication_types": lambda tags: entry_types(first("RT")(tags)),
            "kind": lambda tags: entry_kind(first("RT")(tags)),
            "metadata": kept("VO=volume IS=issue SP=start_page OP=end_page SN=issn PB=publisher PP=place RT=entry_type "
                             "A2=editors NO=notes AN=accession_number"),
        },
    ),
    "enw": Form(
        re.compile(r"(%[0-9A-Z@?!#$&*()+^<>~=|:-])(?: (.*)|$)"),
        _set("%0 %A %B %C %D %E %F %G %I %J %K %L %M %N %P %R %S %T %U %V %X %Z %@ %8 %9 %7 %6 %Y %1 %2 %3 %4"),
        _set("%T %A %J %0"),
        begins=_set("%0"),
        ends=_set(""),
        once=_set("%0 %T %D %J %V %N %P %X %R"),
        by_line=_set("%K"),  # EndNote writes each keyword on a line
        fields={
            "title": first("%T"),
            "abstract": first("%X"),
            "authors": each("%A"),
            "year": first("%D"),
            "date": both("%8", "%D"),
            "journal": first("%J", "%B"),
            "doi": _doi("%R"),
            "pmid": lambda tags: pmid_of_accession(first("%M")(tags) or "") or _pmid(tags),
            "pmc": _pmc,
            "url": first("%U"),
            "language": first("%G"),
            "keywords": at_semicolons("%K"),
            "publication_types": lambda tags: [*entry_types(first("%0")(tags)), *tags["%9"]],
            "kind": lambda tags: entry_kind(first("%0")(tags)),
            "metadata": kept("%V=volume %N=issue %P=pages %@=issn %I=publisher %C=place %Z=notes %E=editors"),
        },
    ),
    "wos": Form(
        re.compile(r"([A-Z][A-Z0-9])(?: (.*)|$)"),
        _set("FN VR PT AU AF BA BF CA GP BE TI SO SE BS LA DT CT CY CL SP HO DE ID AB C1 C3 RP EM RI OI FU FX CR NR TC Z9")
        | _set("U1 U2 PU PI PA SN EI BN J9 JI PD PY VL IS SI PN SU MA BP EP AR DI D2 EA PG WC SC GA UT PM OA HC HP DA ER EF"),
        _set("PT"),
        begins=_set("PT"),
        ends=_set("ER"),
        once=_set("AU AF TI SO AB C1 RP CR DE ID PD PY VL IS BP EP DI UT PM FU FX LA DT PU PI PA SN"),
        by_line=_set("AU AF CA KW MH PT"),
        preface=_set("FN VR EF"),
        wrapped=True,
        fields={
            **_OF_SERVICES,
            "authors": lambda tags: [*each("AF", "AU")(tags), *tags["CA"]],
            "date": both("PD", "PY"),
            "doi": first("DI"),
            "pmid": lambda tags: first("PM")(tags) or _pmid(tags),
            "keywords": at_semicolons("DE", "ID"),
            "publication_types": at_semicolons("DT"),
            "kind": lambda tags: "book" if tags["PT"][:1] == ["B"] else "research",
            "metadata": _wos_kept,
        },
    ),
    "cochrane": Form(
        re.compile(r"([A-Z]{2,3}): ?(.*)"),
        _set("ID AU TI SO YR VL NO PG PM PT KY DOI AB US XR CC"),
        _set("ID TI"),
        begins=_set("ID"),
        ends=_set(""),
        once=_set("ID TI SO YR AB DOI"),
        by_line=_set("AU"),
        fields={
            **_OF_SERVICES,
            "date": first("YR"),
            "doi": first("DOI"),
            "keywords": at_semicolons("KY"),
            "publication_types": at_semicolons("PT"),
            "url": first("US"),
            "metadata": kept(f"{_SERVICE} ID=unique_id", 1),
        },
    ),
    "ovid": Form(
        re.compile(r"([A-Z][A-Z0-9])  - ?(.*)"),
        _set("VN DB UI TI AU SO AB DO YR DP VI IP PG MH KW JN JT LA LG PT AN IS SB RO CP CI ST IN AD ED RD UP OV CY NM RN"),
        _set("VN DB UI"),
        begins=_set("VN"),
        ends=_set(""),
        once=_set("VN UI TI SO AB YR DP"),
        by_line=_set("AU MH KW PT"),
        fields={
            **_OF_SERVICES,
            "date": first("DP", "YR"),
            "journal": lambda tags: first("JN", "JT")(tags) or (first("SO")(tags) or "").partition(". ")[0],
            "doi": _doi("DO"),
            "keywords": lambda tags: [*tags["MH"], *tags["KW"]],
            "publication_types": each("PT"),
            "metadata": kept(f"{_SERVICE} ID=unique_id", 1),
        },
    ),
}
