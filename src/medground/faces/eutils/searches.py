"""esearch, and the smaller utilities: epost, einfo, espell, elink."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from lxml import etree

from medground.faces.eutils.catalogue import Leaf, Reading
from medground.faces.eutils.formats import date_limit
from medground.faces.eutils.records import Order
from medground.faces.eutils.replies import Context, Reply, eutils_doctype, json_reply, node, wants_json, xml_reply
from medground.faces.eutils.requests import InvalidRequest, Parameters

# esearch: return PMIDs for a query.

DOCTYPE = eutils_doctype("eSearchResult", "esearch", "20060628")
MOST = 10_000
"""Maximum IDs per response, as at NCBI."""
_ORDERS: dict[str, Order] = {
    "": "newest",
    "most recent": "newest",
    "relevance": "relevance",
    "pub_date": "published",
    "pub date": "published",
    "author": "author",
    "first author": "author",
    "journalname": "journal",
    "journal": "journal",
    "title": "title",
}


def esearch(context: Context, parameters: Parameters) -> Reply:
    """Search.

    Raises:
        InvalidRequest: the query is empty, or a parameter is not valid.
    """
    term = context.history.expanded_query(parameters)
    if not term:
        raise InvalidRequest("Empty term and query_key - nothing todo")
    order = _ORDERS.get(parameters.text("sort").lower().replace("+", " "))
    within = date_limit(parameters, datetime.now(UTC).date())
    start = parameters.number("retstart", 0, MOST)
    size = min(parameters.number("retmax", 20, MOST), MOST - start)
    store = parameters.text("usehistory").lower() == "y"
    wanted = (0, MOST) if store else (start, size)
    matches = context.catalogue.search(
        term,
        within,
        order or "newest",
        start=wanted[0],
        limit=wanted[1],
        field=parameters.text("field"),
        check=context.check,
    )
    notes = [f"Unknown sort schema '{parameters.text('sort')[:40]}' ignored"] if order is None else []
    notes += matches.reading.notes
    stored = None
    if store:
        stored = context.history.store(matches.ids, parameters.text("WebEnv"), matches.reading.translation)
    answer = _Answer(
        count=matches.count,
        page=matches.ids[start : start + size] if store else matches.ids,
        start=start,
        stored=stored,
        reading=matches.reading,
        notes=notes if matches.count else [*notes, "No items found."],
    )
    only_count = parameters.text("rettype").lower() == "count"
    if wants_json(parameters):
        return json_reply("esearch", {"esearchresult": answer.as_json(only_count=only_count)})
    return xml_reply(answer.as_xml(only_count=only_count), DOCTYPE)


@dataclass(frozen=True)
class _Answer:
    """The response to a search. `stored` is the key and session under which its IDs are stored."""

    count: int
    page: tuple[str, ...]
    start: int
    stored: tuple[int, str] | None
    reading: Reading
    notes: list[str]

    def as_xml(self, *, only_count: bool) -> etree._Element:
        """Return XML, with elements in the order that esearch.dtd requires."""
        root = node("eSearchResult", None, node("Count", self.count))
        if only_count:
            return root
        reading = self.reading
        root.extend([node("RetMax", len(self.page)), node("RetStart", self.start)])
        if self.stored:
            root.extend([node("QueryKey", self.stored[0]), node("WebEnv", self.stored[1])])
        root.append(node("IdList", None, *(node("Id", each) for each in self.page)))
        mapped = (node("Translation", None, node("From", a), node("To", b)) for a, b in reading.translations)
        root.append(node("TranslationSet", None, *mapped))
        if reading.stack:
            root.append(node("TranslationStack", None, *map(_stack_entry, reading.stack)))
        root.append(node("QueryTranslation", reading.translation))
        if reading.not_found:
            root.append(node("ErrorList", None, *(node("PhraseNotFound", phrase) for phrase in reading.not_found)))
        if self.notes:
            root.append(node("WarningList", None, *(node("OutputMessage", note) for note in self.notes)))
        return root

    def as_json(self, *, only_count: bool) -> dict[str, Any]:
        """Return the content for JSON, with NCBI's names."""
        content: dict[str, Any] = {"count": str(self.count)}
        if only_count:
            return content
        content |= {"retmax": str(len(self.page)), "retstart": str(self.start)}
        if self.stored:
            content |= {"querykey": str(self.stored[0]), "webenv": self.stored[1]}
        content |= {
            "idlist": self.page,
            "translationset": [{"from": source, "to": target} for source, target in self.reading.translations],
            "querytranslation": self.reading.translation,
        }
        if self.reading.not_found:
            content["errorlist"] = {"phrasesnotfound": self.reading.not_found, "fieldsnotfound": []}
        if self.notes:
            content["warninglist"] = {"phrasesignored": [], "quotedphrasesnotfound": [], "outputmessages": self.notes}
        return content


