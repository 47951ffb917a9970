"""The forms of tagged records: what their tags look like, which of them begin or end a record, and what they mean."""

from __future__ import annotations

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
    both,
    doi,
    each,
    first,
    in_order,
    is_chapter,
    issue_date,
    kept,
    longest,
    pmc,
    pmid,
    tag_set,
)
from medground.corpus.readers.values import iso_date, own_title, pmid_of_accession
from medground.corpus.retraction import state_of_types
from medground.values.document import MeshHeading


def _ris_journal(tags: Tags) -> str | None:
    """T2 is the book of a chapter; of an article it may be a subtitle, where another tag names the journal."""
    names = ("JF", "JO", "T2", "JA", "J2", "J1", "SO", "BT")
    found: str | None = first(*(("T2", "BT", *names) if is_chapter(tags) else names))(tags)
    return found


def _ris_kept(tags: Tags) -> dict[str, list[str]]:
    found: dict[str, list[str]] = _RIS_KEPT(tags)
    return {**found, "urls": tags["UR"]} if len(tags["UR"]) > 1 else found


_RIS_KEPT = kept(
    "VL=volume IS=number SN=issn PB=publisher LB=label DP=database_provider DB=database N1=notes TY=entry_type "
    "CY=place SP=start_page EP=end_page ET=edition C1=custom1 C3=custom3 C4=custom4 C5=custom5 C6=custom6 C7=ar "
    "CN=call_number RN=research_notes NO=issue PG=pages AN=accession_number A2=editors T3=series Y2=accessed"
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
    "pmid": pmid,
    "pmc": pmc,
}
_OF_ENTRIES: Mapping[str, Get] = {
    "title": first("TI", "T1", "CT", "BT", "TT", "ST"),
    "abstract": longest("AB", "N2"),
    "authors": in_order("AU", "A1"),
    "date": issue_date,
    "journal": _ris_journal,
    "doi": doi("DO", "DI"),
    "pmid": pmid,
    "pmc": pmc,
    "language": first("LA"),
}
_ENTRY_TAGS = "TI T1 T2 T3 AU A1 A2 A3 A4 PY Y1 YR DA AB N1 N2 KW JO JF JA J2 IS SN SP EP PB CY DO UR UL AN DB LA U1 U2"

