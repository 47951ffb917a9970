"""The smaller utilities: epost, einfo, espell, elink."""

from __future__ import annotations

from lxml import etree

from medground.pubmed.server.parameters import InvalidRequest, Parameters
from medground.pubmed.server.reply import Context, Reply, json_reply, wants_json, xml_reply
from medground.pubmed.server.xml import eutils_doctype, node

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
