"""The forms of tagged records: what their tags look like, which of them begin or end a record, and what they mean.

The tags of all forms but PubMed's are renamed to those of RIS, of which the fields of a document are made.
"""

import re
from collections.abc import Mapping
from functools import partial
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
    tag_set,
)
from medground.corpus.readers.values import iso_date, own_title
from medground.corpus.retraction import state_of_types
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
_READ = tag_set("AU A1 A2 T3 KW TY M3 VL IS SP EP PG C7 SN PB CY LB ET DP DB N1 AN UT CC C1 C3 C4 C5 C6 CN RN")
_ONE_BLANK = r"(?<=(?:TY|TI|T1|T2|AU|A1|A2|PY|Y1|DA|AB|N1|N2|KW|JO|JF|VL|IS|SN|SP|EP|PB|DO|UR|AN|DB|ER) )"
_LETTERS = re.compile(r"([A-Z][A-Z0-9])(?: (.*)|$)")
_ris = partial(Form, fields=_ENTRY, read=_READ)
"""A form whose tags are renamed to those of RIS."""

FORMS: Mapping[str, Form] = {
    "ris": _ris(
        re.compile(rf"[ \t]*([A-Z][A-Z0-9]) (?: |{_ONE_BLANK})- ?(.*)"),
        needs=tag_set("TY ER PY Y1 T1 JO JF"),
        begins=tag_set("TY"),
        ends=tag_set("ER"),
        once=tag_set("TY TI T1 AB PY VL JO JF DO SP"),
        by_line=tag_set("KW"),
        names="KY=KW NO=IS DI=DO",
    ),
    "nbib": Form(
        re.compile(r"(?=.{4}-)([A-Z][A-Z0-9]{1,3}) *- ?(.*)"),
        needs=tag_set("PMID OWN STAT FAU JT TA DP EDAT"),
        begins=tag_set("PMID"),
        once=tag_set("PMID OWN STAT TI AB DP JT TA VI IP PG LR SO EDAT"),
        fields=_NBIB,
        read=tag_set("AB AU FAU CN DP DEP EDAT CRDT LR DCOM MH OT PT PMID RN VI IP PG IS SI GR"),
    ),
    "enw": _ris(
        re.compile(r"(%[0-9A-Z@?!#$&*()+^<>~=|:-])(?: (.*)|$)"),
        needs=tag_set("%T %A %J %0"),
        begins=tag_set("%0"),
        once=tag_set("%0 %T %D %J %V %N %P %X %R"),
        by_line=tag_set("%K"),  # EndNote writes each keyword on a line
        names="%0=TY %A=AU %T=TI %X=AB %J=JF %B=T2 %S=T3 %D=PY %8=DA %V=VL %N=IS %P=PG %R=DO %M=AN %U=UR %G=LA %K=KW "
        "%@=SN %I=PB %C=CY %Z=N1 %E=A2 %9=M3",
    ),
    "refworks": _ris(
        _LETTERS,
        needs=tag_set("RT SR"),
        begins=tag_set("RT"),
        once=tag_set("RT SR ID T1 JF JO YR VO IS SP OP AB DO"),
        known=tag_set(
            "RT SR ID A1 A2 A3 A4 A5 A6 T1 T2 T3 JF JO YR RD SD FD VO IS SP OP K1 AB NO PB PP ED SN AD AN LA CL DI DO "
            "DB DS LK UL LL CR SL WT WP OL ST U1 U2 U3 U4 U5"
        ),
        names="RT=TY A1=AU T1=TI FD=DA VO=VL OP=EP K1=KW NO=N1 PP=CY UL=UR LK=UR DS=DP",
    ),
    "wos": _ris(
        _LETTERS,
        needs=tag_set("PT"),
        begins=tag_set("PT"),
        ends=tag_set("ER"),
        once=tag_set("AU AF TI SO AB C1 RP CR DE ID PD PY VL IS BP EP DI UT PM FU FX LA DT PU PI PA SN"),
        known=tag_set(
            "FN VR PT AU AF BA BF BE CA GP ED TI SO SE BS LA DT CT CY CL SP HO DE ID AB C1 C3 RP EM RI OI FU FP FX CR "
            "NR TC Z9 Z8 ZB U1 U2 PU PI PA SN EI BN J9 JI PD PY VL IS SI PN SU MA BP EP AR DI DL D2 EA EY PG P2 WC WE "
            "SC GA UT PM OA HC HP DA ER EF"
        ),
        by_line=tag_set("AU AF CA"),
        preface=tag_set("FN VR EF"),
        read=_READ | {"AF", "CA"},
        fields={
            **_ENTRY,
            "authors": lambda tags: [*each("AF", "AU")(tags), *tags["CA"]],
            "kind": lambda tags: "book" if tags["TY"][:1] == ["B"] else "research",
        },
        names="PT=TY DI=DO DE=KW ID=KW PD=DA BP=SP AR=C7 PU=PB DT=M3 DA= PG=",
    ),
    "cochrane": _ris(
        re.compile(r"([A-Z]{2,3}): ?(.*)"),
        needs=tag_set("ID TI"),
        begins=tag_set("ID"),
        once=tag_set("ID TI SO YR AB DOI"),
        by_line=tag_set("AU"),
        names="NO=IS KY=KW DOI=DO US=UR PT=M3 ID=UT PM=XR",
    ),
    "ovid": _ris(
        re.compile(r"([A-Z][A-Z0-9])  - ?(.*)"),
        needs=tag_set("VN DB UI SO YR"),
        begins=tag_set("VN"),
        once=tag_set("VN UI TI SO AB YR DP"),
        by_line=tag_set("AU MH KW PT"),
        fields={**_ENTRY, "journal": lambda tags: first("JF")(tags) or (first("SO")(tags) or "").partition(". ")[0]},
        names="DA= UI=AN CN=AU CA=AU VI=VL IP=IS MH=KW PT=M3 JN=JF JT=JF DP=DA LG=LA DI=DO ID=UT",
    ),
}
