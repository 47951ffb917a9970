"""esummary and efetch: metadata of records, and the records themselves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from lxml import etree

from medground.faces.eutils.catalogue import SnapshotCatalogue
from medground.faces.eutils.formats import (
    ARTICLE_DOCTYPE,
    abstract_parts,
    abstract_text,
    article,
    medline_text,
    pmid_of,
    publication_date,
    timestamp,
    types_of,
)
from medground.faces.eutils.records_fields import date_of
from medground.faces.eutils.replies import (
    Context,
    Reply,
    eutils_doctype,
    fetched,
    json_reply,
    node,
    text_reply,
    wants_json,
    xml_reply,
    xml_stream,
)
from medground.faces.eutils.requests import History, InvalidRequest, Parameters
from medground.values.document import Document

# Metadata of one record for esummary.


@dataclass(frozen=True)
class Summary:
    """Metadata of a record, without its abstract. Dates are in NCBI's formats."""

    id: str
    date: str
    sort_date: str
    journal: str
    authors: tuple[str, ...]
    title: str
    language: str
    types: list[str]
    status: str
    ids: list[tuple[str, str]]
    entered: str
    has_abstract: bool

    @classmethod
    def of(cls, record: Document) -> Summary:
        """Build the summary of a record."""
        pmid, published = pmid_of(record), date_of(record, "published")
        return cls(
            id=pmid,
            date=publication_date(published) if published else "",
            sort_date=timestamp(published),
            journal=record.journal or "",
            authors=record.authors,
            title=record.title,
            language=record.language or "und",
            types=types_of(record),
            status="PubMed - indexed for MEDLINE" if record.mesh else "PubMed",
            ids=[("pubmed", pmid), *((k, v) for k, v in record.identifiers.items() if k not in ("pmid", "pubmed"))],
            entered=timestamp(date_of(record, "entered")),
            has_abstract=bool(abstract_parts(record)),
        )

    @property
    def last_author(self) -> str:
        """The last author, or an empty string."""
        return self.authors[-1] if self.authors else ""

    @property
    def doi(self) -> str:
        """`doi: 10....`, or an empty string."""
        found = dict(self.ids).get("doi")
        return f"doi: {found}" if found else ""


# esummary: return metadata by PMID, in version 1 (XML) or 2 (XML and JSON).

DOCTYPE = eutils_doctype("eSummaryResult", "esummary v1", "20041029", "esummary-v1")
_DOCTYPE_2 = eutils_doctype("eSummaryResult", "esummary pubmed", "20160808", "esummary_pubmed")
MOST = 10_000
MOST_IN_JSON = 500
"""Maximum records per response, as at NCBI."""
_UNKNOWN = "cannot get document summary"


def esummary(context: Context, parameters: Parameters) -> Reply:
    """Return metadata of records. JSON is always version 2.

    Raises:
        InvalidRequest: there are no IDs.
    """
    as_json = wants_json(parameters)
    ids = context.history.requested_ids(parameters)
    most = MOST_IN_JSON if as_json else MOST
    start = parameters.number("retstart", 0, 1 << 40)
    wanted = ids[start : start + parameters.number("retmax", most, most)]
    found = {each: Summary.of(record) for each, record in fetched(context, wanted)}
    if as_json:
        errors = {each: {"uid": each, "error": _UNKNOWN} for each in wanted if each not in found}
        listed = {each: _as_json(summary) for each, summary in found.items()}
        return json_reply("esummary", {"result": {"uids": wanted, **listed, **errors}})
    unknown = [each for each in wanted if each not in found]
    if parameters.text("version") == "2.0":
        return xml_reply(_version_2(context.catalogue, found.values(), unknown), _DOCTYPE_2)
    return xml_reply(_version_1(found.values(), unknown), DOCTYPE)


def _version_1(summaries: Iterable[Summary], unknown: list[str]) -> etree._Element:
    errors = (node("ERROR", f"UID={each}: {_UNKNOWN}") for each in unknown)
    return node("eSummaryResult", None, *map(_summary_1, summaries), *errors)


def _summary_1(summary: Summary) -> etree._Element:
    return node(
        "DocSum",
        None,
        node("Id", summary.id),
        _item("PubDate", "Date", summary.date),
        _item("EPubDate", "Date", ""),
        _item("Source", "String", summary.journal),
        _list("AuthorList", ("Author", "String"), summary.authors),
        _item("LastAuthor", "String", summary.last_author),
        _item("Title", "String", summary.title),
        *(_item(name, "String", "") for name in ("Volume", "Issue", "Pages")),
        _list("LangList", ("Lang", "String"), [summary.language]),
        *(_item(name, "String", "") for name in ("NlmUniqueID", "ISSN", "ESSN")),
        _list("PubTypeList", ("PubType", "String"), summary.types),
        _item("RecordStatus", "String", summary.status),
        _item("PubStatus", "String", "ppublish"),
        node("Item", None, *(_item(k, "String", v) for k, v in summary.ids), Name="ArticleIds", Type="List"),
        _list("History", ("entrez", "Date"), [summary.entered] if summary.entered else []),
        _list("References", ("Reference", "String"), []),
        _item("HasAbstract", "Integer", str(int(summary.has_abstract))),
        _item("PmcRefCount", "Integer", "0"),
        _item("FullJournalName", "String", summary.journal),
        _item("ELocationID", "String", summary.doi),
        _item("SO", "String", summary.date),
    )


