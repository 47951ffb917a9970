"""Ontologies in OBO format 1.2 and 1.4 (HPO, MONDO, DOID, ChEBI, GO), stanza by stanza.

Source: the OBO Flat File Format specification. Obsolete terms are left out; a term without a name has its id for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from medground.corpus.readers.base import LONGEST_RECORD
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
            term = Term.from_stanza(stanza)
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
        raise BadDocument("there is no [Term] in use in it; this is not an ontology in OBO format", file=path)
    yield from forms.notes_on(
        path, f"{odd:,} terms without an id of the form PREFIX:NAME left out" if odd else "", parents
    )


class Term(NamedTuple):
    """A [Term] stanza: the concept with its synonyms and the ids of its parents."""

    concept: Concept
    synonyms: tuple[Name, ...] = ()
    parents: tuple[str, ...] = ()

    @classmethod
    def from_stanza(cls, stanza: Stanza) -> Term | None:
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
            raise BadDocument(f"a stanza has more than {LONGEST_RECORD:,} characters", file=path, position=number)
        tag, colon, value = line.partition(":")
        if colon and (tag.isidentifier() or tag.replace("-", "_").isidentifier()):
            stanza.setdefault(tag, []).append(value.lstrip())
        elif line.startswith("[") and line.rstrip().endswith("]"):
            yield kind, stanza
            kind, stanza, length = line.strip()[1:-1], {}, 0
        elif line.strip() and not line.startswith("!") and not begun:
            raise BadDocument("the first line is not a tag; this is not OBO format", file=path, position=number)
        begun = begun or bool(line.strip())
    yield kind, stanza
