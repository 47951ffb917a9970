"""What a vocabulary yields, record by record, so that no file is ever held in memory as a whole.

Source: Omni-RAG, section 3.2 (the graph of MedOmniKB): concepts, their definitions, and the relations between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from medground.errors import BadDocument
from medground.graph.relation import Scope


class ConceptRecord(NamedTuple):
    """A concept: its id (`PREFIX:NAME`, also the id of its document), its preferred name, its kinds.

    The first record of an id counts; the name of a later one becomes a further name.
    """

    id: str
    name: str
    types: tuple[str, ...] = ()


class TypeRecord(NamedTuple):
    """A kind (semantic type) of a concept, where it is stored apart from the concept."""

    concept: str
    type: str


class NameRecord(NamedTuple):
    """A further name of a concept."""

    concept: str
    text: str
    scope: Scope = "exact"


class DefinitionRecord(NamedTuple):
    """A definition, or another text that describes a concept: `label` says which (`Definition`, `Indication`)."""

    concept: str
    text: str
    label: str = "Definition"
    source: str = ""


class RelationRecord(NamedTuple):
    """`subject` has the relation `predicate` to `object`; `details` limit it (a frequency, a source)."""

    subject: str
    predicate: str
    object: str
    details: tuple[str, ...] = ()


class PredicateRecord(NamedTuple):
    """How a predicate is worded, in both directions: `is treated by`, `treats`.

    Without an inverse, `forward` may also be the name by which people know the predicate, such as `develops from`.
    """

    predicate: str
    forward: str
    inverse: str = ""


class NoteRecord(NamedTuple):
    """What a reader tells its user in one line, such as a cycle that it found."""

    text: str


Record = ConceptRecord | TypeRecord | NameRecord | DefinitionRecord | RelationRecord | PredicateRecord | NoteRecord


@dataclass(frozen=True)
class Part:
    """A file of a vocabulary. A build that was interrupted goes on with the first part that it has not finished.

    Attributes:
        name: its name in messages.
        fingerprint: changes when the content does.
        records: reads it from the start. Raises BadDocument.
    """

    name: str
    fingerprint: str
    records: Callable[[], Iterator[Record]]


@dataclass(frozen=True)
class Vocabulary:
    """A vocabulary, ready to be read.

    Attributes:
        name: with its release, such as `HPO 2025-01-16`.
        licence: under which terms its texts may be used.
        origin: where it comes from.
        parts: its files, in the order of reading.
        both_ways: whether it states each relation in both directions itself, as UMLS does.
        joins: whether a concept of it joins the concept of another vocabulary with the same name, as the drugs of
            DrugBank do (section 3.2).
    """

    name: str
    licence: str
    origin: str
    parts: tuple[Part, ...]
    both_ways: bool = False
    joins: bool = False


def one_line(text: str) -> str:
    """A text on one line, with single spaces."""
    return " ".join(text.split())


def file_fingerprint(path: Path) -> str:
    """Size and time of the last change of a file.

    Raises:
        BadDocument: it cannot be read.
    """
    try:
        found = path.stat()
    except OSError as error:
        raise BadDocument(f"cannot be read ({error.strerror or error})", file=str(path)) from None
    return f"{found.st_size}:{found.st_mtime_ns}"
