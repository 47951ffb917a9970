"""elink: similar records, which links a record has (`acheck`, `ncheck`, `lcheck`), and where its paper is (`prlinks`:
the first address; `llinks`: all)."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from medground.faces.eutils.exchange import Context, InvalidRequest, Parameters, Reply, fetched, reply
from medground.values.document import Document

_SIMILAR = "pubmed_pubmed"
_SIMILAR_SET = {"dbto": "pubmed", "linkname": _SIMILAR}
_MENU = "Similar articles"
SIMILAR_LINK = {
    "name": _SIMILAR,
    "menu": _MENU,
    "description": "Records with similar words and MeSH terms",
    "dbto": "pubmed",
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
    if command in _NEIGHBOURS:
        return reply(parameters, "elink", {"linksets": [*_neighbours(context, parameters, command, groups)]})
    ids = list(dict.fromkeys(each for group in groups for each in group))
    records = dict(fetched(context, ids))
    name, tell = _TOLD[command]
    entries = [{"id": each, **tell(records.get(each))} for each in ids]
    return reply(parameters, "elink", {"linksets": [{"dbfrom": "pubmed", name: entries}]})


def _neighbours(
    context: Context, parameters: Parameters, command: str, groups: list[list[str]]
) -> Iterator[dict[str, object]]:
    """The similar records of each group of IDs."""
    linked = parameters.text("linkname") in ("", _SIMILAR) and parameters.text("db", "pubmed") in ("", "pubmed")
    session = parameters.text("WebEnv")
    for ids in filter(None, groups):
        entry: dict[str, object] = {"dbfrom": "pubmed", "ids": ids}
        links = _similar(context, ids) if linked else []
        if links and command == "neighbor_history":
            # The links of each group of IDs are stored under a key, all in one session.
            key, session = context.history.store([pmid for pmid, _ in links], session)
            entry |= {"linksetdbhistories": [{**_SIMILAR_SET, "querykey": str(key)}], "webenv": session}
        elif links:
            scored = command == "neighbor_score"
            found = [{"id": pmid, "score": score} if scored else pmid for pmid, score in links]
            entry["linksetdbs"] = [{**_SIMILAR_SET, "links": found}]
        yield entry


def _similar(context: Context, ids: list[str]) -> list[tuple[str, int]]:
    """Return the records most similar to any of the IDs, with integer scores as at NCBI."""
    best: dict[str, float] = {}
    for pmid in ids[:_MOST_SIMILAR]:
        context.check()
        for other, score in context.catalogue.similar(pmid, _MOST_SIMILAR):
            best[other] = max(score, best.get(other, 0.0))
    ordered = sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST_SIMILAR]
    return [(pmid, round(score * 1_000_000)) for pmid, score in ordered]


_Told = dict[str, object]


def _links_of(record: Document | None) -> _Told:
    """The links of a record: every record has similar ones."""
    info = {**_SIMILAR_SET, "menutag": _MENU, "htmltag": _MENU, "priority": "128"}
    return {"linkinfos": [info] if record else []}


def _has(name: str, record: Document | None) -> _Told:
    """Whether there are records like this one (`hasneighbor`), or an address of its paper (`haslinkout`)."""
    return {name: "NY"[bool(record if name == "hasneighbor" else _places(record))]}


def _addresses(most: int, record: Document | None) -> _Told:
    """Where a paper is, by the first of its identifiers that lead there."""
    return {"objurls": [{"url": {"value": url}, "provider": {"name": name}} for name, url in _places(record)[:most]]}


def _places(record: Document | None) -> list[tuple[str, str]]:
    ids = record.identifiers if record else {}
    return [(name, at + ids[kind]) for kind, (name, at) in _PLACES.items() if kind in ids]


_NEIGHBOURS = ("neighbor", "neighbor_score", "neighbor_history")
_TOLD: Mapping[str, tuple[str, Callable[[Document | None], _Told]]] = {
    "acheck": ("idlinksets", _links_of),
    "ncheck": ("idchecks", partial(_has, "hasneighbor")),
    "lcheck": ("idchecks", partial(_has, "haslinkout")),
    "prlinks": ("idurllist", partial(_addresses, 1)),
    "llinks": ("idurllist", partial(_addresses, len(_PLACES))),
    "llinkslib": ("idurllist", partial(_addresses, len(_PLACES))),  # no library is known
}
"""What is listed for each record: the name of the list, and what makes an entry."""
