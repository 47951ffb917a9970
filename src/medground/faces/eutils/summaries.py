"""esummary and efetch: metadata of records, and the records themselves."""

import re
from collections.abc import Mapping
from typing import Any

from medground.corpus.readers.medline_record import MedlineRecord
from medground.corpus.readers.xml import record_element
from medground.faces.eutils import texts
from medground.faces.eutils.exchange import (
    Context,
    InvalidRequest,
    Parameters,
    Reply,
    fetched,
    json_reply,
    text_reply,
    wants_json,
    xml_reply,
    xml_stream,
)
from medground.faces.eutils.formats import held
from medground.home.files import tables
from medground.wording.templates import template

MOST = 10_000
MOST_IN_JSON = 500
"""Maximum records per response, as at NCBI."""
_STATES: Mapping[str, str] = tables("faces/eutils", "fields")["states"]
_RETRACTED = "Retracted Publication"
_SINCE = "Retracted, says a list that Medground ships"
"""Of a paper whose record, which is as NLM made it, does not say so."""
_OF_BOOKS: Mapping[str, str] = tables("faces/eutils", "fields")["books"]
_WORD = re.compile("(?<=[a-z])(?=[A-Z])")
Summary = dict[str, Any]


def esummary(context: Context, parameters: Parameters) -> Reply:
    """Return metadata of records. JSON is always version 2."""
    as_json = wants_json(parameters)
    wanted = _page(context, parameters, MOST_IN_JSON if as_json else MOST)
    found = {each: _summary(MedlineRecord(record_element(xml))) for each, xml in held(context, wanted)}
    for each, known in fetched(context, wanted):
        if known.retraction == "retracted" and _RETRACTED not in found[each]["pubtype"]:
            found[each]["attributes"].append(_SINCE)
    every = {each: found.get(each, {"uid": each, "error": "cannot get document summary"}) for each in wanted}
    if as_json:
        return json_reply("esummary", {"result": {"uids": wanted, **every}})
    around = template(__package__, f"summaries_{2 if parameters.text('version') == '2.0' else 1}.xml")
    made = around.generate(summaries=every.values(), build=context.catalogue.about.name)
    return xml_stream(part.encode() for part in made)


def _page(context: Context, parameters: Parameters, most: int) -> list[str]:
    ids = context.history.requested_ids(parameters)
    start = parameters.number("retstart", 0, 1 << 40)
    return ids[start : start + parameters.number("retmax", most, most)]


def _summary(record: MedlineRecord) -> Summary:
    """The metadata of a record, as it is in JSON; dates are in NCBI's formats, and there is no abstract."""
    people = [
        (author.name, "CollectiveName" if author.group else "Author") for author in record.authors if author.is_valid
    ]
    names = [name for name, _ in people]
    issns = dict(record.issns)
    return {
        "uid": record.pmid,
        "pubdate": record.printed,
        "epubdate": record.date("Article/ArticleDate"),
        "source": record.abbreviation,
        "authors": [{"name": name, "authtype": kind, "clusterid": ""} for name, kind in people],
        "lastauthor": names[-1] if names else "",
        "title": record.english_title,
        "sorttitle": re.sub(r"^\W*(?:(?:the|an?) )?|\W*$", "", record.english_title.lower()),
        "volume": record.volume,
        "issue": record.issue,
        "pages": record.pages,
        "lang": [*record.languages] or ["und"],
        "nlmuniqueid": record.text("MedlineJournalInfo/NlmUniqueID"),
        "issn": issns.get("Print", ""),
        "essn": issns.get("Electronic", ""),
        "pubtype": [*record.types],
        "recordstatus": _STATES.get(record.citation.get("Status", ""), "PubMed"),
        "pubstatus": record.publication_status,
        "articleids": [{"idtype": kind, "idtypen": 0, "value": value} for kind, value in record.article_ids],
        "history": [{"pubstatus": state, "date": stamp} for state, stamp in record.history],
        "references": [
            {"refsource": place, "reftype": _WORD.sub(" ", kind).capitalize(), "pmid": pmid, "note": ""}
            for kind, pmid, place in record.corrections
            if kind != "Cites"
        ],
        "attributes": ["Has Abstract"] if record.abstract.parts else [],
        "pmcrefcount": "",
        "fulljournalname": record.journal,
        "elocationid": " ".join(f"{kind}: {value}" for kind, value in record.locations),
        "doctype": "book" if record.is_book else "citation",
        **{name: record.text(path) for name, path in _OF_BOOKS.items()},
        "sortpubdate": _timestamp(record.dates.get("published", "")),
        "sortfirstauthor": names[0] if names else "",
        "so": texts.citation_source(record),
        "vernaculartitle": record.text("Article/VernacularTitle"),
    }


def _timestamp(iso: str) -> str:
    """Format `2001-06` as `2001/06/01 00:00`, as NCBI does. An empty string stays empty."""
    return f"{'/'.join([*iso.split('-'), '01', '01'][:3])} 00:00" if iso else ""


_ARTICLES = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n'
    b'<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" '
    b'"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n<PubmedArticleSet>'
)
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
    ids = _page(context, parameters, MOST)
    if form == "uilist":
        records_of = context.catalogue.fetch(ids)
        known = [each for each in ids if each in records_of]
        if as_text:
            return text_reply("".join(f"{each}\n" for each in known))
        return xml_reply("uilist", {"ids": known})
    found = (xml for _, xml in held(context, ids))
    if not as_text:
        return xml_stream((_ARTICLES, *found, b"</PubmedArticleSet>"))
    records = (MedlineRecord(record_element(xml)) for xml in found)
    return text_reply(texts.medline_text(records) if form == "medline" else texts.abstract_text(records))
