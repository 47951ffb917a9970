"""Ontologies in OBO format 1.2 and 1.4 (HPO, MONDO, DOID, ChEBI, GO), stanza by stanza, and as OBO Graph JSON.

Source: the OBO Flat File Format specification. Obsolete terms are left out; a term without a name has its id for one.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

from medground.corpus.readers.base import LONGEST_RECORD, opened
from medground.errors import BadDocument
from medground.graph.relation import Concept, Name, Scope
from medground.graph.vocabularies import base as forms

_AFTER_VALUE = re.compile(r"(?<![\\\s])\s+[{!](?:\s|(?=\w))")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_SYNONYM = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(EXACT|RELATED|BROAD|NARROW)?\s*([^\s\[]*)')
_SCOPES: dict[str, Scope] = {"EXACT": "exact", "RELATED": "related", "BROAD": "broad", "NARROW": "narrow"}
_ESCAPED = re.compile(r"\\(.)")
_MEANING = {"n": " ", "W": " ", "t": " "}

Stanza = dict[str, list[str]]


def obo(path: Path, licence: str = "not recorded", origin: str = "") -> forms.Vocabulary:
    """The vocabulary of an OBO file, plain or gzip.

    Its name is that of the header, such as `hp hp/releases/2025-01-16`, and its origin by default the file's name.

    Raises BadDocument: the file cannot be read, or is not OBO.
    """
    _, header = next(stanzas(path))
    name = " ".join([*header.get("ontology", [path.stem])[:1], *header.get("data-version", [])[:1]])
    return forms.of_file(path, _records, name, licence, origin or path.name)


def _records(path: Path) -> Iterator[forms.Record]:
    parents: dict[str, tuple[str, ...]] = {}
    default, terms, odd = "", 0, 0
    for kind, stanza in stanzas(path):
        if kind == "":
            default = stanza.get("default-namespace", [""])[0]
        elif kind == "Typedef" and "id" in stanza:
            name = unescaped(_value(stanza.get("name", stanza["id"])[0]))
            yield forms.PredicateRecord(_value(stanza["id"][0]), name)
        elif kind == "Term" and stanza.get("is_obsolete", [""])[0] != "true":
            terms += 1
            term = Term.of(stanza)
            if term is None:
                odd += 1
                continue
            own = term.concept.id
            parents[own] = term.parents
            yield from term.records(_value(stanza.get("namespace", [default])[0]).replace("_", " "))
            elsewhere = [line.partition(" ")[0] for tag in ("alt_id", "xref") for line in stanza.get(tag, ())]
            yield from (forms.NameRecord(own, xref, "xref") for xref in elsewhere if forms.is_id(xref))
            related = [_value(line).split() for line in stanza.get("relationship", ())]
            yield from (forms.RelationRecord(own, parts[0], parts[1]) for parts in related if len(parts) == 2)
    if not terms:
        raise BadDocument("there is no [Term] in use in it; this is not an ontology in OBO format", file=str(path))
    yield from forms.notes_on(
        path, f"{odd:,} terms without an id of the form PREFIX:NAME left out" if odd else "", parents
    )


class Term(NamedTuple):
    """A [Term] stanza: the concept with its synonyms and the ids of its parents."""

    concept: Concept
    synonyms: tuple[Name, ...] = ()
    parents: tuple[str, ...] = ()

    @classmethod
    def of(cls, stanza: Stanza) -> Term | None:
        """Read a stanza; None if it has no id that a document can have."""
        own = _value(stanza.get("id", [""])[0])
        if not forms.is_id(own):
            return None
        quoted = _QUOTED.match(stanza.get("def", [""])[0])
        name = unescaped(_value(stanza.get("name", [own])[0]))
        synonyms = tuple(found for line in stanza.get("synonym", ()) if (found := _synonym(line)))
        parents = tuple(line.partition(" ")[0] for line in stanza.get("is_a", ()))
        return cls(Concept(own, name, "modifier", unescaped(quoted[1]) if quoted else ""), synonyms, parents)

    def records(self, kind: str, source: str = "") -> Iterator[forms.Record]:
        """The same as records, with its kind and the source of its definition."""
        own, name, _, definition = self.concept
        yield forms.ConceptRecord(own, name, (kind,) if kind else ())
        if definition:
            yield forms.DefinitionRecord(own, definition, source=source)
        yield from (forms.NameRecord(own, *name) for name in self.synonyms)
        yield from (forms.RelationRecord(own, "is_a", parent) for parent in self.parents)


def unescaped(text: str) -> str:
    """A text with its escapes read, on one line."""
    if "\\" in text:
        text = _ESCAPED.sub(lambda found: _MEANING.get(found[1], found[1]), text)
    return " ".join(text.split())


def _synonym(line: str) -> Name | None:
    found = _SYNONYM.match(line)
    if found is None:
        return None
    scope = _SCOPES.get(found[2] or "RELATED", "related")
    short = scope == "exact" and "abbreviation" in found[3].lower()
    return Name(unescaped(found[1]), "abbreviation" if short else scope)


def _value(text: str) -> str:
    """A value without its trailing modifiers and comment: `GO:1 {source="x"} ! name` is `GO:1`."""
    return (_AFTER_VALUE.split(f"{text} ", maxsplit=1)[0] if "!" in text or "{" in text else text).strip()


def stanzas(path: Path) -> Iterator[tuple[str, Stanza]]:
    """The header with the name "", then every stanza with its name."""
    kind, stanza, begun, length = "", Stanza(), False, 0
    for number, line in forms.numbered_lines(path):
        length += len(line)
        if length > LONGEST_RECORD:
            raise BadDocument(f"a stanza has more than {LONGEST_RECORD:,} characters", file=str(path), position=number)
        tag, colon, value = line.partition(":")
        if colon and (tag.isidentifier() or tag.replace("-", "_").isidentifier()):
            stanza.setdefault(tag, []).append(value.lstrip())
        elif line.startswith("[") and line.rstrip().endswith("]"):
            yield kind, stanza
            kind, stanza, length = line.strip()[1:-1], {}, 0
        elif line.strip() and not line.startswith("!") and not begun:
            raise BadDocument("the first line is not a tag; this is not OBO format", file=str(path), position=number)
        begun = begun or bool(line.strip())
    yield kind, stanza


# OBO Graph JSON, streamed node by node. Source: the OBO Graphs specification (geneontology/obographs): `graphs`, each
# with `nodes` and `edges`. Deprecated nodes are left out.

_BLOCK = 1 << 18
_BLANK = re.compile(r"[ \t\r\n]+")
_MARGIN = 64
"""A number may go on beyond what is read; so many characters beyond it prove that it does not."""


def _graph_items(path: Path) -> Iterator[tuple[str, Any]]:
    """The nodes and the edges of each graph of a file, plain or gzip, each with the name of its array.

    Raises BadDocument: the file is not JSON of this form, ends early, or cannot be read.
    """
    with opened(path) as file:
        reader = _Reader(file, path)
        for key in reader.parts("{}"):
            if key != "graphs":
                reader.skip()
                continue
            for _ in reader.parts("[]"):
                for name in reader.parts("{}"):
                    if name in ("nodes", "edges"):
                        for _ in reader.parts("[]"):
                            yield name, reader.value()
                    else:
                        reader.skip()


class _Reader:
    def __init__(self, file: IO[bytes], path: Path) -> None:
        self._file, self._path = file, path
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._json = json.JSONDecoder()
        self._text, self._at, self._ended = "", 0, False

    def parts(self, brackets: str) -> Iterator[str]:
        """The keys of an object, or "" for each element of an array; each value must be taken before the next."""
        self._pass(brackets[0])
        if self._peek() == brackets[1]:
            self._at += 1
            return
        while True:
            key = self.value() if brackets == "{}" else ""
            if not isinstance(key, str):
                raise self._bad("a key is not a text")
            if brackets == "{}":
                self._pass(":")
            yield key
            if self._pass(f",{brackets[1]}") != ",":
                return

    def skip(self) -> None:
        """Pass over a value; the elements of an array one by one, since it may be large."""
        if self._peek() == "[":
            for _ in self.parts("[]"):
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

    def _pass(self, signs: str) -> str:
        sign = self._peek()
        if not sign or sign not in signs:
            raise self._bad(f"one of {' '.join(signs)} was expected" if sign else "it ends early")
        self._at += 1
        return sign

    def _peek(self) -> str:
        """The next character that is not white space; empty at the end."""
        while True:
            if blank := _BLANK.match(self._text, self._at):
                self._at = blank.end()
            if self._at < len(self._text) or self._ended:
                return self._text[self._at : self._at + 1]
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


_GRAPH_SCOPES = {f"has{scope.capitalize()}Synonym": scope for scope in _SCOPES.values()}
_NAMESPACE = "hasOBONamespace"
_OF_PREDICATES = {"subPropertyOf", "inverseOf", "type"}


def obo_json(path: Path, licence: str = "not recorded", origin: str = "") -> forms.Vocabulary:
    """The vocabulary of an OBO Graph file, plain or gzip; as `obo`, but its name is the file's.

    Raises BadDocument: the file cannot be read.
    """
    return forms.of_file(path, _graph_records, path.name.partition(".")[0], licence, origin or path.name)


def _graph_records(path: Path) -> Iterator[forms.Record]:
    parents: dict[str, list[str]] = {}
    terms = odd = 0
    for kind, item in _graph_items(path):
        try:
            records: list[forms.Record] = []
            if kind == "nodes":
                records = list(_node(item))
                terms += any(isinstance(record, forms.ConceptRecord) for record in records)
                odd += not records and not _deprecated(item)
            else:
                child, predicate, parent = (
                    forms.compact(item["sub"]),
                    _predicate(item["pred"]),
                    forms.compact(item["obj"]),
                )
                if item["pred"] not in _OF_PREDICATES:
                    records.append(forms.RelationRecord(child, predicate, parent))
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
    yield from forms.notes_on(path, left_out, parents)


def _deprecated(node: Mapping[str, Any]) -> bool:
    return bool((node.get("meta") or {}).get("deprecated"))


def _node(node: Mapping[str, Any]) -> Iterator[forms.Record]:
    label, concept, meta = node.get("lbl"), forms.compact(node["id"]), node.get("meta") or {}
    if _deprecated(node) or not label:
        return
    if node.get("type") == "PROPERTY":
        yield forms.PredicateRecord(_predicate(node["id"]), label)
        return
    if node.get("type", "CLASS") != "CLASS" or not forms.is_id(concept):
        return
    values = [v["val"] for v in meta.get("basicPropertyValues", ()) if v["pred"].endswith(_NAMESPACE)]
    yield forms.ConceptRecord(concept, label, tuple(str(value).replace("_", " ") for value in values[:1]))
    if text := (meta.get("definition") or {}).get("val"):
        yield forms.DefinitionRecord(concept, text)
    for synonym in meta.get("synonyms", ()):
        scope = _GRAPH_SCOPES.get(synonym["pred"], "related")
        short = scope == "exact" and "abbreviation" in str(synonym.get("synonymType", "")).lower()
        yield forms.NameRecord(concept, synonym["val"], "abbreviation" if short else scope)
    for xref in meta.get("xrefs", ()):
        if forms.is_id(xref["val"]):
            yield forms.NameRecord(concept, xref["val"], "xref")


def _predicate(name: str) -> str:
    """The name of a predicate: `is_a`, `RO:0002211`, or the last part of its address (`hp#has_onset`)."""
    short = forms.compact(name)
    return short.rstrip("/").rsplit("#", 1)[-1].rsplit("/", 1)[-1] if short.startswith("http") else short
