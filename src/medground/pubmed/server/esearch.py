"""esearch: a query goes in, PMIDs come out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from lxml import etree

from medground.pubmed.records_index import Order
from medground.pubmed.server.catalogue import Matches, Reading
from medground.pubmed.server.dates import date_limit
from medground.pubmed.server.parameters import Parameters, Refused
from medground.pubmed.server.reply import Reply, Shelf, json_reply, wants_json, xml_reply
from medground.pubmed.server.xml import eutils_doctype, node

DOCTYPE = eutils_doctype("eSearchResult", "esearch", "20060628")
MOST = 10_000
"""Ids in one answer, as at NCBI."""
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


def esearch(shelf: Shelf, parameters: Parameters) -> Reply:
    """Search.

    Raises:
        Refused: an empty query, or a value that is none.
    """
    term = parameters.text("term")
    if not term:
        raise Refused("Empty term and query_key - nothing todo")
    order = _ORDERS.get(parameters.text("sort").lower().replace("+", " "))
    within = date_limit(parameters, datetime.now(UTC).date())
    start = parameters.number("retstart", 0, MOST)
    size = min(parameters.number("retmax", 20, MOST), MOST - start)
    keep = parameters.text("usehistory").lower() == "y"
    only_count = parameters.text("rettype").lower() == "count"
    wanted = (0, MOST) if keep else (start, size)
    matches = shelf.catalogue.search(term, within, order or "newest", start=wanted[0], limit=wanted[1])
    page = matches.ids[start : start + size] if keep else matches.ids
    kept = shelf.history.keep(matches.ids, parameters.text("WebEnv")) if keep else None
    notes = [f"Unknown sort schema '{parameters.text('sort')[:40]}' ignored"] if order is None else []
    notes += matches.reading.notes
    notes += [] if matches.count else ["No items found."]
    if wants_json(parameters):
        return json_reply("esearch", {"esearchresult": _as_json(matches, page, start, kept, notes, only_count)})
    return xml_reply(_as_xml(matches, page, start, kept, notes, only_count), DOCTYPE)


def _as_xml(
    matches: Matches,
    page: Sequence[str],
    start: int,
    kept: tuple[int, str] | None,
    notes: list[str],
    only_count: bool,
) -> etree._Element:
    made = node("eSearchResult", None, node("Count", matches.count))
    if only_count:
        return made
    reading = matches.reading
    made.extend([node("RetMax", len(page)), node("RetStart", start)])
    if kept:
        made.extend([node("QueryKey", kept[0]), node("WebEnv", kept[1])])
    made.append(node("IdList", None, *(node("Id", each) for each in page)))
    mapped = (node("Translation", None, node("From", a), node("To", b)) for a, b in reading.translations)
    made.append(node("TranslationSet", None, *mapped))
    if reading.stack:
        made.append(node("TranslationStack", None, *_stack(reading)))
    made.append(node("QueryTranslation", reading.translation))
    errors = [node("PhraseNotFound", phrase) for phrase in reading.not_found]
    errors += [node("FieldNotFound", name) for name in reading.unknown_fields]
    if errors:
        made.append(node("ErrorList", None, *errors))
    if notes:
        made.append(node("WarningList", None, *(node("OutputMessage", note) for note in notes)))
    return made


def _stack(reading: Reading) -> Iterator[etree._Element]:
    for entry in reading.stack:
        if isinstance(entry, str):
            yield node("OP", entry)
        else:
            term, name, count = node("Term", entry.term), node("Field", entry.field), node("Count", entry.count)
            yield node("TermSet", None, term, name, count, node("Explode", "NY"[entry.explode]))


def _as_json(
    matches: Matches,
    page: Sequence[str],
    start: int,
    kept: tuple[int, str] | None,
    notes: list[str],
    only_count: bool,
) -> dict[str, Any]:
    if only_count:
        return {"count": str(matches.count)}
    reading = matches.reading
    made: dict[str, Any] = {"count": str(matches.count), "retmax": str(len(page)), "retstart": str(start)}
    if kept:
        made |= {"querykey": str(kept[0]), "webenv": kept[1]}
    made |= {
        "idlist": list(page),
        "translationset": [{"from": source, "to": target} for source, target in reading.translations],
        "querytranslation": reading.translation,
    }
    if reading.not_found or reading.unknown_fields:
        made["errorlist"] = {"phrasesnotfound": reading.not_found, "fieldsnotfound": reading.unknown_fields}
    if notes:
        made["warninglist"] = {"phrasesignored": [], "quotedphrasesnotfound": [], "outputmessages": notes}
    return made