def _item(name: str, kind: str, value: str) -> etree._Element:
    return node("Item", value, Name=name, Type=kind)


def _list(name: str, entry: tuple[str, str], values: Iterable[str]) -> etree._Element:
    return node("Item", None, *(_item(*entry, value) for value in values), Name=name, Type="List")


def _as_json(summary: Summary) -> dict[str, Any]:
    empty = ("epubdate", "volume", "issue", "pages", "nlmuniqueid", "issn", "essn", "pmcrefcount", "vernaculartitle")
    return {
        "uid": summary.id,
        "pubdate": summary.date,
        "source": summary.journal,
        "authors": [{"name": name, "authtype": "Author", "clusterid": ""} for name in summary.authors],
        "lastauthor": summary.last_author,
        "title": summary.title,
        "sorttitle": summary.title.lower(),
        "lang": [summary.language],
        "pubtype": summary.types,
        "recordstatus": summary.status,
        "pubstatus": "ppublish",
        "articleids": [{"idtype": kind, "idtypen": 0, "value": value} for kind, value in summary.ids],
        "history": [{"pubstatus": "entrez", "date": summary.entered}] if summary.entered else [],
        "references": [],
        "attributes": ["Has Abstract"] if summary.has_abstract else [],
        "fulljournalname": summary.journal,
        "elocationid": summary.doi,
        "doctype": "citation",
        "sortpubdate": summary.sort_date,
        "sortfirstauthor": summary.authors[0] if summary.authors else "",
        **dict.fromkeys(empty, ""),
    }


def _version_2(catalogue: SnapshotCatalogue, summaries: Iterable[Summary], unknown: list[str]) -> etree._Element:
    errors = (node("DocumentSummary", None, node("error", _UNKNOWN), uid=each) for each in unknown)
    entries = map(_summary_2, summaries)
    whole = node("DocumentSummarySet", None, node("DbBuild", catalogue.about.name), *entries, *errors, status="OK")
    return node("eSummaryResult", None, whole)


def _summary_2(summary: Summary) -> etree._Element:
    authors = (node("Author", None, node("Name", name), node("AuthType", "Author")) for name in summary.authors)
    ids = (node("ArticleId", None, node("IdType", kind), node("Value", value)) for kind, value in summary.ids)
    entered = [node("PubMedPubDate", None, node("PubStatus", "entrez"), node("Date", summary.entered))]
    return node(
        "DocumentSummary",
        None,
        node("PubDate", summary.date),
        node("EPubDate"),
        node("Source", summary.journal),
        node("Authors", None, *authors),
        node("LastAuthor", summary.last_author),
        node("Title", summary.title),
        node("SortTitle", summary.title.lower()),
        *(node(name) for name in ("Volume", "Issue", "Pages")),
        node("Lang", None, node("string", summary.language)),
        *(node(name) for name in ("NlmUniqueID", "ISSN", "ESSN")),
        node("PubType", None, *(node("flag", kind) for kind in summary.types)),
        node("RecordStatus", summary.status),
        node("PubStatus", "ppublish"),
        node("ArticleIds", None, *ids),
        node("History", None, *(entered if summary.entered else [])),
        node("References"),
        node("Attributes", None, *([node("flag", "Has Abstract")] if summary.has_abstract else [])),
        node("FullJournalName", summary.journal),
        node("ELocationID", summary.doi),
        node("DocType", "citation"),
        node("SortPubDate", summary.sort_date),
        node("SortFirstAuthor", summary.authors[0] if summary.authors else ""),
        uid=summary.id,
    )


# efetch: return records by PMID.

"""Maximum records per response, as at NCBI."""
_ID_LIST = '<!DOCTYPE IdList PUBLIC "-//NLM//DTD uilist 20131216//EN" "https://eutils.ncbi.nlm.nih.gov/eutils/dtd/20131216/uilist.dtd">'
_TEXTS = ("medline", "abstract", "uilist")


def efetch(context: Context, parameters: Parameters) -> Reply:
    """Return records as XML, unless the request asks for text or a text-only format.

    Raises:
        InvalidRequest: there are no IDs, or the format does not exist.
    """
    form, mode = parameters.text("rettype").lower(), parameters.text("retmode").lower()
    if form not in ("", "xml", "null", "full", "docsum", *_TEXTS) or mode not in ("", "xml", "text", "null"):
        raise InvalidRequest(f"Invalid rettype or retmode: {form[:20]} {mode[:20]}", status=400)
    # Metapub requests `rettype=xml&retmode=text`, for which NCBI returns XML.
    as_text = form != "xml" and (mode == "text" or (mode != "xml" and form in _TEXTS))
    if form == "docsum":
        return esummary(context, parameters)
    ids = _page(context.history, parameters)
    if form == "uilist":
        known = context.catalogue.known(ids)
        if as_text:
            return text_reply("".join(f"{each}\n" for each in known))
        return xml_reply(node("IdList", None, *(node("Id", each) for each in known)), _ID_LIST)
    records = (record for _, record in fetched(context, ids))
    if not as_text:
        return xml_stream("PubmedArticleSet", map(article, records), ARTICLE_DOCTYPE)
    return text_reply(medline_text(records) if form == "medline" else abstract_text(records))


def _page(history: History, parameters: Parameters) -> list[str]:
    ids = history.requested_ids(parameters)
    start = parameters.number("retstart", 0, 1 << 40)
    return ids[start : start + parameters.number("retmax", MOST, MOST)]
