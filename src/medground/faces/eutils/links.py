"""elink: similar records."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from medground.faces.eutils.exchange import (
    Context,
    InvalidRequest,
    Parameters,
    Reply,
    eutils_doctype,
    json_reply,
    node,
    nodes_of,
    wants_json,
    xml_reply,
)

LINK = eutils_doctype("eLinkResult", "elink", "20101123")
_SIMILAR = "pubmed_pubmed"
_SIMILAR_SET = {"DbTo": "pubmed", "LinkName": _SIMILAR}
SIMILAR_LINK = {
    "Name": _SIMILAR,
    "Menu": "Similar articles",
    "Description": "Records with similar words and MeSH terms",
    "DbTo": "pubmed",
}
"""How einfo describes the only link between records."""
_MOST_SIMILAR = 100
_COMMANDS = ("neighbor", "neighbor_score", "neighbor_history")


def elink(context: Context, parameters: Parameters) -> Reply:
    """Return similar records: as a list, with scores (`neighbor_score`), or stored (`neighbor_history`).

    Links to other databases, and what is elsewhere on the web, are not available.
    """
    command = parameters.text("cmd", "neighbor").lower() or "neighbor"
    if command not in _COMMANDS:
        raise InvalidRequest(f"Command {command[:20]} is not supported; use one of: {', '.join(_COMMANDS)}")
    groups = parameters.id_groups or [context.history.requested_ids(parameters)]
    found = list(_neighbours(context, parameters, command, groups))
    if wants_json(parameters):
        return json_reply("elink", {"linksets": [entry for _, entry in found]})
    return xml_reply(node("eLinkResult", None, *(element for element, _ in found)), LINK)


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
