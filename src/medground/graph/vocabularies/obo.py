"""Ontologies in OBO format 1.2 and 1.4 (HPO, MONDO, DOID, ChEBI, GO), stanza by stanza.

Source: the OBO Flat File Format specification. Obsolete terms are left out; a term without a name has its id for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

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
    is_id,
    notes_on,
    numbered_lines,
    of_file,
)

_TAG = re.compile(r"([A-Za-z_][\w-]*):\s?(.*)")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_SYNONYM = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(EXACT|RELATED|BROAD|NARROW)?\s*([^\s\[]*)')
_SCOPES: dict[str, Scope] = {"EXACT": "exact", "RELATED": "related", "BROAD": "broad", "NARROW": "narrow"}
_ESCAPED = re.compile(r"\\(.)")
_MEANING = {"n": " ", "W": " ", "t": " "}

Stanza = dict[str, list[str]]


def obo(path: Path, name: str = "", licence: str = "not recorded", origin: str = "") -> Vocabulary:
    """The vocabulary of an OBO file, plain or gzip.

    Args:
        path: the file.
        name: with its release; by default as the header says, such as `hp hp/releases/2025-01-16`.
        licence: under which terms it may be used.
        origin: where it comes from; by default the file's name.

    Raises:
        BadDocument: the file cannot be read, or is not OBO.
    """
    if not name:
        _, header = next(stanzas(path))
        name = " ".join([*header.get("ontology", [path.stem])[:1], *header.get("data-version", [])[:1]])
    return of_file(path, _records, name, licence, origin or path.name)


def _records(path: Path) -> Iterator[Record]:
    parents: dict[str, list[str]] = {}
    default, terms, odd = "", 0, 0
    for kind, stanza in stanzas(path):
        if kind == "":
            default = stanza.get("default-namespace", [""])[0]
        elif kind == "Typedef" and "id" in stanza:
            name = unescaped(_value(stanza.get("name", stanza["id"])[0]))
            yield PredicateRecord(_value(stanza["id"][0]), name)
        elif kind == "Term" and stanza.get("is_obsolete", [""])[0] != "true":
            terms += 1
            term = Term.of(stanza, default)
            if term is None:
                odd += 1
                continue
            parents[term.id] = list(term.parents)
            yield from term.records()
    if not terms:
        raise BadDocument("there is no [Term] in use in it; this is not an ontology in OBO format", file=str(path))
    yield from notes_on(path, f"{odd:,} terms without an id of the form PREFIX:NAME left out" if odd else "", parents)


class Term(NamedTuple):
    """A [Term] stanza."""

    id: str
    name: str
    namespace: str
    definition: str
    names: tuple[tuple[str, Scope], ...]
    parents: tuple[str, ...]
    relations: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, stanza: Stanza, namespace: str = "") -> Term | None:
        """Read a stanza; None if it has no id that a document can have."""
        own = _value(stanza.get("id", [""])[0])
        if not is_id(own):
            return None
        quoted = _QUOTED.match(stanza.get("def", [""])[0])
        synonyms = [found for line in stanza.get("synonym", []) if (found := _synonym(line))]
        elsewhere = [_value(line).split(" ", 1)[0] for tag in ("alt_id", "xref") for line in stanza.get(tag, [])]
        related = [_value(line).split() for line in stanza.get("relationship", [])]
        return cls(
            id=own,
            name=unescaped(_value(stanza.get("name", [own])[0])),
            namespace=_value(stanza.get("namespace", [namespace])[0]),
            definition=unescaped(quoted[1]) if quoted else "",
            names=(*synonyms, *((xref, "xref") for xref in elsewhere if is_id(xref))),
            parents=tuple(_value(line) for line in stanza.get("is_a", [])),
            relations=tuple((parts[0], parts[1]) for parts in related if len(parts) == 2),
        )

    def records(self) -> Iterator[Record]:
        """The same as records."""
        yield ConceptRecord(self.id, self.name, (self.namespace.replace("_", " "),) if self.namespace else ())
        if self.definition:
            yield DefinitionRecord(self.id, self.definition)
        for text, scope in self.names:
            yield NameRecord(self.id, text, scope)
        for parent in self.parents:
            yield RelationRecord(self.id, "is_a", parent)
        for predicate, thing in self.relations:
            yield RelationRecord(self.id, predicate, thing)


def unescaped(text: str) -> str:
    """A text with its escapes read, on one line."""
    return " ".join(_ESCAPED.sub(lambda found: _MEANING.get(found[1], found[1]), text).split())


def _synonym(line: str) -> tuple[str, Scope] | None:
    found = _SYNONYM.match(line)
    if found is None:
        return None
    scope = _SCOPES.get(found[2] or "RELATED", "related")
    short = scope == "exact" and "abbreviation" in found[3].lower()
    return unescaped(found[1]), "abbreviation" if short else scope


def _value(text: str) -> str:
    """A value without its trailing modifiers and comment: `GO:1 {source="x"} ! name` is `GO:1`."""
    return re.split(r"(?<!\\)\s+[{!](?:\s|(?=\w))", f"{text} ", maxsplit=1)[0].strip()


def stanzas(path: Path) -> Iterator[tuple[str, Stanza]]:
    """The header with the name "", then every stanza with its name."""
    kind, stanza, lines = "", Stanza(), 0
    for number, line in numbered_lines(path):
        lines += bool(line.strip())
        if line.startswith("[") and line.rstrip().endswith("]"):
            yield kind, stanza
            kind, stanza = line.strip()[1:-1], {}
        elif (found := _TAG.fullmatch(line)) is not None:
            stanza.setdefault(found[1], []).append(found[2])
        elif line.strip() and not line.startswith("!") and kind == "" and lines == 1:
            raise BadDocument("the first line is no tag; this is not OBO format", file=str(path), position=number)
    yield kind, stanza
