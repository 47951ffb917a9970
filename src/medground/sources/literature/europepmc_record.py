"""A record of Europe PMC (resultType=core) as a document."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from medground.corpus.readers.compose import make_document
from medground.document import Document, MeshHeading, Retraction, Substance
from medground.identifiers import normal_id
from medground.sources.literature.markup import abstract_of, plain

_RETRACTED = frozenset(["retraction in", "retracted and republished in"])
_CONCERN = "expression of concern in"
_YEAR = re.compile(r"[12]\d{3}")
_NAME = re.compile(r"[A-Za-z0-9]+")


def document_of(record: Mapping[str, Any]) -> Document | None:
    """The document; None if the record has neither title nor abstract, or no id."""
    title = plain(_text(record, "title"))
    abstract = abstract_of(_text(record, "abstractText"))
    identifiers = _identifiers(record)
    name = _id(record, identifiers)
    if name is None:
        return None
    types = tuple(_listed(record, "pubTypeList", "pubType"))
    corrections = _rows(record, "commentCorrectionList", "commentCorrection")
    issue = _inside(record, "journalInfo")
    journal = _inside(issue, "journal")
    imprint = {"volume": _text(issue, "volume"), "issue": _text(issue, "issue"), "pages": _text(record, "pageInfo")}
    published = _text(record, "firstPublicationDate")
    try:
        return make_document(
            {
                "id": name,
                "title": title,
                "text": abstract.text or title,
                "sections": abstract.sections,
                "year": _year(record),
                "dates": {"published": published} if published else {},
                "journal": plain(_text(journal, "title")) or None,
                "authors": _authors(record),
                "language": _text(record, "language") or None,
                "mesh": _mesh(record),
                "keywords": tuple(filter(None, map(plain, _listed(record, "keywordList", "keyword")))),
                "substances": _substances(record),
                "publication_types": types,
                "identifiers": identifiers,
                "imprint": {key: value for key, value in imprint.items() if value},
                "url": _url(record),
                "license": _text(record, "license") or None,
                "retraction": _retraction(types, {_text(one, "type").casefold() for one in corrections}),
                "cautions": _cautions(corrections),
            }
        )
    except ValueError:
        return None


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    return str(value).strip() if isinstance(value, str | int) else ""


def _inside(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def _within(record: Mapping[str, Any], outer: str, inner: str) -> list[Any]:
    """The list `record[outer][inner]`; empty where either is not there or of another form."""
    values = _inside(record, outer).get(inner)
    return values if isinstance(values, list) else []


def _listed(record: Mapping[str, Any], outer: str, inner: str) -> list[str]:
    return [value.strip() for value in _within(record, outer, inner) if isinstance(value, str) and value.strip()]


def _rows(record: Mapping[str, Any], outer: str, inner: str) -> list[Mapping[str, Any]]:
    return [value for value in _within(record, outer, inner) if isinstance(value, dict)]


def _identifiers(record: Mapping[str, Any]) -> dict[str, str]:
    named = (("pmid", "pmid"), ("pmc", "pmcid"), ("doi", "doi"))
    return {kind: value for kind, key in named if (value := normal_id(kind, _text(record, key)))}


def _id(record: Mapping[str, Any], identifiers: Mapping[str, str]) -> str | None:
    for kind in ("pmid", "pmc", "doi"):
        if kind in identifiers:
            return f"{kind.upper()}:{identifiers[kind]}"
    database, number = _text(record, "source"), _text(record, "id")
    return f"EPMC:{database}-{number}" if _NAME.fullmatch(database) and _NAME.fullmatch(number) else None


def _year(record: Mapping[str, Any]) -> int | None:
    year = _text(record, "pubYear")
    return int(year) if _YEAR.fullmatch(year) else None


def _authors(record: Mapping[str, Any]) -> tuple[str, ...]:
    """`Family Initials`, or the name of a group; as one line where the record has no list."""
    listed = [
        _text(one, "fullName") or _text(one, "collectiveName") for one in _rows(record, "authorList", "author")
    ] or _text(record, "authorString").rstrip(".").split(", ")
    return tuple(filter(None, map(plain, listed)))


def _mesh(record: Mapping[str, Any]) -> tuple[MeshHeading, ...]:
    return tuple(
        MeshHeading(
            descriptor=descriptor,
            major=_text(heading, "majorTopic_YN") == "Y",
            qualifiers=tuple(filter(None, (_text(one, "qualifierName") for one in qualifiers))),
            major_qualifiers=tuple(
                filter(None, (_text(q, "qualifierName") for q in qualifiers if _text(q, "majorTopic_YN") == "Y"))
            ),
        )
        for heading in _rows(record, "meshHeadingList", "meshHeading")
        if (descriptor := _text(heading, "descriptorName"))
        for qualifiers in [_rows(heading, "meshQualifierList", "meshQualifier")]
    )


def _substances(record: Mapping[str, Any]) -> tuple[Substance, ...]:
    return tuple(
        Substance(name=name, number=_text(one, "registryNumber") or "0")
        for one in _rows(record, "chemicalList", "chemical")
        if (name := plain(_text(one, "name")))
    )


def _retraction(types: tuple[str, ...], relations: set[str]) -> Retraction:
    named = {kind.casefold() for kind in types}
    if relations & _RETRACTED or "retracted publication" in named:
        return "retracted"
    if "retraction of" in relations or "retraction of publication" in named:
        return "notice"
    return "concern" if _CONCERN in relations else "none"


def _cautions(corrections: list[Mapping[str, Any]]) -> tuple[str, ...]:
    concerns = [plain(_text(one, "reference")) for one in corrections if _text(one, "type").casefold() == _CONCERN]
    return tuple(f"An expression of concern was published: {where}".rstrip(": ") for where in concerns)


def _url(record: Mapping[str, Any]) -> str | None:
    database, number = _text(record, "source"), _text(record, "id")
    if _NAME.fullmatch(database) and _NAME.fullmatch(number):
        return f"https://europepmc.org/article/{database}/{number}"
    return None
