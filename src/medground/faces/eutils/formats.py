"""Records as PubMed XML, as MEDLINE and as abstracts, with dates as NCBI writes them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from lxml import etree

from medground.faces.eutils import records_fields
from medground.faces.eutils.exchange import InvalidRequest, Parameters, node
from medground.faces.eutils.records_fields import date_of
from medground.home.files import tables
from medground.language.names import name_of
from medground.pubmed.filters import between, days
from medground.pubmed.mesh import vocabulary
from medground.values.document import Document, MeshHeading, Substance
from medground.values.query import DateField, Query


def abstract_parts(record: Document) -> list[tuple[str | None, str]]:
    """The sections with their labels and the text between them; empty if the record has only a title."""
    if record.text == record.title:
        return []
    texts: list[tuple[str, str | None]] = []
    end = 0
    for section in record.sections:
        texts += [(record.text[end : section.start], None), (record.text[section.start : section.end], section.label)]
        end = section.end
    texts.append((record.text[end:], None))
    return [(label, each.strip()) for text, label in texts for each in text.split("\n\n") if each.strip()]


def _labelled(record: Document) -> Iterator[str]:
    return (f"{label}: {text}" if label else text for label, text in abstract_parts(record))


MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_KINDS: dict[str, DateField] = tables("faces/eutils", "fields")["dates"]
_MOST_DAYS = 1_000_000


def date_limit(parameters: Parameters, today: date) -> Query | None:
    """Return the date limit of a request, or None. Like NCBI, this ignores one date without the other."""
    name = parameters.text("datetype").lower()
    if name not in _KINDS:
        raise InvalidRequest(f"Invalid value of datetype: {name[:20]}")
    if parameters.has("reldate"):
        days_back = min(parameters.number("reldate", 0, _MOST_DAYS), today.toordinal() - 1)
        return between(_KINDS[name], today - timedelta(days=days_back), date.max)
    if parameters.has("mindate") and parameters.has("maxdate"):
        low, high = _days(parameters.text("mindate")), _days(parameters.text("maxdate"))
        return between(_KINDS[name], low[0], high[1])
    return None


def _days(value: str) -> tuple[date, date]:
    found = days(value.replace("-", "/"))
    if found is None:
        raise InvalidRequest(f"Invalid date: {value[:20]}")
    return found


def publication_date(iso: str) -> str:
    """Format `2001-06-15` as `2001 Jun 15`. An empty string stays empty."""
    year, *rest = iso.split("-")
    month = [MONTHS[int(rest[0]) - 1]] if rest else []
    return " ".join([year, *month, *(str(int(day)) for day in rest[1:])])


def timestamp(iso: str) -> str:
    """Format `2001-06` as `2001/06/01 00:00`, as NCBI does. An empty string stays empty."""
    return f"{'/'.join(year_month_day(iso))} 00:00" if iso else ""


def year_month_day(iso: str) -> list[str]:
    """Split a date into year, month and day. An unknown month or day becomes the first."""
    return [*iso.split("-"), "01", "01"][:3]


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
    pmid = node("PMID", pmid_of(record), Version="1")
    element = node("MedlineCitation", None, pmid, Owner="NLM", Status=status_of(record))
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
    return node("PubmedArticle", None, element, _pubmed_data(record))


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
        texts = (node("AbstractText", text, **({"Label": label} if label else {})) for label, text in parts)
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
    """A name that cannot be taken apart is treated as a group."""
    person = name_of(name)
    if not person.is_person:
        return node("Author", None, node("CollectiveName", name), ValidYN="Y")
    initials = "".join(part[0] for part in re.findall(r"[^\W\d_]+", person.given))
    suffix = [node("Suffix", person.suffix)] if person.suffix else []
    return node("Author", None, node("LastName", person.family), node("Initials", initials), *suffix, ValidYN="Y")


def _heading(heading: MeshHeading) -> etree._Element:
    own = heading.major and not heading.major_qualifiers
    qualifiers = (
        node("QualifierName", name, UI="", MajorTopicYN="NY"[name in heading.major_qualifiers])
        for name in heading.qualifiers
    )
    descriptor = node(
        "DescriptorName", heading.descriptor, UI=heading.ui or _ui(heading.descriptor), MajorTopicYN="NY"[own]
    )
    return node("MeshHeading", None, descriptor, *qualifiers)


def _pubmed_data(record: Document) -> etree._Element:
    element = node("PubmedData")
    if entered := date_of(record, "entered"):
        day, states = year_month_day(entered), ("pubmed", "entrez")
        dates = (node("PubMedPubDate", None, *_day(day), PubStatus=each) for each in states)
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


_WIDTH = 82
_STARTS = 6
_AID_KINDS = ("pii", "doi", "bookaccession", "mid")


def medline_text(records: Iterable[Document]) -> str:
    """Format records as MEDLINE: four-letter fields, wrapped, with a blank line before each record."""
    return "".join("\n" + "".join(_field(tag, value) for tag, value in _fields(record)) for record in records)


def abstract_text(records: Iterable[Document]) -> str:
    """Format records as PubMed's numbered abstracts, separated by two blank lines; empty if there are none."""
    texts = ["\n\n".join(_paragraphs(number, record)) for number, record in enumerate(records, start=1)]
    return "\n\n\n".join(texts) + "\n" if texts else ""


