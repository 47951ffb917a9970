"""Answers of services as XML: OAI-PMH with Dublin Core, the trials of WHO's ICTRP, BioC."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from medground.corpus.readers.base import Item
from medground.corpus.readers.services import service_document, service_of
from medground.corpus.readers.xml import Element, flat_text, name_of, record_items
from medground.errors import BadDocument
from medground.values.document import Document

SERVICE_ROOTS: Mapping[str, str] = {
    "OAI-PMH": "record",
    "ListRecords": "record",
    "Trials_downloaded_from_ICTRP": "Trial",
    "collection": "document",
}
"""The root of each kind of file, and the tag of its records."""


def read_service_xml(path: Path) -> Iterator[Item]:
    """The records of a file; the position of a bad one is its number, counting from 1."""
    found = False
    for item in record_items(path, {*SERVICE_ROOTS.values()}, frozenset(SERVICE_ROOTS), _documents, "record"):
        found = True
        yield item
    if not found:
        raise BadDocument("the answer of a service holds no record", file=str(path))


def _documents(element: Element) -> Iterator[Document]:
    header = element.find("header")
    if header is not None and header.get("status") == "deleted":
        return
    record = _record(element)
    if not (service := service_of(record)):
        raise ValueError("a form of record that is not read; ask the service for oai_dc, or for JATS or PubMed XML")
    yield service_document(record, service)


def _record(element: Element) -> dict[str, Any]:
    """The parts of an element by name, each as a text or as its own parts; BioC's passages as its JSON has them."""
    found: defaultdict[str, list[Any]] = defaultdict(list)
    for part in element:
        if (name := name_of(part)) == "infon":
            found["infons"] = found["infons"] or [{}]
            found["infons"][0][part.get("key", "")] = flat_text(part)
        elif name:
            found["passages" if name == "passage" else name].append(_record(part) if len(part) else flat_text(part))
    return {name: values[0] if len(values) == 1 and name != "passages" else values for name, values in found.items()}
