"""Answers of services as JSON: Europe PMC, OpenAlex, Semantic Scholar, ClinicalTrials.gov and the like.

`services.toml` says how a record of each is known, and where it has its fields; BioC's passages and the results of
trials have a form of their own. An answer holds its records in a list.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from medground.corpus.readers.base import Item
from medground.corpus.readers.compose import Composition, plain
from medground.corpus.readers.entry import described
from medground.corpus.readers.table_rows import Cell, lines_of
from medground.corpus.readers.xml import Element, flat_text, name_of, record_items
from medground.home.files import tables
from medground.values.document import Document


def values_at(value: Any, path: str) -> list[Any]:
    """The values at a dotted path."""
    found = [value]
    for name in path.split("."):
        inner = [one.get(name) for one in found if isinstance(one, Mapping)]
        found = [one for each in inner for one in (each if isinstance(each, list) else [each])]
    return found


def texts_at(value: Any, path: str) -> list[str]:
    """The texts and numbers at a dotted path as plain text; an inverted index (word to positions) is written out."""
    found = values_at(value, path) if path else []
    texts = (_written(one) if isinstance(one, Mapping) else plain(_text(one)) for one in found)
    return [text for text in texts if text]


def _text(value: Any) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value.strip() if isinstance(value, str) else str(value) if is_number else ""


def _written(index: Mapping[Any, Any]) -> str:
    places = ((at, str(word)) for word, all_at in index.items() if isinstance(all_at, list) for at in all_at)
    return plain(" ".join(word for _, word in sorted(place for place in places if isinstance(place[0], int))))


Record = Mapping[str, Any]
_SERVICES: Mapping[str, Mapping[str, Any]] = tables("corpus/readers", "services")
_NAMES = {place.partition(".")[0] for table in _SERVICES.values() for place in table["signs"]} | {"passages"}
_LISTS = (
    "results", "data", "resultList.result", "studies", "collection", "References", "documents", "PubTator3", "articles",
    "items", "records", "recommendedPapers", "hits.hits", "response.docs", "search-results.entry", "publications",
    "works", "message.items", "message",
)  # fmt: skip
"""Where an answer has its records."""
_OWN = frozenset(["title", "text", "abstract", "contents"])
"""What a record has, and an answer around records does not."""
_IDS = "esearchresult"
_SEVERAL = frozenset(["authors", "keywords", "publication_types", "mesh"])


def records_in(answer: Record) -> list[Any] | None:
    """The records of an answer; None of a record by itself.

    Raises ValueError: it holds ids alone.
    """
    if _IDS in answer:
        raise ValueError("an answer of NCBI's esearch holds ids alone; save that of efetch as XML, or PubMed's .nbib")
    if isinstance(result := answer.get("result"), Mapping) and isinstance(uids := result.get("uids"), list):
        return [result[uid] for uid in uids if uid in result]
    if not _OWN.isdisjoint(answer) or service_of(answer):
        return None
    for place in _LISTS:
        *way, last = place.split(".")
        found: Any = answer
        for name in way:
            found = found.get(name) if isinstance(found, Mapping) else None
        listed = found.get(last) if isinstance(found, Mapping) else None
        if isinstance(listed, list) and any(isinstance(record, Mapping) for record in listed):
            return [part for record in listed for part in _inner(record)]
    return None


def _inner(record: Any) -> list[Any]:
    """The documents of a collection of BioC, the paper that a hit or a citation is about; any other record as it is."""
    if not isinstance(record, Mapping):
        return [record]
    documents = record.get("documents")
    about = record.get("_source") or record.get("citingPaper") or record.get("citedPaper")
    return documents if isinstance(documents, list) else [about or record]


def service_of(record: Record) -> str:
    """The service whose records look like this one; empty if none is known."""
    if _NAMES.isdisjoint(record) or isinstance(record.get("text"), str):
        return ""
    if isinstance(record.get("passages"), list):
        return "bioc"
    for name, table in _SERVICES.items():
        if any(value is not None for sign in table["signs"] for value in values_at(record, sign)):
            return name
    return ""


def service_document(record: Record, service: str) -> Document:
    """The document of a record of a service."""
    if service == "bioc":
        return described(_of_bioc(record))
    table = _SERVICES[service]
    fields: dict[str, Any] = {}
    for name, places in table.items():
        if name[0] == "_" or name in ("signs", "lists"):
            continue
        found = next((texts for place in places if (texts := texts_at(record, place))), [])
        mark = table.get("lists", {}).get(name)
        if mark and len(found) == 1:
            found = [part for part in found[0].rstrip(".").split(mark) if part.strip()]
        if found:
            fields[name] = found if name in _SEVERAL else " ".join(found)
    fields |= {name: record[name] for name in table.get("_raw", ()) if name in record}
    for name, place in table.get("_as_it_is", {}).items():
        fields[name] = values_at(record, place) or fields.get(name)
    fields |= table.get("_is", {})
    if isinstance(marked := record.get(table.get("_marked", "")), str):  # its tags tell the sections
        fields["abstract"] = marked
    composition = _composed(record, table)
    if composition.text:
        fields |= {"text": composition.text, "sections": composition.sections}
    if number := fields.pop("registry_id", ""):
        fields |= {"id": f"{'NCT' if number.startswith('NCT') else 'TRIAL'}:{number}"}
        fields.setdefault("url", f"https://clinicaltrials.gov/study/{number}" if number.startswith("NCT") else "")
    return described(fields)


def _composed(record: Record, table: Mapping[str, Any]) -> Composition:
    """The parts of a text by their headings: of a trial with its results, of a paper with its body."""
    composition = Composition()
    for label, place in table.get("_text", ()):
        composition.add("; ".join(texts_at(record, place)), label)
    events = map(_as_outcome, values_at(record, "resultsSection.adverseEventsModule"))
    for outcome in (*values_at(record, "resultsSection.outcomeMeasuresModule.outcomeMeasures"), *events):
        for line in lines_of(_rows(outcome)) if isinstance(outcome, Mapping) else ():
            composition.add(line, "Results")
    if isinstance(body := record.get("body_text"), list):
        composition.add(" ".join(texts_at(record, "abstract.text")), "Abstract")
        for part in (part for part in body if isinstance(part, Mapping)):
            composition.add(" ".join(texts_at(part, "text")), plain(str(part.get("section") or "")) or None)
    return composition


def _rows(outcome: Record) -> list[list[Cell]]:
    """An outcome of a trial as a table: its groups, and what was measured in each."""
    groups = {str(one.get("id")): plain(str(one.get("title", ""))) for one in values_at(outcome, "groups")}
    unit = ", ".join(texts_at(outcome, "unitOfMeasure"))
    name = " ".join([*texts_at(outcome, "title"), f"({unit})" if unit else ""]).strip()
    rows = [[Cell("", is_head=True), *(Cell(title, is_head=True) for title in groups.values())]]
    for part in values_at(outcome, "classes"):
        for category in values_at(part, "categories"):
            label = ", ".join(filter(None, [name, *texts_at(part, "title"), *texts_at(category, "title")]))
            values = {str(one.get("groupId")): _value(one) for one in values_at(category, "measurements")}
            rows.append([Cell(label), *(Cell(values.get(group, "")) for group in groups)])
    return rows


def _as_outcome(module: Record) -> Record:
    """The adverse events of a trial in the form of an outcome: of each group, how many had each, of how many."""
    events = values_at(module, "seriousEvents") + values_at(module, "otherEvents")
    counts = [
        {
            "title": event.get("term"),
            "categories": {
                "measurements": [
                    {**one, "value": f"{one.get('numAffected')} of {one.get('numAtRisk')}"}
                    for one in values_at(event, "stats")
                ]
            },
        }
        for event in events
        if isinstance(event, Mapping)
    ]
    return {"groups": values_at(module, "eventGroups"), "classes": counts}


def _value(measured: Record) -> str:
    """`412 (38)`, or `412 (380 to 440)`."""
    value, spread = (" ".join(texts_at(measured, name)) for name in ("value", "spread"))
    limits = " to ".join(texts_at(measured, "lowerLimit") + texts_at(measured, "upperLimit"))
    return f"{value} ({spread or limits})" if spread or limits else value


_INFONS = {"article-id_pmid": "pmid", "article-id_doi": "doi", "article-id_pmc": "pmc", "year": "year"}
_LEFT_OUT = frozenset(["ref", "references", "ack_fund", "comp_int", "auth_cont", "abbr"])


def _of_bioc(record: Record) -> dict[str, Any]:
    """A document of BioC, as PubTator has it: passages, each with what it is."""
    composition = Composition()
    fields: dict[str, Any] = {"title": "", "journal": " ".join(texts_at(record, "journal")) or None}
    for passage in values_at(record, "passages"):
        told = passage.get("infons") if isinstance(passage.get("infons"), Mapping) else {}
        kind = str(told.get("section_type") or told.get("type") or "").casefold()
        text = " ".join(texts_at(passage, "text"))
        fields |= {name: value for key, name in _INFONS.items() if (value := told.get(key)) and not fields.get(name)}
        if kind in ("title", "front") and not fields["title"]:
            fields["title"] = text
        elif kind not in _LEFT_OUT and not str(told.get("type", "")).startswith("title"):
            composition.add(text, kind.capitalize() if kind else None)
    number = str(record.get("id") or "")
    fields.setdefault("pmc" if number.startswith("PMC") else "pmid", number or None)
    return {**fields, "text": composition.text or fields["title"], "sections": composition.sections}


SERVICE_ROOTS: Mapping[str, str] = {
    "OAI-PMH": "record",
    "ListRecords": "record",
    "Trials_downloaded_from_ICTRP": "Trial",
    "collection": "document",
    "responseWrapper": "result",
    "eSummaryResult": "DocSum",
    "DocumentSummarySet": "DocumentSummary",
}
"""The root of each kind of file, and the tag of its records."""


def read_service_xml(path: Path) -> Iterator[Item]:
    """The records of a file; the position of a bad one is its number, counting from 1."""
    missing = "the answer of a service holds no record"
    yield from record_items(path, {*SERVICE_ROOTS.values()}, SERVICE_ROOTS, _documents, "record", missing)


def _documents(element: Element) -> Iterator[Document]:
    header = element.find("header")
    if header is not None and header.get("status") == "deleted":
        return
    record = _record(element)
    if not (service := service_of(record)):
        raise ValueError("a form of record that is not read; ask the service for oai_dc, or for JATS or PubMed XML")
    yield service_document(record, service)


def _record(element: Element) -> dict[str, Any]:
    """The parts of an element by name, each as a text or as its own parts; BioC's passages as its JSON has them.

    An `Item` of NCBI's esummary has its name in an attribute.
    """
    found: defaultdict[str, list[Any]] = defaultdict(list)
    for part in element:
        if (name := part.get("Name") or name_of(part)) == "infon":
            found["infons"] = found["infons"] or [{}]
            found["infons"][0][part.get("key", "")] = flat_text(part)
        elif name:
            found["passages" if name == "passage" else name].append(_record(part) if len(part) else flat_text(part))
    return {name: values[0] if len(values) == 1 and name != "passages" else values for name, values in found.items()}
