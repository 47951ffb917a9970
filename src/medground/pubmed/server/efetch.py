"""efetch: return records by PMID."""

from __future__ import annotations

from medground.pubmed.server.esummary import esummary
from medground.pubmed.server.history import History
from medground.pubmed.server.medline_text import abstract_text, medline_text
from medground.pubmed.server.medline_xml import ARTICLE_DOCTYPE, article
from medground.pubmed.server.parameters import InvalidRequest, Parameters
from medground.pubmed.server.reply import Context, Reply, fetched, text_reply, xml_reply, xml_stream
from medground.pubmed.server.xml import node

MOST = 10_000
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
