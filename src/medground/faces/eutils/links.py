"""elink: similar records, which links there are (`acheck`, `ncheck`, `lcheck`), and where papers are (`prlinks`)."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from medground.faces.eutils.exchange import (
    Context,
    InvalidRequest,
    Parameters,
    Reply,
    eutils_doctype,
    fetched,
    json_reply,
    node,
    nodes_of,
    wants_json,
    xml_reply,
)
from medground.values.document import Document

LINK = eutils_doctype("eLinkResult", "elink", "20101123")
_SIMILAR = "pubmed_pubmed"
_SIMILAR_SET = {"DbTo": "pubmed", "LinkName": _SIMILAR}
_MENU = "Similar articles"
SIMILAR_LINK = {
    "Name": _SIMILAR,
    "Menu": _MENU,
    "Description": "Records with similar words and MeSH terms",
    "DbTo": "pubmed",
}
"""How einfo describes the only link between records."""
_NEIGHBOURS = ("neighbor", "neighbor_score", "neighbor_history")
_CHECKS = ("acheck", "ncheck", "lcheck")
_ADDRESSES = ("prlinks", "llinks", "llinkslib")
_MOST_SIMILAR = 100
_PROVIDERS = {
    "doi": ("DOI", "https://doi.org/", "Full Text Sources"),
    "pmc": ("PubMed Central", "https://www.ncbi.nlm.nih.gov/pmc/articles/", "Full Text Sources"),
}
"""Name and address of those who have a paper, by the kind of identifier that leads there."""


def elink(context: Context, parameters: Parameters) -> Reply:
    """Return similar records: as a list, with scores (`neighbor_score`), or stored (`neighbor_history`).

    `acheck`, `ncheck` and `lcheck` say which links records have; `prlinks` and `llinks` give the addresses of papers by
    their DOI and PMC id. Other links are not available.
    """
    command = parameters.text("cmd", "neighbor").lower() or "neighbor"
    if command not in (known := (*_NEIGHBOURS, *_CHECKS, *_ADDRESSES)):
        raise InvalidRequest(f"Command {command[:20]} is not supported; use one of: {', '.join(known)}")
    groups = parameters.id_groups or [context.history.requested_ids(parameters)]
    root, as_json = node("eLinkResult"), []
    if command in _NEIGHBOURS:
        for element, entry in _neighbours(context, parameters, command, groups):
            root.append(element)
            as_json.append(entry)
    else:
        ids = list(dict.fromkeys(each for group in groups for each in group))
        records = dict(fetched(context, ids))
        element, entry = _addresses(ids, records, command) if command in _ADDRESSES else _checked(ids, records, command)
        root.append(node("LinkSet", None, node("DbFrom", "pubmed"), element))
        as_json.append({"dbfrom": "pubmed", **entry})
    return json_reply("elink", {"linksets": as_json}) if wants_json(parameters) else xml_reply(root, LINK)


def _neighbours(
    context: Context, parameters: Parameters, command: str, groups: list[list[str]]
) -> Iterator[tuple[etree._Element, dict[str, object]]]:
    """The similar records of each group of IDs, in XML and for JSON."""
    linked = parameters.text("linkname") in ("", _SIMILAR) and parameters.text("db", "pubmed") in ("", "pubmed")
    session = parameters.text("WebEnv")
    for ids in filter(None, groups):
        group = node("LinkSet", None, node("DbFrom", "pubmed"), node("IdList", None, *(node("Id", i) for i in ids)))
        entry: dict[str, object] = {"dbfrom": "pubmed", "ids": ids}
        links = _similar(context, ids) if linked else []
        if links and command == "neighbor_history":
            # The links of each group of IDs are stored under a key, all in one session.
            key, session = context.history.store([pmid for pmid, _ in links], session)
            group.append(node("LinkSetDbHistory", None, *nodes_of(_SIMILAR_SET), node("QueryKey", key)))
            group.append(node("WebEnv", session))
            stored = {"dbto": "pubmed", "linkname": _SIMILAR, "querykey": str(key)}
            entry |= {"linksetdbhistories": [stored], "webenv": session}
        elif links:
            scored = command == "neighbor_score"
            facts = [{"Id": pmid} | ({"Score": str(score)} if scored else {}) for pmid, score in links]
            listed = (node("Link", None, *nodes_of(each)) for each in facts)
            group.append(node("LinkSetDb", None, *nodes_of(_SIMILAR_SET), *listed))
            found = [{"id": pmid, "score": score} if scored else pmid for pmid, score in links]
            entry["linksetdbs"] = [{"dbto": "pubmed", "linkname": _SIMILAR, "links": found}]
        yield group, entry


def _similar(context: Context, ids: list[str]) -> list[tuple[str, int]]:
    """Return the records most similar to any of the IDs, with integer scores as at NCBI."""
    best: dict[str, float] = {}
    for pmid in ids[:_MOST_SIMILAR]:
        context.check()
        for other, score in context.catalogue.similar(pmid, _MOST_SIMILAR):
            best[other] = max(score, best.get(other, 0.0))
    ordered = sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST_SIMILAR]
    return [(pmid, round(score * 1_000_000)) for pmid, score in ordered]


def _checked(ids: list[str], records: dict[str, Document], command: str) -> tuple[etree._Element, dict[str, object]]:
    """Which links each ID has: every record has similar ones, and papers elsewhere by its identifiers."""
    listed, entries = node("IdCheckList"), list[dict[str, object]]()
    for each in ids:
        held, outside = each in records, any(_places(records.get(each)))
        if command == "acheck":
            facts = [{**_SIMILAR_SET, "MenuTag": _MENU, "HtmlTag": _MENU, "Priority": "128"}] if held else []
            listed.append(
                node("IdLinkSet", None, node("Id", each), *(node("LinkInfo", None, *nodes_of(f)) for f in facts))
            )
            infos = [{name.lower(): value for name, value in fact.items()} for fact in facts]
            entries.append({"id": each, "linkinfos": infos})
        else:
            name = "HasNeighbor" if command == "ncheck" else "HasLinkOut"
            value = "NY"[held if command == "ncheck" else outside]
            listed.append(node("Id", each, **{name: value}))
            entries.append({"value": each, name.lower(): value})
    return listed, {"idlinksets" if command == "acheck" else "ids": entries}


def _addresses(ids: list[str], records: dict[str, Document], command: str) -> tuple[etree._Element, dict[str, object]]:
    """Where the paper of each ID is: the first place for `prlinks`, all for `llinks`."""
    listed, entries = node("IdUrlList"), list[dict[str, object]]()
    for each in ids:
        found = list(_places(records.get(each)))[: 1 if command == "prlinks" else None]
        group = node("IdUrlSet", None, node("Id", each))
        for name, url, category in found:
            provider = nodes_of({"Name": name, "NameAbbr": name.replace(" ", ""), "Id": "0", "Url": url})
            about = nodes_of({"Url": url, "SubjectType": "publishers/providers", "Category": category})
            group.append(node("ObjUrl", None, *about, node("Provider", None, *provider)))
        if not found:
            group.append(node("Info", "No LinkOut information available"))
        listed.append(group)
        entries.append(
            {"id": each, "objurls": [{"url": {"value": url}, "provider": {"name": n}} for n, url, _ in found]}
        )
    return listed, {"idurllist": entries}


def _places(record: Document | None) -> Iterator[tuple[str, str, str]]:
    for kind, (name, before, category) in _PROVIDERS.items():
        if record is not None and kind in record.identifiers:
            yield name, before + record.identifiers[kind], category