def _stack_entry(entry: Leaf | str) -> etree._Element:
    if isinstance(entry, str):
        return node("OP", entry)
    term, name, count = node("Term", entry.term), node("Field", entry.field), node("Count", entry.count)
    return node("TermSet", None, term, name, count, node("Explode", "NY"[entry.explode]))


# The smaller utilities: epost, einfo, espell, elink.

POST = eutils_doctype("ePostResult", "epost", "20090526")
INFO = eutils_doctype("eInfoResult", "einfo", "20190110")
LINK = eutils_doctype("eLinkResult", "elink", "20101123")
SPELL = (
    '<!DOCTYPE eSpellResult PUBLIC "-//NLM//DTD eSpellResult, 23 November 2004//EN" '
    '"https://www.ncbi.nlm.nih.gov/entrez/query/DTD/eSpell.dtd">'
)
_SIMILAR = "pubmed_pubmed"
_SIMILAR_SET = {"DbTo": "pubmed", "LinkName": _SIMILAR}
_COMMANDS = ("neighbor", "neighbor_score", "neighbor_history")
_MOST_SIMILAR = 100
_FLAGS = {
    "IsDate": ("PDAT", "EDAT", "MDAT", "CRDT"),
    "IsNumerical": ("UID",),
    "SingleToken": ("UID", "MESH", "MAJR", "AUTH", "JOUR", "PTYP", "LANG"),
    "Hierarchy": ("MESH", "MAJR"),
    "IsHidden": (),
}
"""Properties of search fields, and the fields that have them."""


def epost(context: Context, parameters: Parameters) -> Reply:
    """Store IDs for later requests.

    Raises:
        InvalidRequest: there is no valid ID.
    """
    ids = parameters.ids
    good = [each for each in ids if each.isascii() and each.isdigit() and len(each) <= 19]
    known = set(good)
    bad = [each for each in ids if each not in known]
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
        "Count": str(about.count),
        "LastUpdate": about.updated,
    }
    fields = [_field(name, full) for name, full in about.fields.items()]
    links = [("pubmed_pubmed", "Similar articles", "Records with similar words and MeSH terms")]
    if wants_json(parameters):
        as_json = {name.lower(): value for name, value in facts.items()}
        listed = [{tag.lower(): value for tag, value in field.items()} for field in fields]
        linked = [{"name": n, "menu": m, "description": d, "dbto": "pubmed"} for n, m, d in links]
        whole = {**as_json, "fieldlist": listed, "linklist": linked}
        return json_reply("einfo", {"einforesult": {"dbinfo": [whole]}})
    info = node("DbInfo", None, *_nodes(facts))
    info.append(node("FieldList", None, *(node("Field", None, *_nodes(field)) for field in fields)))
    entries = ({"Name": n, "Menu": m, "Description": d, "DbTo": "pubmed"} for n, m, d in links)
    info.append(node("LinkList", None, *(node("Link", None, *_nodes(entry)) for entry in entries)))
    return xml_reply(node("eInfoResult", None, info), INFO)


def espell(context: Context, parameters: Parameters) -> Reply:
    """Suggest a corrected spelling of a query, empty if there is none.

    Raises:
        InvalidRequest: the query is empty.
    """
    term = parameters.text("term")
    if not term:
        raise InvalidRequest("Empty term")
    corrected = context.catalogue.spelling(term, context.check) or ""
    spelled = node("SpelledQuery")
    if corrected:
        spelled.append(node("Replaced", corrected))
    root = node(
        "eSpellResult", None, node("Database", "pubmed"), node("Query", term), node("CorrectedQuery", corrected)
    )
    root.extend([spelled, node("ERROR")])
    return xml_reply(root, SPELL)


