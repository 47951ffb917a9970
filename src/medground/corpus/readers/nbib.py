"""One record of PubMed's MEDLINE format (`.nbib`): tags of up to four letters, long values on indented lines."""

from __future__ import annotations

import re
from collections import defaultdict

from medground.corpus.readers.compose import Composition
from medground.corpus.readers.dates import iso_date
from medground.corpus.readers.entry import described
from medground.corpus.readers.values import joined
from medground.document import Document, MeshHeading

_TAG = re.compile(r"([A-Z][A-Z0-9]{1,3}) *- ?(.*)")
_LABEL = re.compile(r"(?:^|(?<=[.?!;)] ))([A-Z][A-Z0-9 ,/&'()-]{2,60}): ")
_PMID = re.compile(r"PMID: *(\d+)")
_DATES = {"entered": "EDAT", "created": "CRDT", "revised": "LR", "completed": "DCOM"}
_TOLD = {"VI": "volume", "IP": "issue", "PG": "pages", "IS": "issn", "SI": "secondary_source", "GR": "grant"}


def nbib_document(record: str) -> Document:
    """The document of a record, with its MeSH headings, publication types, dates and retraction.

    Raises:
        ValueError: the record has no PMID, or neither title nor abstract.
    """
    tags = _tags(record)
    pmid = _one(tags, "PMID")
    if not pmid.isdecimal():
        raise ValueError(f"{pmid[:40]!r} is not a PMID")
    composition = _abstract(_one(tags, "AB") or _one(tags, "OAB"))
    title = _one(tags, "TI") or _one(tags, "TT") or _one(tags, "BTI")
    dates = {kind: date for kind, tag in _DATES.items() if (date := iso_date(_one(tags, tag)))}
    if published := iso_date(_one(tags, "DP")) or iso_date(_one(tags, "DEP")):
        dates["published"] = published
    return described(
        {
            "id": f"PMID:{pmid}",
            "title": title,
            "text": composition.text or title,
            "sections": composition.sections,
            "authors": tags["AU"] or tags["FAU"] or tags["CN"],
            "year": int(dates.get("published", min(dates.values(), default="0"))[:4]) or None,
            "dates": dates,
            "journal": _one(tags, "JT") or _one(tags, "TA"),
            "language": _one(tags, "LA"),
            "mesh": tuple(_heading(value) for value in tags["MH"]),
            "keywords": list(dict.fromkeys(word.lstrip("*") for word in tags["OT"])),
            "publication_types": tags["PT"],
            "pmid": pmid,
            "pmc": _one(tags, "PMC"),
            "doi": _doi(tags),
            "retraction": _retraction(tags),
            "kind": "book" if tags["BTI"] else "research",
            "substances": tags["RN"],
            "metadata": {name: tags[tag] for tag, name in _TOLD.items() if tags[tag]},
        }
    )


def retracted_by(record: str) -> tuple[str, ...]:
    """Ids of the papers that this record retracts (`ROF`)."""
    return tuple(f"PMID:{found[1]}" for value in _tags(record)["ROF"] if (found := _PMID.search(value)))


def _tags(record: str) -> defaultdict[str, list[str]]:
    lines: defaultdict[str, list[list[str]]] = defaultdict(list)
    last = ""
    for line in record.split("\n"):
        if found := _TAG.match(line):
            last = found[1]
            lines[last].append([found[2].strip()])
        elif line[:1] == " " and line.strip() and last:
            lines[last][-1].append(line.strip())
    return joined(lines)


def _one(tags: defaultdict[str, list[str]], tag: str) -> str:
    return tags[tag][0] if tags[tag] else ""


def _abstract(text: str) -> Composition:
    """One section per label (`METHODS: `), as PubMed prints them."""
    composition = Composition()
    parts = _LABEL.split(text)
    composition.add(parts[0].strip())
    for label, part in zip(parts[1::2], parts[2::2], strict=True):
        composition.add(part.strip(), label)
    return composition


def _heading(value: str) -> MeshHeading:
    """`Aspirin/*therapeutic use/adverse effects`; an asterisk marks a major topic."""
    descriptor, *qualifiers = value.split("/")
    return MeshHeading(
        descriptor=descriptor.lstrip("*"),
        major=descriptor.startswith("*"),
        qualifiers=tuple(name.lstrip("*") for name in qualifiers),
        major_qualifiers=tuple(name[1:] for name in qualifiers if name.startswith("*")),
    )


def _doi(tags: defaultdict[str, list[str]]) -> str | None:
    return next((value for tag in ("LID", "AID") for value in tags[tag] if value.endswith("[doi]")), None)


def _retraction(tags: defaultdict[str, list[str]]) -> str:
    types = {value.casefold() for value in tags["PT"]}
    if tags["RIN"] or "retracted publication" in types:
        return "retracted"
    if tags["ROF"] or "retraction of publication" in types or "retraction notice" in types:
        return "notice"
    return "concern" if tags["ECI"] or (tags["EIN"] and "expression of concern" in types) else "none"
