"""esearch: return PMIDs for a query."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from lxml import etree

from medground.pubmed.records_index import Order
from medground.pubmed.server.catalogue import Leaf, Reading
from medground.pubmed.server.dates import date_limit
from medground.pubmed.server.parameters import InvalidRequest, Parameters
from medground.pubmed.server.reply import Context, Reply, json_reply, wants_json, xml_reply
from medground.pubmed.server.xml import eutils_doctype, node

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
