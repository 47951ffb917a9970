"""Ontologies as OBO Graph JSON, streamed node by node.

Source: the OBO Graphs specification (geneontology/obographs): `graphs`, each with `nodes` and `edges`. Deprecated nodes
are left out.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from medground.corpus.readers.base import LONGEST_RECORD, opened
from medground.errors import BadDocument
from medground.graph.relation import Scope
from medground.graph.vocabularies.base import (
    ConceptRecord,
    DefinitionRecord,
    NameRecord,
    PredicateRecord,
    Record,
    RelationRecord,
    Vocabulary,
    compact,
    is_id,
    notes_on,
    of_file,
)

_BLOCK = 1 << 18
_SPACE = " \t\r\n"
_MARGIN = 64
"""A number may go on beyond what is read; so many characters beyond it prove that it does not."""


def array_items(path: Path, wanted: tuple[str, tuple[str, ...]]) -> Iterator[tuple[str, Any]]:
    """The items of the arrays `inner` of each object of the array `outer`, each with the name of its array.

    Args:
        path: a file whose top level is an object, plain or gzip.
        wanted: `(outer, inner)`: `("graphs", ("nodes", "edges"))`.

    Raises:
        BadDocument: the file is not JSON of this form, ends early, or cannot be read.
    """
    outer, inner = wanted
    with opened(path) as file:
        reader = _Reader(file, path)
        reader.expect("{", "an object")
        for key in reader.members():
            if key != outer:
                reader.skip()
                continue
            for _ in reader.elements():
                reader.expect("{", "an object")
                for name in reader.members():
                    if name in inner:
                        for _ in reader.elements():
                            yield name, reader.value()
                    else:
                        reader.skip()


class _Reader:
    def __init__(self, file: IO[bytes], path: Path) -> None:
        self._file, self._path = file, path
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._json = json.JSONDecoder()
        self._text, self._at, self._ended = "", 0, False

    def members(self) -> Iterator[str]:
        """The keys of the object that was just opened, up to its end; each value must be taken before the next key."""
        if self._peek() == "}":
            self._at += 1
            return
        while True:
            key = self.value()
            if not isinstance(key, str):
                raise self._bad("a key is not a text")
            self.expect(":", "a colon")
            yield key
            if self._next(",}") == "}":
                return

    def elements(self) -> Iterator[None]:
        """The elements of an array, up to its end; each must be taken before the next."""
        self.expect("[", "an array")
        if self._peek() == "]":
            self._at += 1
            return
        while True:
            yield
            if self._next(",]") == "]":
                return

    def skip(self) -> None:
        """Pass over a value; the elements of an array one by one, since it may be large."""
        if self._peek() == "[":
            for _ in self.elements():
                self.value()
        else:
            self.value()

    def value(self) -> Any:
        """The next value as a whole."""
        self._peek()
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._at)
                if end + _MARGIN < len(self._text) or self._ended:
                    self._at = end
                    return value
            except json.JSONDecodeError as error:
                if self._ended:
                    raise self._bad("it ends early" if error.pos >= len(self._text) - 1 else error.msg) from None
            except RecursionError:
                raise self._bad("it is nested too deeply") from None
            if len(self._text) - self._at > LONGEST_RECORD:
                raise self._bad("it has a record that is too long, or is not JSON")
            self._fill(max(_BLOCK, len(self._text) - self._at))

    def expect(self, sign: str, what: str) -> None:
        """Pass over a sign.

        Raises:
            BadDocument: it is not there.
        """
        if self._peek() != sign:
            raise self._bad(f"{what} was expected" if self._text[self._at :] else "it ends early")
        self._at += 1

    def _next(self, signs: str) -> str:
        sign = self._peek()
        if not sign or sign not in signs:
            raise self._bad(f"one of {' '.join(signs)} was expected" if sign else "it ends early")
        self._at += 1
        return sign

    def _peek(self) -> str:
        """The next character that is not white space; empty at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if self._ended:
                return ""
            self._fill(_BLOCK)

    def _fill(self, size: int) -> None:
        block = self._file.read(size)
        try:
            more = self._decode(block, final=not block)
        except UnicodeDecodeError:
            raise self._bad("it is not UTF-8") from None
        self._ended = not block
        self._text, self._at = self._text[self._at :] + more, 0

    def _bad(self, why: str) -> BadDocument:
        return BadDocument(f"this is not an OBO Graph in JSON: {why}", file=str(self._path))


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
    return of_file(path, _records, name or path.name.partition(".")[0], licence, origin or path.name)


def _records(path: Path) -> Iterator[Record]:
    parents: dict[str, list[str]] = {}
    terms = odd = 0
    for kind, item in array_items(path, ("graphs", ("nodes", "edges"))):
        try:
            records: list[Record] = []
            if kind == "nodes":
                records = list(_node(item))
                terms += any(isinstance(record, ConceptRecord) for record in records)
                odd += not records and not _deprecated(item)
            else:
                child, predicate, parent = compact(item["sub"]), _predicate(item["pred"]), compact(item["obj"])
                if item["pred"] not in _OF_PREDICATES:
                    records.append(RelationRecord(child, predicate, parent))
                if predicate == "is_a":
                    parents.setdefault(child, []).append(parent)
        except (AttributeError, KeyError, TypeError):
            raise BadDocument(
                f"one of its {kind} is not as OBO Graphs has it: {str(item)[:80]}", file=str(path)
            ) from None
        yield from records
    if not terms:
        raise BadDocument('it has no "graphs" with "nodes" in use; this is not an OBO Graph', file=str(path))
    left_out = f"{odd:,} nodes left out: no label, or no id of the form PREFIX:NAME" if odd else ""
    yield from notes_on(path, left_out, parents)


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


def _predicate(name: str) -> str:
    """The name of a predicate: `is_a`, `RO:0002211`, or the last part of its address (`hp#has_onset`)."""
    short = compact(name)
    return short.rstrip("/").rsplit("#", 1)[-1].rsplit("/", 1)[-1] if short.startswith("http") else short
