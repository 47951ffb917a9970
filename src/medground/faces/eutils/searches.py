"""esearch, and the smaller utilities: epost, einfo, espell, ecitmatch."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from medground.faces.eutils.exchange import Context, InvalidRequest, Parameters, Reply, reply, text_reply, xml_reply
from medground.faces.eutils.formats import date_limit
from medground.faces.eutils.links import SIMILAR_LINK
from medground.faces.eutils.records import Order
from medground.home.files import tables
from medground.pubmed.citation import citation_terms

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
    if parameters.text("rettype").lower() == "count":
        return reply(parameters, "esearch", {"esearchresult": {"count": str(matches.count)}})
    page = matches.ids[start : start + size] if store else matches.ids
    content: dict[str, Any] = {"count": str(matches.count), "retmax": str(len(page)), "retstart": str(start)}
    if stored:
        content |= {"querykey": str(stored[0]), "webenv": stored[1]}
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
    return reply(parameters, "esearch", {"esearchresult": content}, stack=reading.stack)


_FLAGS: Mapping[str, list[str]] = tables("faces/eutils", "fields")["flags"]
"""Properties of search fields, and the fields that have them."""


def epost(context: Context, parameters: Parameters) -> Reply:
    """Store IDs for later requests."""
    valid = {each: each.isascii() and each.isdigit() and len(each) <= 19 for each in parameters.ids}
    good, bad = ([each for each, holds in valid.items() if holds is wanted] for wanted in (True, False))
    if not good:
        raise InvalidRequest("Empty ID list; Nothing to store")
    key, session = context.history.store(good, parameters.text("WebEnv"))
    return reply(parameters, "epost", {"epostresult": {"querykey": str(key), "webenv": session}}, invalid=bad)


def einfo(context: Context, parameters: Parameters) -> Reply:
    """Describe the database."""
    about = context.catalogue.about
    if not parameters.has("db"):
        return reply(parameters, "einfo", {"einforesult": {"dblist": ["pubmed"]}})
    facts = {
        "dbname": "pubmed",
        "menuname": "PubMed",
        "description": f"PubMed records of the corpus {about.name}",
        "dbbuild": about.name,
        "warning": about.missing,
        "count": str(about.count),
        "lastupdate": about.updated,
        "fieldlist": [_field(*names) for names in about.fields.items()],
        "linklist": [SIMILAR_LINK],
    }
    return reply(parameters, "einfo", {"einforesult": {"dbinfo": [facts]}}, flags=[*_FLAGS])


def espell(context: Context, parameters: Parameters) -> Reply:
    """Suggest a corrected spelling of a query, empty if there is none."""
    term = parameters.text("term")
    if not term:
        raise InvalidRequest("Empty term")
    corrected = context.catalogue.spelling(term, context.check) or ""
    facts = {"database": "pubmed", "query": term, "correctedquery": corrected}
    return xml_reply("espell", {"espellresult": facts})


def _field(name: str, full: str) -> dict[str, str]:
    flags = {flag.lower(): "NY"[name in names] for flag, names in _FLAGS.items()}
    return {"name": name, "fullname": full, "description": full, "termcount": "", **flags}


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