def _fields(record: Document) -> Iterator[tuple[str, str]]:
    yield "PMID", pmid_of(record)
    yield "OWN", "NLM"
    yield "STAT", status_of(record)
    yield "DP", publication_date(date_of(record, "published"))
    yield "TI", record.title
    yield from (("AID", f"{record.identifiers[k]} [{k}]") for k in _AID_KINDS if k in record.identifiers)
    yield "AB", " ".join(_labelled(record))
    yield from (("AU", author) for author in record.authors)
    yield "LA", record.language or "und"
    yield from (("PT", kind) for kind in types_of(record))
    yield "TA", record.journal or ""
    yield "JT", record.journal or ""
    yield from (("MH", _mesh_heading(heading)) for heading in record.mesh)
    yield from (("RN", f"{one.number} ({one.name})") for one in record.substances)
    yield from (("OT", word) for word in record.keywords)
    yield "EDAT", timestamp(date_of(record, "entered")).removesuffix(" 00:00")
    yield "PMC", record.identifiers.get("pmc", "")
    yield "SO", _citation_source(record)


def _field(tag: str, value: str) -> str:
    value = " ".join(value.split())
    if not value:
        return ""
    lines = textwrap.wrap(value, _WIDTH, break_long_words=False, break_on_hyphens=False)
    return f"{tag:<4}- " + ("\n" + " " * _STARTS).join(lines) + "\n"


def _mesh_heading(heading: MeshHeading) -> str:
    """Format a heading, such as `*Asthma/drug therapy/*prevention & control`."""
    own = "*" if heading.major and not heading.major_qualifiers else ""
    qualifiers = ("*" * (name in heading.major_qualifiers) + name for name in heading.qualifiers)
    return "/".join([own + heading.descriptor, *qualifiers])


def _citation_source(record: Document) -> str:
    date = publication_date(date_of(record, "published"))
    return f"{record.journal}. {date}." if record.journal else f"{date}." if date else ""


def _paragraphs(number: int, record: Document) -> Iterator[str]:
    ids = [f"DOI: {record.identifiers['doi']}"] if "doi" in record.identifiers else []
    ids += [f"PMCID: {record.identifiers['pmc']}"] if "pmc" in record.identifiers else []
    status = "  [Indexed for MEDLINE]" if record.mesh else ""
    yield f"{number}. {_citation_source(record)}".rstrip()
    yield _wrapped(record.title)
    if record.authors:
        yield _wrapped(", ".join(record.authors) + ".")
    yield from map(_wrapped, _labelled(record))
    yield "\n".join([*ids, f"PMID: {pmid_of(record)}{status}"])


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 80, break_long_words=False, break_on_hyphens=False)
