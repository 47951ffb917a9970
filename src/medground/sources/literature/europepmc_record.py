"""A record of Europe PMC (resultType=core) as a document."""

from __future__ import annotations

import re
from collections.abc import Mapping

from medground.corpus.readers.compose import make_document
from medground.document import Document, MeshHeading, Retraction, Substance
from medground.identifiers import normal_id
from medground.proteins.fields import Json, part, parts, text, texts
from medground.sources.literature.markup import abstract_of, plain

_RETRACTED = frozenset(["retraction in", "retracted and republished in"])
_CONCERN = "expression of concern in"
_YEAR = re.compile(r"[12]\d{3}")
_NAME = re.compile(r"[A-Za-z0-9]+")


def document_of(record: Json) -> Document | None:
    """The document; None if the record has neither title nor abstract, or no id."""
    title = plain(text(record, "title"))
    abstract = abstract_of(text(record, "abstractText"))
    identifiers = _identifiers(record)
    name = _id(record, identifiers)
    if name is None:
        return None
    types = tuple(filter(None, texts(part(record, "pubTypeList"), "pubType")))
    corrections = list(parts(part(record, "commentCorrectionList"), "commentCorrection"))
    issue = part(record, "journalInfo")
    journal = part(issue, "journal")
    imprint = {"volume": text(issue, "volume"), "issue": text(issue, "issue"), "pages": text(record, "pageInfo")}
    published = text(record, "firstPublicationDate")
    try:
        return make_document(
            {
                "id": name,
                "title": title,
                "text": abstract.text or title,
                "sections": abstract.sections,
                "year": _year(record),
                "dates": {"published": published} if published else {},
                "journal": plain(text(journal, "title")) or None,
                "authors": _authors(record),
                "language": text(record, "language") or None,
                "mesh": _mesh(record),
                "keywords": tuple(filter(None, map(plain, texts(part(record, "keywordList"), "keyword")))),
                "substances": _substances(record),
                "publication_types": types,
                "identifiers": identifiers,
                "imprint": {key: value for key, value in imprint.items() if value},
                "url": _url(record),
                "license": text(record, "license") or None,
                "retraction": _retraction(types, {text(one, "type").casefold() for one in corrections}),
                "cautions": _cautions(corrections),
            }
        )
    except ValueError:
        return None


def _identifiers(record: Json) -> dict[str, str]:
    named = (("pmid", "pmid"), ("pmc", "pmcid"), ("doi", "doi"))
    return {kind: value for kind, key in named if (value := normal_id(kind, text(record, key)))}


def _id(record: Json, identifiers: Mapping[str, str]) -> str | None:
    for kind in ("pmid", "pmc", "doi"):
        if kind in identifiers:
            return f"{kind.upper()}:{identifiers[kind]}"
    database, number = text(record, "source"), text(record, "id")
    return f"EPMC:{database}-{number}" if _NAME.fullmatch(database) and _NAME.fullmatch(number) else None


def _year(record: Json) -> int | None:
    year = text(record, "pubYear")
    return int(year) if _YEAR.fullmatch(year) else None


def _authors(record: Json) -> tuple[str, ...]:
    """`Family Initials`, or the name of a group; as one line where the record has no list."""
    listed = [
        text(one, "fullName") or text(one, "collectiveName") for one in parts(part(record, "authorList"), "author")
    ] or text(record, "authorString").rstrip(".").split(", ")
    return tuple(filter(None, map(plain, listed)))


def _mesh(record: Json) -> tuple[MeshHeading, ...]:
    return tuple(
        MeshHeading(
            descriptor=descriptor,
            major=text(heading, "majorTopic_YN") == "Y",
            qualifiers=tuple(filter(None, (text(one, "qualifierName") for one in qualifiers))),
            major_qualifiers=tuple(
                filter(None, (text(q, "qualifierName") for q in qualifiers if text(q, "majorTopic_YN") == "Y"))
            ),
        )
        for heading in parts(part(record, "meshHeadingList"), "meshHeading")
        if (descriptor := text(heading, "descriptorName"))
        for qualifiers in [list(parts(part(heading, "meshQualifierList"), "meshQualifier"))]
    )


def _substances(record: Json) -> tuple[Substance, ...]:
    return tuple(
        Substance(name=name, number=text(one, "registryNumber") or "0")
        for one in parts(part(record, "chemicalList"), "chemical")
        if (name := plain(text(one, "name")))
    )


def _retraction(types: tuple[str, ...], relations: set[str]) -> Retraction:
    named = {kind.casefold() for kind in types}
    if relations & _RETRACTED or "retracted publication" in named:
        return "retracted"
    if "retraction of" in relations or "retraction of publication" in named:
        return "notice"
    return "concern" if _CONCERN in relations else "none"


def _cautions(corrections: list[Json]) -> tuple[str, ...]:
    concerns = [plain(text(one, "reference")) for one in corrections if text(one, "type").casefold() == _CONCERN]
    return tuple(f"An expression of concern was published: {where}".rstrip(": ") for where in concerns)


def _url(record: Json) -> str | None:
    database, number = text(record, "source"), text(record, "id")
    if _NAME.fullmatch(database) and _NAME.fullmatch(number):
        return f"https://europepmc.org/article/{database}/{number}"
    return None