def elink(context: Context, parameters: Parameters) -> Reply:
    """Return similar records: as a list, with scores (`neighbor_score`), or stored (`neighbor_history`).

    Other links are not available.

    Raises:
        InvalidRequest: there are no IDs, or the command is not supported.
    """
    command = parameters.text("cmd", "neighbor").lower() or "neighbor"
    if command not in _COMMANDS:
        raise InvalidRequest(f"Command {command[:20]} is not supported; use one of: {', '.join(_COMMANDS)}")
    groups = parameters.id_groups or [context.history.requested_ids(parameters)]
    linked = parameters.text("linkname") in ("", _SIMILAR) and parameters.text("db", "pubmed") in ("", "pubmed")
    sets = [(ids, _similar(context, ids) if linked else []) for ids in groups if ids]
    if command == "neighbor_history":
        return _stored_links(context, parameters, sets)
    with_scores = command == "neighbor_score"
    if wants_json(parameters):
        return json_reply("elink", {"linksets": [_as_json(ids, links, with_scores) for ids, links in sets]})
    return xml_reply(node("eLinkResult", None, *(_link_set(i, links, with_scores) for i, links in sets)), LINK)


def _stored_links(
    context: Context, parameters: Parameters, sets: list[tuple[list[str], list[tuple[str, int]]]]
) -> Reply:
    """Store the links of each group of IDs under a key, all in one session."""
    session, root, as_json = parameters.text("WebEnv"), node("eLinkResult"), []
    for ids, links in sets:
        group = _link_set(ids, [], with_scores=False)
        entry: dict[str, object] = {"dbfrom": "pubmed", "ids": ids}
        if links:
            key, session = context.history.store([pmid for pmid, _ in links], session)
            group.append(node("LinkSetDbHistory", None, *_nodes(_SIMILAR_SET), node("QueryKey", key)))
            group.append(node("WebEnv", session))
            stored = {"dbto": "pubmed", "linkname": _SIMILAR, "querykey": str(key)}
            entry |= {"linksetdbhistories": [stored], "webenv": session}
        root.append(group)
        as_json.append(entry)
    return json_reply("elink", {"linksets": as_json}) if wants_json(parameters) else xml_reply(root, LINK)


def _similar(context: Context, ids: list[str]) -> list[tuple[str, int]]:
    """Return the records most similar to any of the IDs, with integer scores as at NCBI."""
    best: dict[str, float] = {}
    for pmid in ids[:_MOST_SIMILAR]:
        context.check()
        for other, score in context.catalogue.similar(pmid, _MOST_SIMILAR):
            best[other] = max(score, best.get(other, 0.0))
    ordered = sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST_SIMILAR]
    return [(pmid, round(score * 1_000_000)) for pmid, score in ordered]


def _link_set(ids: list[str], links: list[tuple[str, int]], with_scores: bool) -> etree._Element:
    group = node("LinkSet", None, node("DbFrom", "pubmed"), node("IdList", None, *(node("Id", each) for each in ids)))
    if links:
        facts = ({"Id": pmid} | ({"Score": str(score)} if with_scores else {}) for pmid, score in links)
        entries = (node("Link", None, *_nodes(each)) for each in facts)
        group.append(node("LinkSetDb", None, node("DbTo", "pubmed"), node("LinkName", _SIMILAR), *entries))
    return group


def _as_json(ids: list[str], links: list[tuple[str, int]], with_scores: bool) -> dict[str, object]:
    entries = [{"id": pmid, "score": score} if with_scores else pmid for pmid, score in links]
    content: dict[str, object] = {"dbfrom": "pubmed", "ids": ids}
    return content | ({"linksetdbs": [{"dbto": "pubmed", "linkname": _SIMILAR, "links": entries}]} if links else {})


def _field(name: str, full: str) -> dict[str, str]:
    flags = {flag: "NY"[name in names] for flag, names in _FLAGS.items()}
    return {"Name": name, "FullName": full, "Description": full, "TermCount": "", **flags}


def _nodes(values: dict[str, str]) -> list[etree._Element]:
    return [node(tag, value) for tag, value in values.items()]
