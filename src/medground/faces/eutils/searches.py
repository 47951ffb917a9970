"""esearch, and the smaller utilities: epost, einfo, espell, ecitmatch."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from lxml import etree

from medground.faces.eutils.catalogue import Leaf, Reading
from medground.faces.eutils.exchange import (
    Context,
    InvalidRequest,
    Parameters,
    Reply,
    eutils_doctype,
    json_reply,
    node,
    nodes_of,
    text_reply,
    wants_json,
    xml_reply,
)
from medground.faces.eutils.formats import date_limit
from medground.faces.eutils.links import SIMILAR_LINK
from medground.faces.eutils.records import Order
from medground.home.files import tables
from medground.pubmed.citation import citation_terms

DOCTYPE = eutils_doctype("eSearchResult", "esearch", "20060628")
MOST = 10_000
"""Maximum IDs per response, as at NCBI."""
_ORDERS: dict[str, Order] = tables("faces/eutils", "fields")["orders"]


def esearch(context: Context, parameters: Parameters) -> Reply:
    """Search."""
    term = context.history.expanded_query(parameters)
    if not term:
        raise InvalidRequest("Empty term and query_key - nothing todo")
    order = _ORDERS.get(parameters.text("sort").lower().replace("+", " "))
    within = date_limit(parameters, datetime.now(UTC).date())
    start = parameters.number("retstart", 0, MOST)
    size = min(parameters.number("retmax", 20, MOST), MOST - start)
    store = parameters.text("usehistory").lower() == "y"
    matches = context.catalogue.search(
        term,
        within,
        order or "newest",
        start=0 if store else start,
        limit=MOST if store else size,
        field=parameters.text("field"),
        check=context.check,
    )
    reading = matches.reading
    notes = [f"Unknown sort schema '{parameters.text('sort')[:40]}' ignored"] if order is None else []
    notes += [*reading.notes, *(() if matches.count else ("No items found.",))]
    stored = context.history.store(matches.ids, parameters.text("WebEnv"), reading.translation) if store else None
    as_json = wants_json(parameters)
    if parameters.text("rettype").lower() == "count":
        if as_json:
            return json_reply("esearch", {"esearchresult": {"count": str(matches.count)}})
        return xml_reply(node("eSearchResult", None, node("Count", matches.count)), DOCTYPE)
    page = matches.ids[start : start + size] if store else matches.ids
    facts = {"Count": str(matches.count), "RetMax": str(len(page)), "RetStart": str(start)}
    if stored:
        facts |= {"QueryKey": str(stored[0]), "WebEnv": stored[1]}
    return (_as_json if as_json else _as_xml)(facts, page, reading, notes)


def _as_xml(facts: dict[str, str], page: Sequence[str], reading: Reading, notes: list[str]) -> Reply:
    """XML, with elements in the order that esearch.dtd requires."""
    mapped = (node("Translation", None, node("From", a), node("To", b)) for a, b in reading.translations)
    root = node("eSearchResult", None, *nodes_of(facts), node("IdList", None, *(node("Id", each) for each in page)))
    root.append(node("TranslationSet", None, *mapped))
    if reading.stack:
        root.append(node("TranslationStack", None, *map(_stack_entry, reading.stack)))
    root.append(node("QueryTranslation", reading.translation))
    if reading.not_found:
        root.append(node("ErrorList", None, *(node("PhraseNotFound", phrase) for phrase in reading.not_found)))
    if notes or reading.absent:
        absent = (node("QuotedPhraseNotFound", f'"{phrase}"') for phrase in reading.absent)
        root.append(node("WarningList", None, *absent, *(node("OutputMessage", note) for note in notes)))
    return xml_reply(root, DOCTYPE)


def _as_json(facts: dict[str, str], page: Sequence[str], reading: Reading, notes: list[str]) -> Reply:
    content: dict[str, Any] = {name.lower(): value for name, value in facts.items()}
    content |= {
        "idlist": page,
        "translationset": [{"from": source, "to": target} for source, target in reading.translations],
        "querytranslation": reading.translation,
    }
    if reading.not_found:
        content["errorlist"] = {"phrasesnotfound": reading.not_found, "fieldsnotfound": []}
    if notes or reading.absent:
        absent = [f'"{phrase}"' for phrase in reading.absent]
        content["warninglist"] = {"phrasesignored": [], "quotedphrasesnotfound": absent, "outputmessages": notes}
    return json_reply("esearch", {"esearchresult": content})


def _stack_entry(entry: Leaf | str) -> etree._Element:
    if isinstance(entry, str):
        return node("OP", entry)
    term, name, count = node("Term", entry.term), node("Field", entry.field), node("Count", entry.count)
    return node("TermSet", None, term, name, count, node("Explode", "NY"[entry.explode]))


POST = eutils_doctype("ePostResult", "epost", "20090526")
INFO = eutils_doctype("eInfoResult", "einfo", "20190110")
SPELL = (
    '<!DOCTYPE eSpellResult PUBLIC "-//NLM//DTD eSpellResult, 23 November 2004//EN" '
    '"https://www.ncbi.nlm.nih.gov/entrez/query/DTD/eSpell.dtd">'
)
_FLAGS: Mapping[str, list[str]] = tables("faces/eutils", "fields")["flags"]
"""Properties of search fields, and the fields that have them."""


def epost(context: Context, parameters: Parameters) -> Reply:
    """Store IDs for later requests."""
    valid = {each: each.isascii() and each.isdigit() and len(each) <= 19 for each in parameters.ids}
    good, bad = ([each for each, holds in valid.items() if holds is wanted] for wanted in (True, False))
    if not good:
        raise InvalidRequest("Empty ID list; Nothing to store")
    key, session = context.history.store(good, parameters.text("WebEnv"))
    if wants_json(parameters):
        return json_reply("epost", {"epostresult": {"querykey": str(key), "webenv": session}})
    root = node("ePostResult")
    if bad:
        root.append(node("InvalidIdList", None, *(node("Id", each) for each in bad)))
    root.extend([node("QueryKey", key), node("WebEnv", session)])
    return xml_reply(root, POST)


def einfo(context: Context, parameters: Parameters) -> Reply:
    """Describe the database."""
    about = context.catalogue.about
    if not parameters.has("db"):
        if wants_json(parameters):
            return json_reply("einfo", {"einforesult": {"dblist": ["pubmed"]}})
        return xml_reply(node("eInfoResult", None, node("DbList", None, node("DbName", "pubmed"))), INFO)
    facts = {
        "DbName": "pubmed",
        "MenuName": "PubMed",
        "Description": f"PubMed records of the corpus {about.name}",
        "DbBuild": about.name,
        "Warning": about.missing,
        "Count": str(about.count),
        "LastUpdate": about.updated,
    }
    lists = {"FieldList": [_field(*names) for names in about.fields.items()], "LinkList": [SIMILAR_LINK]}
    if wants_json(parameters):
        whole: dict[str, object] = {name.lower(): value for name, value in facts.items()}
        for name, entries in lists.items():
            whole[name.lower()] = [{tag.lower(): value for tag, value in entry.items()} for entry in entries]
        return json_reply("einfo", {"einforesult": {"dbinfo": [whole]}})
    info = node("DbInfo", None, *nodes_of(facts))
    for name, entries in lists.items():
        entry = name.removesuffix("List")
        info.append(node(name, None, *(node(entry, None, *nodes_of(values)) for values in entries)))
    return xml_reply(node("eInfoResult", None, info), INFO)


def espell(context: Context, parameters: Parameters) -> Reply:
    """Suggest a corrected spelling of a query, empty if there is none."""
    term = parameters.text("term")
    if not term:
        raise InvalidRequest("Empty term")
    corrected = context.catalogue.spelling(term, context.check) or ""
    spelled = node("SpelledQuery", None, *([node("Replaced", corrected)] if corrected else []))
    facts = nodes_of({"Database": "pubmed", "Query": term, "CorrectedQuery": corrected})
    return xml_reply(node("eSpellResult", None, *facts, spelled, node("ERROR")), SPELL)


def _field(name: str, full: str) -> dict[str, str]:
    flags = {flag: "NY"[name in names] for flag, names in _FLAGS.items()}
    return {"Name": name, "FullName": full, "Description": full, "TermCount": "", **flags}


# ecitmatch: the PMIDs of citations, given as `journal|year|volume|first page|author|key|`.

_MOST_CITED = 1000
"""Maximum citations of a request."""


def ecitmatch(context: Context, parameters: Parameters) -> Reply:
    """A line for each citation: itself, and its PMID or why it has none."""
    lines = [line.strip() for line in parameters.text("bdata").replace("\r", "\n").splitlines() if line.strip()]
    if not lines:
        raise InvalidRequest("Empty bdata; send journal|year|volume|first page|author|key|")
    if len(lines) > _MOST_CITED:
        raise InvalidRequest(f"More than {_MOST_CITED:,} citations; send them in parts", status=413)
    return text_reply("".join(f"{line.rstrip('|')}|{_match(context, line)}\n" for line in lines))


def _match(context: Context, line: str) -> str:
    terms = citation_terms(line)

    def search(term: str) -> tuple[int, tuple[str, ...]]:
        found = context.catalogue.search(term, None, "newest", start=0, limit=1, check=context.check)
        return found.count, found.ids

    count, ids = search(" AND ".join(terms)) if terms else (0, ())
    if count == 1:
        return ids[0]
    if count:
        return f"AMBIGUOUS ({count} citations)"
    return "NOT_FOUND" if not line.partition("|")[0].strip() or search(terms[0])[0] else "NOT_FOUND;INVALID_JOURNAL"
