"""What a vocabulary yields, record by record, so that no file is ever held in memory as a whole."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

from medground.corpus.readers.base import fingerprint, lines_of_file
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


_LONGEST_NAME, _LONGEST_TEXT = 5_000, 1_000_000


def checked(record: Record) -> Record:
    """The same record. Raises ValueError: a part of it is too long for a name or a text."""
    most = _LONGEST_TEXT if isinstance(record, DefinitionRecord | NoteRecord) else _LONGEST_NAME
    for part in record:
        for text in part if isinstance(part, tuple) else (part,):
            if len(text) > most:
                raise ValueError(f"one of its texts has {len(text):,} characters, more than {most:,}: {text[:40]}")
    return record


@dataclass(frozen=True)
class Part:
    """A file of a vocabulary, with what changes when its content does. `records` reads it from the start.

    A build that was interrupted resumes with the first part that it has not finished.
    """

    name: str
    fingerprint: str
    records: Callable[[], Iterator[Record]]


@dataclass(frozen=True)
class Vocabulary:
    """A vocabulary, ready to be read: its name with the release, such as `HPO 2025-01-16`, and its files in order.

    Attributes:
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


def of_file(
    path: Path,
    records: Callable[[Path], Iterator[Record]],
    name: str,
    licence: str,
    origin: str,
    *,
    joins: bool = False,
) -> Vocabulary:
    """The vocabulary of one file. Raises BadDocument: it cannot be read."""
    part = Part(str(path), fingerprint(path), partial(records, path))
    return Vocabulary(name, licence, origin, (part,), joins=joins)


_ID = re.compile(
    r"[A-Za-z][A-Za-z0-9._-]{0,31}:[^\s#/\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]{1,190}"
)


def is_id(text: str) -> bool:
    """Whether a text is `PREFIX:NAME`, and so can be the id of a document; `/` is left for continued documents."""
    return _ID.fullmatch(text) is not None


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    r"""The lines of a file without their ends, from 1. Only `\n` ends a line.

    Raises BadDocument: the file cannot be read, is damaged, is not UTF-8, or has a line that is too long.
    """
    for number, line in lines_of_file(path):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise BadDocument("not UTF-8; save the file as UTF-8", file=path, position=number) from None
        yield number, text.rstrip("\r\n")


def cycles(parents: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Each cycle as the ids on it, the first one again at the end; cycles that share a relation are given once."""
    left = {child: set(above) for child, above in parents.items()}
    while True:
        try:
            return TopologicalSorter(left).prepare()
        except CycleError as error:
            cycle = error.args[1][::-1]  # it goes from parent to child
            left[cycle[0]].remove(cycle[1])
            yield tuple(cycle)


_MOST_CYCLES = 5


def notes_on(path: Path, left_out: str, parents: Mapping[str, Sequence[str]]) -> Iterator[NoteRecord]:
    """What a reader of an ontology says at its end: what it left out, and the first cycles."""
    if left_out:
        yield NoteRecord(f"{path.name}: {left_out}")
    for number, cycle in enumerate(cycles(parents)):
        if number == _MOST_CYCLES:
            yield NoteRecord(f"{path.name}: there are more cycles of is_a")
            return
        yield NoteRecord(f"{path.name}: a cycle of is_a was read as it stands: {' -> '.join(cycle)}")
