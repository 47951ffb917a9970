"""MEDLINE and PubMed XML of every DTD year: articles, books, deleted citations, retractions.

The text of a document is its abstract, with one section per label. Without an abstract it is another abstract
(`OtherAbstract`), or else the title. A retraction notice is a document, followed by a `Retracts` item for the papers
that it retracts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from medground.corpus.readers.base import Deleted, Item, Retracts, numbered
from medground.corpus.readers.compose import Composition, make_document
from medground.corpus.readers.values import imprint_of, iso_date, own_title, year_in
from medground.corpus.readers.xml import Element, flat_text, name_of, records
from medground.corpus.retraction import state_of_types
from medground.values.document import MeshHeading, Substance

_PUBLISHED = ("Article/Journal/JournalIssue/PubDate", "Article/ArticleDate", "Book/PubDate", "ContributionDate")
_HISTORY = {
    "entered": "PubmedData/History/PubMedPubDate[@PubStatus='entrez']",
    "created": "DateCreated",
    "revised": "DateRevised",
    "completed": "DateCompleted",
}


def dates_of(citation: Element, record: Element) -> dict[str, str]:
    """ISO dates by kind, each as precise as the record: `1998`, `1998-12`, `1998-12-31`.

    `published` is the date of the issue, or else of the electronic article; a range ("1998 Dec-1999 Jan") becomes its
    first year.
    """
    dates = {}
    for kind, path in _HISTORY.items():
        if found := next(_iso_dates(citation, record, path), None):
            dates[kind] = found
    for path in _PUBLISHED:
        if "published" not in dates and (found := next(_iso_dates(citation, record, path), None)):
            dates["published"] = found
    return dates


def year_of(dates: dict[str, str]) -> int | None:
    """The year of publication, or else the first year in which the record is known to exist."""
    if "published" in dates:
        return int(dates["published"][:4])
    return min((int(dates[kind][:4]) for kind in ("entered", "created", "completed") if kind in dates), default=None)


def _iso_dates(citation: Element, record: Element, path: str) -> Iterator[str]:
    for element in (citation.find(path), record.find(path)):
        if element is not None and (date := _iso(element)):
            yield date


def _iso(date: Element) -> str | None:
    year = year_in(date.findtext("Year") or date.findtext("MedlineDate") or "")
    month, day = ((date.findtext(name) or "").strip() for name in ("Month", "Day"))
    return None if year is None else iso_date(f"{year} {month} {day}")


# What a MEDLINE record says about other records: references, retractions, expressions of concern.

# A retracted and republished paper is valid only in its new record. A partial retraction leaves the rest valid.
_RETRACTED = frozenset(["RetractionIn", "RetractedandRepublishedIn"])
_CONCERN = frozenset(["ExpressionOfConcernIn", "PartialRetractionIn"])
_CAUTIONS = {
    "ErratumIn": "A correction was published",
    "CorrectedandRepublishedIn": "It was corrected and published again",
    "RetractionIn": "The retraction notice",
    "RetractedandRepublishedIn": "It was retracted and published again",
    "PartialRetractionIn": "A part of it was retracted",
    "ExpressionOfConcernIn": "An expression of concern was published",
}
_LONGEST = 120
"""Characters of a reference to a notice without a PMID."""


def links_of(citation: Element, record: Element) -> tuple[dict[str, tuple[str, ...]], set[str], tuple[str, ...]]:
    """References and cautions as fields of a document, the kinds of its links, and the ids of papers that it retracts.

    The CommentsCorrections of a citation are read in the formats of all years, and the record's reference list.
    """
    links = list(_corrections(citation))
    cited = [pmid for kind, pmid, _ in links if kind == "Cites"]
    listed = record.iterfind("PubmedData/ReferenceList//ArticleIdList/ArticleId[@IdType='pubmed']")
    cited += [(found.text or "").strip() for found in listed]
    cautions = []
    for kind, pmid, place in links:
        if kind in _CAUTIONS:
            where = f"PMID:{pmid}" if pmid.isdecimal() else place[:_LONGEST]
            cautions.append(f"{_CAUTIONS[kind]}: {where}" if where else f"{_CAUTIONS[kind]}.")
    fields = {"references": _ids(cited), "cautions": tuple(dict.fromkeys(cautions))}
    return fields, {kind for kind, *_ in links}, _ids([pmid for kind, pmid, _ in links if kind == "RetractionOf"])


def _corrections(citation: Element) -> Iterator[tuple[str, str, str]]:
    """Kind, PMID (or an empty string) and the reference in words.

    Before 2009, the kind was an element: `<RetractionIn><PMID>`.
    """
    for path in ("CommentsCorrectionsList/CommentsCorrections", "CommentsCorrections"):
        for correction in citation.iterfind(path):
            if kind := correction.get("RefType"):
                yield kind, *_place(correction)
            else:
                yield from ((name_of(old), *_place(old)) for old in correction)


def _place(correction: Element) -> tuple[str, str]:
    return (correction.findtext("PMID") or "").strip(), flat_text(correction.find("RefSource"))


def _ids(pmids: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"PMID:{pmid}" for pmid in pmids if pmid.isdecimal()))


_RECORDS = ["PubmedArticle", "MedlineCitation", "PubmedBookArticle", "BookDocument"]
MEDLINE_ROOTS = frozenset(
    [*_RECORDS, "PubmedArticleSet", "MedlineCitationSet", "PubmedBookArticleSet", "BookDocumentSet", "DeleteCitation"]
)
_DELETIONS = ["DeleteCitation", "DeleteDocument"]


def read_medline(path: Path) -> Iterator[Item]:
    """The records of a file in order; the position of a bad one is its number, counting from 1."""
    found = records(path, [*_RECORDS, *_DELETIONS], MEDLINE_ROOTS)
    yield from numbered(found, _items, path, "record")


def _items(element: Element) -> Iterator[Item]:
    if name_of(element) in _DELETIONS:
        yield Deleted(tuple(f"PMID:{pmid.text}" for pmid in element.iterfind("PMID")))
        return
    citation = element if name_of(element) in ("MedlineCitation", "BookDocument") else _first(element, _RECORDS)
    if citation is None:
        raise ValueError("the PubMed record has no citation")
    pmid = (citation.findtext("PMID") or "").strip()
    if not pmid.isdecimal():
        raise ValueError(f"{pmid[:40]!r} is not a PMID")
    linked, kinds, retracts = links_of(citation, element)
    dates = dates_of(citation, element)
    fields = _book(citation) if name_of(citation) == "BookDocument" else _article(citation)
    composition = _abstract(citation)
    said = state_of_types(fields["publication_types"])
    if kinds & _RETRACTED or said == "retracted":
        state = "retracted"
    elif "RetractionOf" in kinds or said == "notice":
        state = "notice"
    else:
        state = "concern" if kinds & _CONCERN else "none"
    fields |= linked | {
        "id": f"PMID:{pmid}",
        "text": composition.text or fields["title"],
        "sections": composition.sections,
        "year": year_of(dates),
        "dates": dates,
        "mesh": _mesh(citation),
        "keywords": tuple(dict.fromkeys(_texts(citation, "KeywordList/Keyword"))),
        "substances": _substances(citation),
        "identifiers": {"pmid": pmid, **_identifiers(citation, element)},
        "url": f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/",
        "retraction": state,
    }
    yield make_document(fields)
    if retracts:
        yield Retracts(retracts)


def _article(citation: Element) -> dict[str, Any]:
    article = citation.find("Article")
    if article is None:
        raise ValueError("the record has no article")
    return {
        "title": own_title(*(flat_text(article.find(name)) for name in ("ArticleTitle", "VernacularTitle"))),
        "journal": flat_text(article.find("Journal/Title"))
        or flat_text(citation.find("MedlineJournalInfo/MedlineTA"))
        or None,
        "authors": _authors(article.find("AuthorList")),
        "imprint": _imprint(article),
        "language": article.findtext("Language"),
        "publication_types": _texts(article, "PublicationTypeList/PublicationType"),
    }


def _imprint(article: Element) -> dict[str, str]:
    pages = flat_text(article.find("Pagination/MedlinePgn"))
    if not pages:
        ends = (flat_text(article.find(f"Pagination/{name}")) for name in ("StartPage", "EndPage"))
        pages = "-".join(filter(None, ends)) or flat_text(article.find("ELocationID[@EIdType='pii']"))
    issue = article.find("Journal/JournalIssue")
    volume, number = (flat_text(None if issue is None else issue.find(name)) for name in ("Volume", "Issue"))
    return imprint_of(volume, number, pages)


def _book(document: Element) -> dict[str, Any]:
    book_title = flat_text(document.find("Book/BookTitle"))
    authors = document.find("AuthorList")
    return {
        "title": flat_text(document.find("ArticleTitle")) or book_title,
        "journal": book_title or None,
        "authors": _authors(authors if authors is not None else document.find("Book/AuthorList")),
        "language": document.findtext("Language"),
        "publication_types": _texts(document, "PublicationType"),
        "kind": "book",
    }


def _abstract(citation: Element) -> Composition:
    found = [citation.find("Article/Abstract"), citation.find("Abstract"), *citation.iterfind("OtherAbstract")]
    composition = Composition()
    for abstract in found:
        if abstract is not None and not composition.text:
            for part in abstract.iterfind("AbstractText"):
                label = part.get("Label") or part.get("NlmCategory") or ""
                composition.add(flat_text(part), None if label == "UNLABELLED" else " ".join(label.split()) or None)
    return composition


def _authors(authors: Element | None) -> tuple[str, ...]:
    """`Family Initials Jr`, or the name of a group. A name that was corrected is in the record too, as not valid."""
    names = []
    for author in authors if authors is not None else ():
        if author.get("ValidYN") == "N":
            continue
        family = flat_text(author.find("LastName"))
        given = next(filter(None, (flat_text(author.find(name)) for name in ("Initials", "ForeName", "FirstName"))), "")
        name = " ".join(filter(None, (family, given, flat_text(author.find("Suffix")))))
        names.append(flat_text(author.find("CollectiveName")) or name)
    return tuple(name for name in names if name)


def _mesh(citation: Element) -> tuple[MeshHeading, ...]:
    return tuple(
        MeshHeading(
            descriptor=flat_text(descriptor),
            ui=descriptor.get("UI") or None,
            major=any(part.get("MajorTopicYN") == "Y" for part in heading),
            qualifiers=tuple(flat_text(part) for part in heading.iterfind("QualifierName")),
            major_qualifiers=tuple(flat_text(part) for part in heading.iterfind("QualifierName[@MajorTopicYN='Y']")),
        )
        for heading in citation.iterfind("MeshHeadingList/MeshHeading")
        if (descriptor := _first(heading, ["DescriptorName", "Descriptor"])) is not None
    )


def _substances(citation: Element) -> tuple[Substance, ...]:
    return tuple(
        Substance(
            name=flat_text(name),
            ui=name.get("UI") or None,
            number=(one.findtext("RegistryNumber") or "").strip() or "0",
        )
        for one in citation.iterfind("ChemicalList/Chemical")
        if (name := one.find("NameOfSubstance")) is not None and flat_text(name)
    )


def _identifiers(citation: Element, record: Element) -> dict[str, str]:
    ids = {}
    for part in citation.iterfind("Article/ELocationID"):
        ids[part.get("EIdType", "")] = flat_text(part)
    for path in ("PubmedData/ArticleIdList/ArticleId", "PubmedBookData/ArticleIdList/ArticleId"):
        ids |= {part.get("IdType", ""): flat_text(part) for part in record.iterfind(path)}
    ids |= {part.get("IdType", ""): flat_text(part) for part in citation.iterfind("ArticleIdList/ArticleId")}
    return {kind: value for kind, value in ids.items() if kind not in ("", "pubmed", "pmid") and value}


def _texts(element: Element, path: str) -> tuple[str, ...]:
    return tuple(text for part in element.iterfind(path) if (text := flat_text(part)))


def _first(element: Element, tags: list[str]) -> Element | None:
    return next((child for child in element if name_of(child) in tags), None)
