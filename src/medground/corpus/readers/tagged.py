"""Records of tagged lines: PubMed's `.nbib`, RIS, EndNote's `.enw`, and what search services print as text.

Each form is a row of `FORMS`: how a record begins, how its lines are split at the tags, and what the tags mean. Latin-1
files are read as well as UTF-8, and lines of an exporter before the first record are skipped.
"""

from __future__ import annotations

import io
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medground.corpus.readers.base import Item, Retracts
from medground.corpus.readers.compose import Composition, text_of
from medground.corpus.readers.entry import described, entry_kind, entry_types
from medground.corpus.readers.values import iso_date, pmid_of_accession
from medground.corpus.retraction import state_of_types
from medground.errors import BadDocument
from medground.values.document import Document, MeshHeading
from medground.values.identifiers import named_pmid

Tags = Mapping[str, list[str]]
"""The values of each tag; none for one that a record does not have."""
Get = Callable[[Tags], Any]


def first(*names: str) -> Get:
    """The first value of these tags that says something."""
    return lambda tags: next((value for name in names for value in tags[name] if value.strip(" /")), None)


def each(*names: str) -> Get:
    """All values of the first of these tags that a record has."""
    return lambda tags: next((tags[name] for name in names if tags[name]), [])


def at_semicolons(*names: str) -> Get:
    """All values of these tags, each cut at its semicolons."""
    return lambda tags: [part for name in names for value in tags[name] for part in value.split(";")]


def both(*names: str) -> Get:
    """The first values of these tags, one after the other."""
    return lambda tags: " ".join(tags[name][0] for name in names if tags[name])


def kept(names: str, most: int | None = None) -> Get:
    """Metadata: what is kept of these tags, `TAG` or `TAG=NAME`; at most so many values of each."""
    table = [(tag, name or tag) for tag, _, name in (word.partition("=") for word in names.split())]
    return lambda tags: {name: tags[tag][:most] for tag, name in table if tags[tag]}


def split(
    tag: str, continued: str = " ", one_each: Collection[str] = ()
) -> Callable[[str], defaultdict[str, list[str]]]:
    """Splits a record at its tags. A line that begins with `continued` belongs to the tag before it, each as a value of
    its own after a tag of `one_each`.
    """
    pattern = re.compile(tag)

    def tags_of(record: str) -> defaultdict[str, list[str]]:
        lines: defaultdict[str, list[list[str]]] = defaultdict(list)
        last = ""
        for line in record.split("\n"):
            if found := pattern.match(line):
                last = found[1]
                lines[last].append([(found[2] or "").strip()])
            elif last and line.startswith(continued) and line.strip():
                if last in one_each:
                    lines[last].append([line.strip()])
                else:
                    lines[last][-1].append(line.strip())
        return defaultdict(list, {tag: [" ".join(value) for value in values] for tag, values in lines.items()})

    return tags_of


_LABEL = re.compile(r"(?:^|(?<=[.?!;)] ))([A-Z][A-Z0-9 ,/&'()-]{2,60}): ")
_PMID_IN_NOTICE = re.compile(r"PMID: *(\d+)")
_PMID_IN_VALUE = re.compile(r"(?:^\W*|[;,|]\s*)(?:PMID|PUBMED|PubMed ID)\W*(\d+)", re.IGNORECASE)
"""At the start of a value or of one of its parts: a note such as `Comment on: PMID: 123` names another paper."""
_PMC = re.compile(r"PMC\d+")
_NUMBER = re.compile(r"\d{4,9}")
_RIS_VALUE = re.compile(r"^([A-Z][A-Z0-9])  ?- ?(.*)$", re.MULTILINE)
_RIS_NO_ID = frozenset(["AB", "N2", "TI", "T1", "T2", "T3", "KW", "CR", "AU", "A1", "DB", "DP"])
_RIS_KEPT = kept(
    "volume number=issue issn publisher label database_provider=database name_of_database=database notes "
    "type_of_reference=entry_type place_published=place start_page end_page edition custom1 custom3 custom4 custom5 "
    "custom6 call_number research_notes"
)
_NBIB_DATES = {"entered": "EDAT", "created": "CRDT", "revised": "LR", "completed": "DCOM"}
_SERVICE = "VL=volume IS=issue IP=issue NO=issue PG=pages PU=publisher SN=issn UT=unique_id CC=group VI=volume"
_LINES_OF_ONE = ("AU", "AF", "KW", "MH", "PT")
"""Tags of search services of which each line is a value of its own."""


def _ris_tags(record: str) -> defaultdict[str, list[str]]:
    """By rispy's names of the tags. Tags that RIS lacks are under their own, the record under the empty name."""
    import rispy

    try:
        (fields,) = rispy.loads(record if "\nER  -" in record else f"{record.rstrip()}\nER  - \n")
    except (ValueError, OSError, KeyError, IndexError, AttributeError, TypeError) as error:
        raise ValueError(f"not a RIS record ({' '.join(str(error).split())[:80] or type(error).__name__})") from error
    own = fields.pop("unknown_tag", {})
    found = {name: [*map(str, value)] if isinstance(value, list) else [str(value)] for name, value in fields.items()}
    return defaultdict(list, {**own, **found, "": [record], "unknown": [tag for tag in own if tag]})


