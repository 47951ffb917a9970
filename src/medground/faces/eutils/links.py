"""elink: similar records, which links a record has (`acheck`, `ncheck`, `lcheck`), and where its paper is (`prlinks`:
the first address; `llinks`: all)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

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
_MOST_SIMILAR = 100
_PLACES = {"doi": ("DOI", "https://doi.org/"), "pmc": ("PMC", "https://www.ncbi.nlm.nih.gov/pmc/articles/")}
"""Name and address of those who have a paper, by the kind of identifier that leads there."""


def elink(context: Context, parameters: Parameters) -> Reply:
    """Return similar records: as a list, with scores (`neighbor_score`), or stored (`neighbor_history`).

    Other commands tell of each record (`_TOLD`). Links to other databases are not available.
    """
    command = parameters.text("cmd", "neighbor").lower() or "neighbor"
    if command not in (known := (*_NEIGHBOURS, *_TOLD)):
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
        name, name_in_json, tell = _TOLD[command]
        listed, entries = node(name), list[dict[str, object]]()
        for each in ids:
            element, entry = tell(each, records.get(each))
            listed.append(element)
            entries.append({"id": each, **entry})
        root.append(node("LinkSet", None, node("DbFrom", "pubmed"), listed))
        as_json.append({"dbfrom": "pubmed", name_in_json: entries})
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


_Told = tuple[etree._Element, dict[str, object]]


def _links_of(pmid: str, record: Document | None) -> _Told:
    """The links of a record: every record has similar ones."""
    facts = {**_SIMILAR_SET, "MenuTag": _MENU, "HtmlTag": _MENU, "Priority": "128"}
    info = [node("LinkInfo", None, *nodes_of(facts))] if record else []
    infos = [{name.lower(): value for name, value in facts.items()}] if record else []
    return node("IdLinkSet", None, node("Id", pmid), *info), {"linkinfos": infos}


def _has(name: str, pmid: str, record: Document | None) -> _Told:
    """Whether there are records like this one (`HasNeighbor`), or an address of its paper (`HasLinkOut`)."""
    has = "NY"[bool(record if name == "HasNeighbor" else _places(record))]
    return node("Id", pmid, **{name: has}), {name.lower(): has}


def _addresses(most: int, pmid: str, record: Document | None) -> _Told:
    """Where a paper is, by the first of its identifiers that lead there."""
    places = _places(record)[:most]
    nothing = [] if places else [node("Info", "No LinkOut information available")]
    about = {"SubjectType": "publishers/providers", "Category": "Full Text Sources"}
    told = [
        node("ObjUrl", None, *nodes_of({"Url": url, **about}), node("Provider", None, *nodes_of(provider)))
        for name, url in places
        for provider in [{"Name": name, "NameAbbr": name, "Id": "0", "Url": url}]
    ]
    found = [{"url": {"value": url}, "provider": {"name": name}} for name, url in places]
    return node("IdUrlSet", None, node("Id", pmid), *told, *nothing), {"objurls": found}


def _places(record: Document | None) -> list[tuple[str, str]]:
    ids = record.identifiers if record else {}
    return [(name, at + ids[kind]) for kind, (name, at) in _PLACES.items() if kind in ids]


_NEIGHBOURS = ("neighbor", "neighbor_score", "neighbor_history")
_TOLD: Mapping[str, tuple[str, str, Callable[[str, Document | None], _Told]]] = {
    "acheck": ("IdCheckList", "idlinksets", _links_of),
    "ncheck": ("IdCheckList", "idchecks", partial(_has, "HasNeighbor")),
    "lcheck": ("IdCheckList", "idchecks", partial(_has, "HasLinkOut")),
    "prlinks": ("IdUrlList", "idurllist", partial(_addresses, 1)),
    "llinks": ("IdUrlList", "idurllist", partial(_addresses, len(_PLACES))),
    "llinkslib": ("IdUrlList", "idurllist", partial(_addresses, len(_PLACES))),  # no library is known
}
"""What is listed for each record: the names of the list in XML and in JSON, and what makes an entry."""
