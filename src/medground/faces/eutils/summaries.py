"""esummary and efetch: metadata of records, and the records themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lxml import etree

from medground.faces.eutils import formats
from medground.faces.eutils.catalogue import SnapshotCatalogue
from medground.faces.eutils.exchange import (
    Context,
    InvalidRequest,
    Parameters,
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
from medground.faces.eutils.records_fields import date_of
from medground.values.document import Document

DOCTYPE = eutils_doctype("eSummaryResult", "esummary v1", "20041029", "esummary-v1")
_DOCTYPE_2 = eutils_doctype("eSummaryResult", "esummary pubmed", "20160808", "esummary_pubmed")
MOST = 10_000
MOST_IN_JSON = 500
"""Maximum records per response, as at NCBI."""
_UNKNOWN = "cannot get document summary"
_EMPTY = ("epubdate", "volume", "issue", "pages", "nlmuniqueid", "issn", "essn", "pmcrefcount", "vernaculartitle")
"""What NCBI says of a record and no corpus holds."""
Summary = dict[str, Any]


def esummary(context: Context, parameters: Parameters) -> Reply:
    """Return metadata of records. JSON is always version 2."""
    as_json = wants_json(parameters)
    ids = context.history.requested_ids(parameters)
    most = MOST_IN_JSON if as_json else MOST
    start = parameters.number("retstart", 0, 1 << 40)
    wanted = ids[start : start + parameters.number("retmax", most, most)]
    found = {each: _summary(record) for each, record in fetched(context, wanted)}
    unknown = [each for each in wanted if each not in found]
    if as_json:
        errors = {each: {"uid": each, "error": _UNKNOWN} for each in unknown}
        return json_reply("esummary", {"result": {"uids": wanted, **found, **errors}})
    if parameters.text("version") == "2.0":
        return xml_reply(_version_2(context.catalogue, found.values(), unknown), _DOCTYPE_2)
    missing = (node("ERROR", f"UID={each}: {_UNKNOWN}") for each in unknown)
    return xml_reply(node("eSummaryResult", None, *map(_summary_1, found.values()), *missing), DOCTYPE)


def _summary(record: Document) -> Summary:
    """The metadata of a record, as it is in JSON; dates are in NCBI's formats, and there is no abstract."""
    pmid, published, entered = formats.pmid_of(record), date_of(record, "published"), date_of(record, "entered")
    ids = [("pubmed", pmid), *((k, v) for k, v in record.identifiers.items() if k not in ("pmid", "pubmed"))]
    doi = record.identifiers.get("doi")
    return {
        "uid": pmid,
        "pubdate": formats.publication_date(published) if published else "",
        "source": record.journal or "",
        "authors": [{"name": name, "authtype": "Author", "clusterid": ""} for name in record.authors],
        "lastauthor": record.authors[-1] if record.authors else "",
        "title": record.title,
        "sorttitle": record.title.lower(),
        "lang": [record.language or "und"],
        "pubtype": formats.types_of(record),
        "recordstatus": "PubMed - indexed for MEDLINE" if record.mesh else "PubMed",
        "pubstatus": "ppublish",
        "articleids": [{"idtype": kind, "idtypen": 0, "value": value} for kind, value in ids],
        "history": [{"pubstatus": "entrez", "date": formats.timestamp(entered)}] if entered else [],
        "references": [],
        "attributes": ["Has Abstract"] if formats.abstract_parts(record) else [],
        "fulljournalname": record.journal or "",
        "elocationid": f"doi: {doi}" if doi else "",
        "doctype": "citation",
        "sortpubdate": formats.timestamp(published),
        "sortfirstauthor": record.authors[0] if record.authors else "",
        **dict.fromkeys(_EMPTY, ""),
    }


def _summary_1(summary: Summary) -> etree._Element:
    def item(name: str, value: str | None = None, kind: str = "String") -> etree._Element:
        return node("Item", summary[name.lower()] if value is None else value, Name=name, Type=kind)

    def several(name: str, entry: str, values: Iterable[str], kind: str = "String") -> etree._Element:
        return node("Item", None, *(item(entry, value, kind) for value in values), Name=name, Type="List")

    ids = (item(one["idtype"], one["value"]) for one in summary["articleids"])
    return node(
        "DocSum",
        None,
        node("Id", summary["uid"]),
        *(item(name, kind="Date") for name in ("PubDate", "EPubDate")),
        item("Source"),
        several("AuthorList", "Author", (one["name"] for one in summary["authors"])),
        *map(item, ("LastAuthor", "Title", "Volume", "Issue", "Pages")),
        several("LangList", "Lang", summary["lang"]),
        *map(item, ("NlmUniqueID", "ISSN", "ESSN")),
        several("PubTypeList", "PubType", summary["pubtype"]),
        *map(item, ("RecordStatus", "PubStatus")),
        node("Item", None, *ids, Name="ArticleIds", Type="List"),
        several("History", "entrez", (one["date"] for one in summary["history"]), "Date"),
        several("References", "Reference", []),
        item("HasAbstract", str(len(summary["attributes"])), "Integer"),
        item("PmcRefCount", "0", "Integer"),
        *map(item, ("FullJournalName", "ELocationID")),
        item("SO", summary["pubdate"]),
    )


