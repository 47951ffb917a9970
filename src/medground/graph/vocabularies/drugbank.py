"""DrugBank's full database in XML (version 5.1), streamed: what it says of a drug joins the concept of that name.

Source: Omni-RAG, section 3.2: description, indication, pharmacodynamics, absorption and drug interactions are added to
the definition of the corresponding node.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from medground.corpus.readers.xml import Element, flat_text, records
from medground.errors import BadDocument
from medground.graph.vocabularies.base import ConceptRecord, DefinitionRecord, NameRecord, Record, Vocabulary, of_file

NAMESPACE = "http://www.drugbank.ca"
_TEXTS = {
    "description": "Description",
    "indication": "Indication",
    "pharmacodynamics": "Pharmacodynamics",
    "absorption": "Absorption",
}
_IN = f"{{{NAMESPACE}}}"


def drugbank(path: Path, name: str = "DrugBank") -> Vocabulary:
    """The vocabulary of a database file, plain or gzip.

    Raises:
        BadDocument: the file cannot be read.
    """
    licence = "DrugBank: CC BY-NC 4.0 for academic use, else by agreement; https://go.drugbank.com/releases"
    return of_file(path, _records, name, licence, "DrugBank, https://go.drugbank.com", joins=True)


def _records(path: Path) -> Iterator[Record]:
    for drug in records(path, ["drug"], ["drugbank"]):
        if etree.QName(drug).namespace != NAMESPACE:
            raise BadDocument(f"its elements are not in the namespace {NAMESPACE} of DrugBank 5.1", file=str(path))
        yield from _drug(drug)


def _drug(drug: Element) -> Iterator[Record]:
    ids = [flat_text(one) for one in drug.findall(f"{_IN}drugbank-id") if one.get("primary") == "true"]
    name = flat_text(drug.find(f"{_IN}name"))
    if not ids or not name:
        return
    concept = f"DRUGBANK:{ids[0]}"
    kind = drug.get("type")
    yield ConceptRecord(concept, name, ("drug", kind) if kind else ("drug",))
    for synonym in drug.iterfind(f"{_IN}synonyms/{_IN}synonym"):
        if synonym.get("language", "") in ("", "english") and flat_text(synonym):
            yield NameRecord(concept, flat_text(synonym))
    for tag, label in _TEXTS.items():
        if text := flat_text(drug.find(f"{_IN}{tag}")):
            yield DefinitionRecord(concept, text, label, "DrugBank")
    for interaction in drug.iterfind(f"{_IN}drug-interactions/{_IN}drug-interaction"):
        other, text = (flat_text(interaction.find(f"{_IN}{tag}")) for tag in ("name", "description"))
        if other and text:
            yield DefinitionRecord(concept, text, f"Interaction with {other}", "DrugBank")
