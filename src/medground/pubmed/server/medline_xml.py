"""Format records as PubMed XML (2025 DTD)."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from medground.document import Document, MeshHeading, Substance
from medground.pubmed import records_fields
from medground.pubmed.mesh import vocabulary
from medground.pubmed.records_fields import date_of
from medground.pubmed.server.abstracts import abstract_parts
from medground.pubmed.server.dates import MONTHS, year_month_day
from medground.pubmed.server.xml import node

ARTICLE_DOCTYPE = (
    '<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" '
    '"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">'
)
_ID_KINDS = frozenset(["doi", "pii", "pmcpid", "pmpid", "pmc", "mid", "sici", "medline", "pmcid"])
_ID_KINDS |= {"pmcbook", "bookaccession"}
_CORRECTIONS = {"retracted": "RetractionIn", "concern": "ExpressionOfConcernIn"}
_PLAIN = ("Journal Article",)


def pmid_of(record: Document) -> str:
    """Return the bare PMID of a record, or an empty string."""
    prefix, _, name = record.id.partition(":")
    return name if prefix == "PMID" else record.identifiers.get("pmid", "")


def article(record: Document) -> etree._Element:
    """Return a record as a PubmedArticle."""
    return node("PubmedArticle", None, _citation(record), _pubmed_data(record))


def _citation(record: Document) -> etree._Element:
    element = node(
        "MedlineCitation", None, node("PMID", pmid_of(record), Version="1"), Owner="NLM", Status=status_of(record)
    )
    for tag, kind in (("DateCompleted", "completed"), ("DateRevised", "revised")):
        if len(day := record.dates.get(kind, "").split("-")) == 3:
            element.append(node(tag, None, *_day(day)))
    element.append(_body(record))
    element.append(node("MedlineJournalInfo", None, node("MedlineTA", record.journal or "")))
    if record.substances:
        element.append(node("ChemicalList", None, *map(_chemical, record.substances)))
    if correction := _CORRECTIONS.get(record.retraction):
        entry = node("CommentsCorrections", None, node("RefSource", "not stored"), RefType=correction)
        element.append(node("CommentsCorrectionsList", None, entry))
    if record.mesh:
        element.append(node("MeshHeadingList", None, *map(_heading, record.mesh)))
    if record.keywords:
        keywords = (node("Keyword", word, MajorTopicYN="N") for word in record.keywords)
        element.append(node("KeywordList", None, *keywords, Owner="NOTNLM"))
    return element


def _chemical(substance: Substance) -> etree._Element:
    named = node("NameOfSubstance", substance.name, UI=substance.ui or "")
    return node("Chemical", None, node("RegistryNumber", substance.number), named)


def status_of(record: Document) -> str:
    """Return the status of a record: records with MeSH headings are MEDLINE."""
    return "MEDLINE" if record.mesh else "PubMed-not-MEDLINE"


def types_of(record: Document) -> list[str]:
    """Return at least one publication type, including the one that marks a retraction."""
    return records_fields.types_of(record.model_copy(update={"publication_types": record.publication_types or _PLAIN}))


def _body(record: Document) -> etree._Element:
    doi = record.identifiers.get("doi")
    journal = [node("JournalIssue", None, _publication_date(record), CitedMedium="Internet")]
    journal += [node("Title", record.journal)] if record.journal else []
    body = node("Article", None, node("Journal", None, *journal), node("ArticleTitle", record.title), PubModel="Print")
    location = node("ELocationID", doi, EIdType="doi") if doi else node("Pagination", None, node("MedlinePgn"))
    body.append(location)
    if parts := abstract_parts(record):
        texts = (node("AbstractText", p.text, **({"Label": p.label} if p.label else {})) for p in parts)
        body.append(node("Abstract", None, *texts))
    if record.authors:
        body.append(node("AuthorList", None, *map(_author, record.authors), CompleteYN="Y"))
    body.append(node("Language", record.language or "und"))
    body.append(node("PublicationTypeList", None, *(node("PublicationType", t, UI=_ui(t)) for t in types_of(record))))
    return body


def _publication_date(record: Document) -> etree._Element:
    year, *rest = date_of(record, "published").split("-")
    if not year:
        return node("PubDate", None, node("MedlineDate", "date not stored"))
    month = [node("Month", MONTHS[int(rest[0]) - 1])] if rest else []
    return node("PubDate", None, node("Year", year), *month, *([node("Day", rest[1])] if len(rest) > 1 else []))


def _author(name: str) -> etree._Element:
    """Parse `Family Initials`. A name in any other form is treated as a group."""
    family, _, initials = name.rpartition(" ")
    if not family or not (initials.isupper() and len(initials) <= 4):
        return node("Author", None, node("CollectiveName", name), ValidYN="Y")
    return node("Author", None, node("LastName", family), node("Initials", initials), ValidYN="Y")


def _heading(heading: MeshHeading) -> etree._Element:
    own = heading.major and not heading.major_qualifiers
    qualifiers = (
        node("QualifierName", name, UI="", MajorTopicYN=_yes(name in heading.major_qualifiers))
        for name in heading.qualifiers
    )
    descriptor = node(
        "DescriptorName", heading.descriptor, UI=heading.ui or _ui(heading.descriptor), MajorTopicYN=_yes(own)
    )
    return node("MeshHeading", None, descriptor, *qualifiers)


def _pubmed_data(record: Document) -> etree._Element:
    element = node("PubmedData")
    if entered := date_of(record, "entered"):
        dates = (
            node("PubMedPubDate", None, *_day(year_month_day(entered)), PubStatus=each) for each in ("pubmed", "entrez")
        )
        element.append(node("History", None, *dates))
    element.append(node("PublicationStatus", "ppublish"))
    ids = [node("ArticleId", pmid_of(record), IdType="pubmed")]
    ids += [node("ArticleId", v, IdType=k) for k, v in record.identifiers.items() if k in _ID_KINDS]
    element.append(node("ArticleIdList", None, *ids))
    cited = [reference.removeprefix("PMID:") for reference in record.references if reference.startswith("PMID:")]
    if cited:
        element.append(node("ReferenceList", None, *map(_reference, cited)))
    return element


def _ui(name: str) -> str:
    """Return the MeSH ID of a heading or publication type, or an empty string if it is not in MeSH."""
    heading = vocabulary().find(name)
    return "" if heading is None else heading.id


def _reference(pmid: str) -> etree._Element:
    ids = node("ArticleIdList", None, node("ArticleId", pmid, IdType="pubmed"))
    return node("Reference", None, node("Citation", f"PMID {pmid}"), ids)


def _day(day: list[str]) -> Iterator[etree._Element]:
    return (node(tag, value) for tag, value in zip(("Year", "Month", "Day"), day, strict=True))


def _yes(value: bool) -> str:
    return "Y" if value else "N"