def _ris_pmid(tags: Tags) -> str | None:
    """From the accession number where PubMed gave the record, where Scopus and Embase keep it, a note or an address."""
    databases = " ".join(v for name in ("name_of_database", "database_provider", "custom8") for v in tags[name])
    from_nlm = re.search(r"medline|pubmed|nlm|national library of medicine", databases, re.IGNORECASE)
    places = [*tags["accession_number"]] if from_nlm or not databases.strip() else []
    places += tags["id"] if from_nlm else []
    places += tags["custom2"] if "Scopus" in databases else tags["custom5"] if "Embase" in databases else []
    for number in (part.strip() for place in places for part in place.split(";")):
        if number.isdecimal() and len(number) <= 8:
            return number
    values = [value for tag, value in _RIS_VALUE.findall(tags[""][0]) if tag not in _RIS_NO_ID]
    named = (found[1] if (found := _PMID_IN_VALUE.search(value)) else named_pmid(value) for value in values)
    return next(filter(None, named), None)


def _wos_kept(tags: Tags) -> dict[str, list[str]]:
    pages = "-".join(filter(None, (first("BP")(tags), first("EP")(tags)))) or first("AR")(tags)
    return {**kept(_SERVICE, 1)(tags), **({"pages": [pages]} if pages else {})}


def _ovid_pmid(tags: Tags) -> str | None:
    number = first("UI", "AN")(tags) or ""
    medline = re.search(r"medline|pubmed", first("DB")(tags) or "", re.IGNORECASE)
    return number if medline and _NUMBER.fullmatch(number) else None


def _nbib_abstract(tags: Tags) -> Composition:
    """One section per label (`METHODS: `), as PubMed prints them."""
    composition = Composition()
    pieces = _LABEL.split(first("AB", "OAB")(tags) or "")
    composition.add(pieces[0].strip())
    for label, part in zip(pieces[1::2], pieces[2::2], strict=True):
        composition.add(part.strip(), label)
    return composition


def _nbib_dates(tags: Tags) -> dict[str, str]:
    dates = {kind: date for kind, tag in _NBIB_DATES.items() if (date := iso_date(first(tag)(tags) or ""))}
    published = iso_date(first("DP")(tags) or "") or iso_date(first("DEP")(tags) or "")
    return dates | ({"published": published} if published else {})


def _nbib_year(tags: Tags) -> int | None:
    dates = _nbib_dates(tags)
    return int(dates.get("published", min(dates.values(), default="0"))[:4]) or None


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
    "abstract": first("AB"),
    "journal": first("SO"),
    "language": first("LA", "LG"),
    "authors": each("AU"),
}


@dataclass(frozen=True)
class Form:
    """A form of tagged records: how a record begins, is split at its tags, and becomes the fields of a document."""

    starts: re.Pattern[str]
    tags: Callable[[str], Tags]
    fields: Mapping[str, Get]
    preface: re.Pattern[str] | None = None
    """What exporters write before the first record: their name, a date, a line of dashes."""


