"""esummary: return metadata by PMID, in version 1 (XML) or 2 (XML and JSON)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lxml import etree

from medground.pubmed.server.parameters import Parameters
from medground.pubmed.server.reply import Context, Reply, fetched, json_reply, wants_json, xml_reply
from medground.pubmed.server.snapshot_catalogue import SnapshotCatalogue
from medground.pubmed.server.summary import Summary
from medground.pubmed.server.xml import eutils_doctype, node

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
