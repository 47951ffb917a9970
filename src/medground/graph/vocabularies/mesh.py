"""MeSH headings from a table: id, heading, entry terms, tree numbers, separated by tabs, the latter two by `|`.

A heading below another in the tree is narrower than it: `C14.280.434` than `C14.280`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from medground.errors import BadDocument
from medground.graph.vocabularies.base import (
    ConceptRecord,
    NameRecord,
    Record,
    RelationRecord,
    Vocabulary,
    numbered_lines,
    of_file,
)

_UI = re.compile(r"D\d{6,9}")
_TREE = re.compile(r"[A-Z]\d{2}(\.\d{3})*")
_COLUMNS = 4
_BRANCHES = {
    "A": "anatomy",
    "B": "organism",
    "C": "disease",
    "D": "chemical or drug",
    "E": "technique or equipment",
    "F": "psychiatry or psychology",
    "G": "phenomenon or process",
    "H": "discipline or occupation",
    "I": "social science",
    "J": "technology, industry or food",
    "K": "humanities",
    "L": "information science",
    "M": "named group",
    "N": "health care",
    "V": "publication characteristic",
    "Z": "geographical location",
}


def mesh(path: Path, name: str = "MeSH") -> Vocabulary:
    """The vocabulary of a table of headings, plain or gzip.

    Raises:
        BadDocument: the file cannot be read.
    """
    licence = "Medical Subject Headings, National Library of Medicine: free to use with acknowledgement"
    return of_file(path, _records, name, licence, "https://www.nlm.nih.gov/mesh")


def _records(path: Path) -> Iterator[Record]:
    places: dict[str, str] = {}
    below: list[tuple[str, str]] = []
    for heading_id, heading, entries, trees in _rows(path):
        concept = f"MESH:{heading_id}"
        numbers = [number for number in trees.split("|") if _TREE.fullmatch(number)]
        yield ConceptRecord(
            concept, heading, tuple(dict.fromkeys(_BRANCHES.get(n[0], "MeSH heading") for n in numbers))
        )
        for entry in filter(None, entries.split("|")):
            yield NameRecord(concept, entry)
        for number in numbers:
            places[number] = concept
            below.append((concept, number.rpartition(".")[0]))
    for concept, parent in dict.fromkeys((c, places[above]) for c, above in below if above in places):
        yield RelationRecord(concept, "broader", parent)


def _rows(path: Path) -> Iterator[list[str]]:
    for number, line in numbered_lines(path):
        row = line.split("\t")
        if len(row) < _COLUMNS or not _UI.fullmatch(row[0]) or not row[1].strip():
            expected = "id, heading, entry terms, tree numbers"
            raise BadDocument(f"the columns are not {expected}", file=str(path), position=number)
        yield row[:_COLUMNS]