def _version_2(catalogue: SnapshotCatalogue, summaries: Iterable[Summary], unknown: list[str]) -> etree._Element:
    errors = (node("DocumentSummary", None, node("error", _UNKNOWN), uid=each) for each in unknown)
    entries = map(_summary_2, summaries)
    whole = node("DocumentSummarySet", None, node("DbBuild", catalogue.about.name), *entries, *errors, status="OK")
    return node("eSummaryResult", None, whole)


def _summary_2(summary: Summary) -> etree._Element:
    def facts(*names: str) -> Iterator[etree._Element]:
        return (node(name, None if (key := name.lower()) in _EMPTY else summary[key]) for name in names)

    def flags(name: str, tag: str, values: Iterable[str]) -> etree._Element:
        return node(name, None, *(node(tag, value) for value in values))

    def pairs(name: str, entry: str, keys: Mapping[str, str]) -> etree._Element:
        entries = summary[name.lower()]
        return node(name, None, *(node(entry, None, *(node(t, one[k]) for t, k in keys.items())) for one in entries))

    return node(
        "DocumentSummary",
        None,
        *facts("PubDate", "EPubDate", "Source"),
        pairs("Authors", "Author", {"Name": "name", "AuthType": "authtype"}),
        *facts("LastAuthor", "Title", "SortTitle", "Volume", "Issue", "Pages"),
        flags("Lang", "string", summary["lang"]),
        *facts("NlmUniqueID", "ISSN", "ESSN"),
        flags("PubType", "flag", summary["pubtype"]),
        *facts("RecordStatus", "PubStatus"),
        pairs("ArticleIds", "ArticleId", {"IdType": "idtype", "Value": "value"}),
        pairs("History", "PubMedPubDate", {"PubStatus": "pubstatus", "Date": "date"}),
        node("References"),
        flags("Attributes", "flag", summary["attributes"]),
        *facts("FullJournalName", "ELocationID", "DocType", "SortPubDate", "SortFirstAuthor"),
        uid=summary["uid"],
    )


_ID_LIST = '<!DOCTYPE IdList PUBLIC "-//NLM//DTD uilist 20131216//EN" "https://eutils.ncbi.nlm.nih.gov/eutils/dtd/20131216/uilist.dtd">'
_TEXTS = ("medline", "abstract", "uilist")


def efetch(context: Context, parameters: Parameters) -> Reply:
    """Return records as XML, unless the request asks for text or a text-only format."""
    form, mode = parameters.text("rettype").lower(), parameters.text("retmode").lower()
    if form not in ("", "xml", "null", "full", "docsum", *_TEXTS) or mode not in ("", "xml", "text", "null"):
        raise InvalidRequest(f"Invalid rettype or retmode: {form[:20]} {mode[:20]}", status=400)
    # Metapub requests `rettype=xml&retmode=text`, for which NCBI returns XML.
    as_text = form != "xml" and (mode == "text" or (mode != "xml" and form in _TEXTS))
    if form == "docsum":
        return esummary(context, parameters)
    asked, start = context.history.requested_ids(parameters), parameters.number("retstart", 0, 1 << 40)
    ids = asked[start : start + parameters.number("retmax", MOST, MOST)]
    if form == "uilist":
        records_of = context.catalogue.fetch(ids)
        known = [each for each in ids if each in records_of]
        if as_text:
            return text_reply("".join(f"{each}\n" for each in known))
        return xml_reply(node("IdList", None, *(node("Id", each) for each in known)), _ID_LIST)
    records = (record for _, record in fetched(context, ids))
    if not as_text:
        return xml_stream("PubmedArticleSet", map(formats.article, records), formats.ARTICLE_DOCTYPE)
    return text_reply(formats.medline_text(records) if form == "medline" else formats.abstract_text(records))
