"""Ontologies as OBO Graph JSON, streamed node by node.

Source: the OBO Graphs specification (geneontology/obographs): `graphs`, each with `nodes` and `edges`. Deprecated nodes
are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from medground.errors import BadDocument
from medground.graph.relation import Scope
from medground.graph.vocabularies.base import (
    ConceptRecord,
    DefinitionRecord,
    NameRecord,
    NoteRecord,
    Part,
    PredicateRecord,
    Record,
    RelationRecord,
    Vocabulary,
    file_fingerprint,
)
from medground.graph.vocabularies.cycles import cycle_notes
from medground.graph.vocabularies.ids import compact, is_id
from medground.graph.vocabularies.json_items import array_items

_SCOPES: dict[str, Scope] = {
    "hasExactSynonym": "exact",
    "hasRelatedSynonym": "related",
    "hasBroadSynonym": "broad",
    "hasNarrowSynonym": "narrow",
}
_NAMESPACE = "hasOBONamespace"
_OF_PREDICATES = {"subPropertyOf", "inverseOf", "type"}


def obo_json(path: Path, name: str = "", licence: str = "not recorded", origin: str = "") -> Vocabulary:
    """The vocabulary of an OBO Graph file, plain or gzip.

    Args:
        path: the file.
        name: with its release; by default the file's name.
        licence: under which terms it may be used.
        origin: where it comes from; by default the file's name.

    Raises:
        BadDocument: the file cannot be read.
    """
    part = Part(str(path), file_fingerprint(path), lambda: _records(path))
    return Vocabulary(name or path.name.partition(".")[0], licence, origin or path.name, (part,))


def _records(path: Path) -> Iterator[Record]:
    parents: dict[str, list[str]] = {}
    terms = odd = 0
    for kind, item in array_items(path, ("graphs", ("nodes", "edges"))):
        try:
            if kind == "nodes":
                records = list(_node(item))
                terms += any(isinstance(record, ConceptRecord) for record in records)
                odd += not records and not _deprecated(item)
            else:
                records = list(_edge(item))
                for record in records:
                    if isinstance(record, RelationRecord) and record.predicate == "is_a":
                        parents.setdefault(record.subject, []).append(record.object)
        except (AttributeError, KeyError, TypeError):
            raise BadDocument(
                f"one of its {kind} is not as OBO Graphs has it: {str(item)[:80]}", file=str(path)
            ) from None
        yield from records
    if not terms:
        raise BadDocument('it has no "graphs" with "nodes" in use; this is not an OBO Graph', file=str(path))
    if odd:
        yield NoteRecord(f"{path.name}: {odd:,} nodes left out: no label, or no id of the form PREFIX:NAME")
    for line in cycle_notes(parents):
        yield NoteRecord(f"{path.name}: {line}")


def _deprecated(node: Mapping[str, Any]) -> bool:
    return bool((node.get("meta") or {}).get("deprecated"))


def _node(node: Mapping[str, Any]) -> Iterator[Record]:
    label, concept, meta = node.get("lbl"), compact(node["id"]), node.get("meta") or {}
    if _deprecated(node) or not label:
        return
    if node.get("type") == "PROPERTY":
        yield PredicateRecord(_predicate(node["id"]), label)
        return
    if node.get("type", "CLASS") != "CLASS" or not is_id(concept):
        return
    values = [v["val"] for v in meta.get("basicPropertyValues", ()) if v["pred"].endswith(_NAMESPACE)]
    yield ConceptRecord(concept, label, tuple(str(value).replace("_", " ") for value in values[:1]))
    if text := (meta.get("definition") or {}).get("val"):
        yield DefinitionRecord(concept, text)
    for synonym in meta.get("synonyms", ()):
        scope = _SCOPES.get(synonym["pred"], "related")
        short = scope == "exact" and "abbreviation" in str(synonym.get("synonymType", "")).lower()
        yield NameRecord(concept, synonym["val"], "abbreviation" if short else scope)
    for xref in meta.get("xrefs", ()):
        if is_id(xref["val"]):
            yield NameRecord(concept, xref["val"], "xref")


def _edge(edge: Mapping[str, Any]) -> Sequence[Record]:
    if edge["pred"] in _OF_PREDICATES:
        return ()
    return (RelationRecord(compact(edge["sub"]), _predicate(edge["pred"]), compact(edge["obj"])),)


def _predicate(name: str) -> str:
    """The name of a predicate: `is_a`, `RO:0002211`, or the last part of its address (`hp#has_onset`)."""
    short = compact(name)
    return short.rstrip("/").rsplit("#", 1)[-1].rsplit("/", 1)[-1] if short.startswith("http") else short