FORMS: Mapping[str, Form] = {
    "nbib": Form(
        re.compile(r"^PMID *- ", re.MULTILINE),
        split(r"([A-Z][A-Z0-9]{1,3}) *- ?(.*)"),
        {
            "title": first("TI", "TT", "BTI"),
            "text": lambda tags: _nbib_abstract(tags).text or first("TI", "TT", "BTI")(tags) or "",
            "sections": lambda tags: _nbib_abstract(tags).sections,
            "authors": each("AU", "FAU", "CN"),
            "year": _nbib_year,
            "dates": _nbib_dates,
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
        re.compile(r"^[ \t]*TY  ?- ?", re.MULTILINE),
        _ris_tags,
        {
            "title": first("title", "primary_title", "translated_title", "short_title"),
            "abstract": first("abstract", "notes_abstract"),
            "authors": lambda tags: [*tags["authors"], *tags["first_authors"]],
            "year": first("year", "publication_year", "date", "YR"),
            "date": first("date", "publication_year", "year"),
            "journal": first(
                *("secondary_title", "alternate_title3", "journal_name", "alternate_title1", "alternate_title2", "SO")
            ),
            "doi": lambda tags: first("doi")(tags) or next((v for v in tags["urls"] if "doi.org/10." in v), None),
            "pmid": _ris_pmid,
            "pmc": lambda tags: next(iter(_PMC.findall(" ".join([*tags["custom2"], *tags["urls"]]))), None),
            "url": lambda tags: next(iter(tags["urls"]), None),
            "language": first("language"),
            "keywords": lambda tags: tags["keywords"] or at_semicolons("KY")(tags),
            "publication_types": lambda tags: [*entry_types(first("type_of_reference")(tags)), *tags["type_of_work"]],
            "kind": lambda tags: entry_kind(first("type_of_reference")(tags)),
            "metadata": lambda tags: _RIS_KEPT(tags) | {f"ris_{tag.casefold()}": tags[tag] for tag in tags["unknown"]},
        },
        re.compile(r"(?:[^\n]{0,200}\n){1,12}?TY  - [A-Z]{3,}\s*\n[A-Z][A-Z0-9]  - "),
    ),
    "enw": Form(
        re.compile(r"^%0 ", re.MULTILINE),
        split(r"(%.)(?: (.*)|$)", continued="", one_each=["%K"]),  # EndNote writes each keyword on a line
        {
            "title": first("%T"),
            "abstract": first("%X"),
            "authors": each("%A"),
            "year": first("%D"),
            "date": both("%8", "%D"),
            "journal": first("%J", "%B"),
            "doi": first("%R"),
            "pmid": lambda tags: pmid_of_accession(first("%M")(tags) or ""),
            "url": first("%U"),
            "language": first("%G"),
            "keywords": at_semicolons("%K"),
            "publication_types": lambda tags: [*entry_types(first("%0")(tags)), *tags["%9"]],
            "kind": lambda tags: entry_kind(first("%0")(tags)),
            "metadata": kept("%V=volume %N=issue %P=pages %@=issn %I=publisher %C=place %Z=notes"),
        },
    ),
    "wos": Form(
        re.compile(r"^PT [A-Z]$", re.MULTILINE),
        split(r"([A-Z][A-Z0-9]) (.*)", "   ", _LINES_OF_ONE),
        {
            **_OF_SERVICES,
            "authors": each("AF", "AU", "CA"),
            "date": both("PD", "PY"),
            "doi": first("DI"),
            "pmid": lambda tags: first("PM")(tags) or named_pmid(first("UT")(tags) or ""),
            "keywords": at_semicolons("DE", "ID"),
            "publication_types": at_semicolons("DT"),
            "kind": lambda tags: "book" if tags["PT"][:1] == ["B"] else "research",
            "metadata": _wos_kept,
        },
        re.compile(r"FN .*\n(?:VR .*\n)?PT [A-Z]\n"),
    ),
    "cochrane": Form(
        re.compile(r"^Record #\d+ of \d+$", re.MULTILINE),
        split(r"([A-Z]{2,3}): ?(.*)", " ", _LINES_OF_ONE),
        {
            **_OF_SERVICES,
            "date": first("YR"),
            "doi": first("DOI"),
            "pmid": lambda tags: next(iter(_NUMBER.findall(first("PM")(tags) or "")), None),
            "keywords": at_semicolons("KY"),
            "publication_types": at_semicolons("PT"),
            "url": first("US"),
            "metadata": kept(f"{_SERVICE} ID=unique_id", 1),
        },
    ),
    "ovid": Form(
        re.compile(r"^VN  - Ovid ", re.MULTILINE),
        split(r"([A-Z][A-Z0-9])  - ?(.*)", " ", _LINES_OF_ONE),
        {
            **_OF_SERVICES,
            "date": first("DP", "YR"),
            "journal": lambda tags: first("JN", "JT")(tags) or (first("SO")(tags) or "").partition(". ")[0],
            "doi": first("DO"),
            "pmid": _ovid_pmid,
            "keywords": lambda tags: [*tags["MH"], *tags["KW"]],
            "publication_types": each("PT"),
            "metadata": kept(f"{_SERVICE} ID=unique_id", 1),
        },
    ),
}


def tagged_format(start: str) -> str | None:
    """Which format the start of a file is in: its first line that is not blank begins a record, or an export."""
    begins = start.lstrip("\ufeff \t\r\n").replace("\r\n", "\n")
    at_once = (name for name, form in FORMS.items() if form.starts.match(begins))
    after = (name for name, form in FORMS.items() if form.preface and form.preface.match(begins))
    return next(at_once, None) or next(after, None)


def tagged_document(tags: Tags, form: str) -> Document:
    """The document of a record by its tags."""
    if form == "nbib" and not (pmid := "".join(tags["PMID"][:1])).isdecimal():
        raise ValueError(f"{pmid[:40]!r} is not a PMID")
    return described({field: value(tags) for field, value in FORMS[form].fields.items()})


def read_tagged(path: Path, form: str) -> Iterator[Item]:
    """The records of a file in one of `FORMS`; the position of a bad one is the line on which it begins."""
    text = io.StringIO(text_of(path), newline=None).read().lstrip("\ufeff")
    starts = [found.start() for found in FORMS[form].starts.finditer(text)]
    if not starts:
        raise BadDocument(f"no record of {form} is in the file", file=str(path))
    line = 1
    for start, end, before in zip(starts, [*starts[1:], len(text)], [0, *starts], strict=False):
        line += text.count("\n", before, start)
        try:
            tags = FORMS[form].tags(text[start:end])
            yield tagged_document(tags, form)
        except ValueError as error:
            yield BadDocument(str(error), file=str(path), position=line)
            continue
        retracted = (_PMID_IN_NOTICE.search(value) for value in tags["ROF"]) if form == "nbib" else ()
        if ids := tuple(f"PMID:{found[1]}" for found in retracted if found):
            yield Retracts(ids)