FORMS: Mapping[str, Form] = {
    "nbib": Form(
        re.compile(r"(?=.{4}-)([A-Z][A-Z0-9]{1,3}) *- ?(.*)"),
        tag_set("PMID OWN STAT DCOM LR IS VI IP DP TI PG LID AB FAU AU AD LA PT DEP PL TA JT JID SB RN MH OT PMC")
        | tag_set(
            "EDAT MHDA CRDT PHST AID PST SO CN IR FIR GR CI OAB OTO TT NM CIN CON ECI EFR EIN ROF RIN CRI ORI RF BTI"
        ),
        tag_set("PMID OWN STAT FAU JT TA DP EDAT"),
        begins=tag_set("PMID"),
        ends=tag_set(""),
        once=tag_set("PMID OWN STAT TI AB DP JT TA VI IP PG LR SO EDAT"),
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
        tag_set(f"{_ENTRY_TAGS} TY ER VL CN C1 C2 C3 C5 C7 DP ID L1 L2 M1 M3 ST UT Y2 BT SO NO PG XR KY PM"),
        tag_set("TY ER PY Y1 T1 JO JF"),
        begins=tag_set("TY"),
        ends=tag_set("ER"),
        once=tag_set("TY TI T1 AB PY VL JO JF DO SP"),
        by_line=tag_set("KW"),
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
        tag_set(
            f"{_ENTRY_TAGS} RT SR ID RD SD FD VO OP K1 NO PP LK ED ST A5 A6 AD DI DS CL LL CR SL WT WP OL U3 U4 U5"
        ),
        tag_set("RT SR"),
        begins=tag_set("RT"),
        ends=tag_set(""),
        once=tag_set("RT SR ID T1 JF JO YR VO IS SP OP AB DO"),
        wrapped=True,
        fields={
            **_OF_ENTRIES,
            "url": first("UL", "LK", "UR"),
            "keywords": at_semicolons("K1"),
            "publication_types": lambda tags: entry_types(first("RT")(tags)),
            "kind": lambda tags: entry_kind(first("RT")(tags)),
            "metadata": kept(
                "VO=volume IS=issue SP=start_page OP=end_page SN=issn PB=publisher PP=place RT=entry_type "
                "A2=editors NO=notes AN=accession_number"
            ),
        },
    ),
    "enw": Form(
        re.compile(r"(%[0-9A-Z@?!#$&*()+^<>~=|:-])(?: (.*)|$)"),
        tag_set("%0 %A %B %C %D %E %F %G %I %J %K %L %M %N %P %R %S %T %U %V %X %Z %@ %8 %9 %7 %6 %Y %1 %2 %3 %4"),
        tag_set("%T %A %J %0"),
        begins=tag_set("%0"),
        ends=tag_set(""),
        once=tag_set("%0 %T %D %J %V %N %P %X %R"),
        by_line=tag_set("%K"),  # EndNote writes each keyword on a line
        fields={
            "title": first("%T"),
            "abstract": first("%X"),
            "authors": each("%A"),
            "year": first("%D"),
            "date": both("%8", "%D"),
            "journal": first("%J", "%B"),
            "doi": doi("%R"),
            "pmid": lambda tags: pmid_of_accession(first("%M")(tags) or "") or pmid(tags),
            "pmc": pmc,
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
        tag_set("FN VR PT AU AF BA BF CA GP BE TI SO SE BS LA DT CT CY CL SP DE ID AB C1 C3 RP EM RI OI FU FX CR NR")
        | tag_set(
            "TC Z9 U1 U2 PU PI PA SN EI BN J9 JI PD PY VL IS SI PN SU MA BP EP AR DI D2 EA PG WC SC GA UT PM DA ER EF"
        ),
        tag_set("PT"),
        begins=tag_set("PT"),
        ends=tag_set("ER"),
        once=tag_set("AU AF TI SO AB C1 RP CR DE ID PD PY VL IS BP EP DI UT PM FU FX LA DT PU PI PA SN"),
        by_line=tag_set("AU AF CA KW MH PT"),
        preface=tag_set("FN VR EF"),
        wrapped=True,
        fields={
            **_OF_SERVICES,
            "authors": lambda tags: [*each("AF", "AU")(tags), *tags["CA"]],
            "date": both("PD", "PY"),
            "doi": first("DI"),
            "pmid": lambda tags: first("PM")(tags) or pmid(tags),
            "keywords": at_semicolons("DE", "ID"),
            "publication_types": at_semicolons("DT"),
            "kind": lambda tags: "book" if tags["PT"][:1] == ["B"] else "research",
            "metadata": _wos_kept,
        },
    ),
    "cochrane": Form(
        re.compile(r"([A-Z]{2,3}): ?(.*)"),
        tag_set("ID AU TI SO YR VL NO PG PM PT KY DOI AB US XR CC"),
        tag_set("ID TI"),
        begins=tag_set("ID"),
        ends=tag_set(""),
        once=tag_set("ID TI SO YR AB DOI"),
        by_line=tag_set("AU"),
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
        tag_set(
            "VN DB UI TI AU SO AB DO YR DP VI IP PG MH KW JN JT LA LG PT AN IS SB RO CP CI ST IN AD ED RD UP OV RN"
        ),
        tag_set("VN DB UI"),
        begins=tag_set("VN"),
        ends=tag_set(""),
        once=tag_set("VN UI TI SO AB YR DP"),
        by_line=tag_set("AU MH KW PT"),
        fields={
            **_OF_SERVICES,
            "date": first("DP", "YR"),
            "journal": lambda tags: first("JN", "JT")(tags) or (first("SO")(tags) or "").partition(". ")[0],
            "doi": doi("DO"),
            "keywords": lambda tags: [*tags["MH"], *tags["KW"]],
            "publication_types": each("PT"),
            "metadata": kept(f"{_SERVICE} ID=unique_id", 1),
        },
    ),
}
