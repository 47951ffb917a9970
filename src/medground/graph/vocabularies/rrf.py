"""UMLS in Rich Release Format: MRCONSO, MRDEF, MRREL and MRSTY, streamed.

Source: UMLS Reference Manual, "Metathesaurus - Rich Release Format (RRF)". Each row ends with `|`. In MRREL the second
concept has the relation to the first: `CUI2 RELA CUI1`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from medground.errors import BadDocument
from medground.graph.relation import Scope
from medground.graph.vocabularies.base import (
    ConceptRecord,
    DefinitionRecord,
    NameRecord,
    Part,
    Record,
    RelationRecord,
    TypeRecord,
    Vocabulary,
    file_fingerprint,
    numbered_lines,
)

_COLUMNS = {
    "MRCONSO": "CUI LAT TS LUI STT SUI ISPREF AUI SAUI SCUI SDUI SAB TTY CODE STR SRL SUPPRESS CVF",
    "MRDEF": "CUI AUI ATUI SATUI SAB DEF SUPPRESS CVF",
    "MRREL": "CUI1 AUI1 STYPE1 REL CUI2 AUI2 STYPE2 RELA RUI SRUI SAB SL RG DIR SUPPRESS CVF",
    "MRSTY": "CUI TUI STN STY ATUI CVF",
}
COLUMNS = {table: tuple(columns.split()) for table, columns in _COLUMNS.items()}
"""The columns of each table, in NLM's order; every row ends with a further `|`."""
_CUI = re.compile(r"C\d{7}")
_KEPT = {"N", ""}
"""Values of SUPPRESS of rows in use; O is obsolete, E and Y are suppressed by NLM or its editors."""
_NOT_RELATED = {"DEL", "XR"}
_SHORT = {"AB", "ACR", "AA", "SSN"}
"""Term types (TTY) of abbreviations and acronyms."""
LICENCE = "UMLS Metathesaurus License; each source vocabulary has its own terms: https://www.nlm.nih.gov/research/umls"


def umls(
    folder: Path, *, languages: Collection[str] = ("ENG",), sources: Collection[str] = (), name: str = "UMLS"
) -> Vocabulary:
    """The Metathesaurus of a folder of RRF files, plain or gzip.

    Args:
        folder: it has MRCONSO.RRF, MRDEF.RRF, MRREL.RRF and MRSTY.RRF.
        languages: of the names that are kept (LAT), such as `ENG`; empty for all.
        sources: the source vocabularies that are kept (SAB), such as `MSH`, `SNOMEDCT_US`; empty for all.
        name: its name in documents, best with the release, such as `UMLS 2024AB`.

    Raises:
        BadDocument: a file is missing.
    """
    chosen = _Chosen({table: _file(folder, table) for table in COLUMNS}, frozenset(languages), frozenset(sources))
    filters = f"{','.join(sorted(chosen.languages))}:{','.join(sorted(chosen.sources))}"
    parts = tuple(
        Part(str(path), f"{file_fingerprint(path)}:{filters}", reader)
        for path, reader in (
            (chosen.files["MRCONSO"], chosen.concepts),
            (chosen.files["MRSTY"], chosen.types),
            (chosen.files["MRDEF"], chosen.definitions),
            (chosen.files["MRREL"], chosen.relations),
        )
    )
    origin = "Unified Medical Language System, National Library of Medicine, https://uts.nlm.nih.gov"
    return Vocabulary(name, LICENCE, origin, parts, both_ways=True)


def _file(folder: Path, table: str) -> Path:
    for name in (f"{table}.RRF", f"{table}.RRF.gz"):
        if (folder / name).is_file():
            return folder / name
    raise BadDocument(f"there is no {table}.RRF; UMLS needs {', '.join(f'{t}.RRF' for t in COLUMNS)}", file=str(folder))


@dataclass
class _Chosen:
    """The rows of a release that a user chose."""

    files: dict[str, Path]
    languages: frozenset[str]
    sources: frozenset[str]
    _speaking: set[str] = field(default_factory=set)

    def concepts(self) -> Iterator[Record]:
        for cui, rows in groupby(self._rows("MRCONSO"), key=lambda row: row[0]):
            atoms = [row for row in rows if self._names(row)]
            if not atoms:
                continue
            atoms.sort(key=_preferred)
            self._speaking.update(row[11] for row in atoms)
            concept = f"UMLS:{cui}"
            yield ConceptRecord(concept, atoms[0][14])
            for text, row in {row[14]: row for row in reversed(atoms)}.items():
                if text != atoms[0][14]:
                    scope: Scope = "abbreviation" if row[12] in _SHORT else "exact"
                    yield NameRecord(concept, text, scope)

    def types(self) -> Iterator[Record]:
        return (TypeRecord(f"UMLS:{row[0]}", row[3]) for row in self._rows("MRSTY"))

    def definitions(self) -> Iterator[Record]:
        speaking = self._sources_that_name()
        for row in self._rows("MRDEF"):
            if row[6] in _KEPT and row[4] in speaking:
                yield DefinitionRecord(f"UMLS:{row[0]}", row[5], source=row[4])

    def relations(self) -> Iterator[Record]:
        for row in self._rows("MRREL"):
            first, rel, second, rela, source, suppress = row[0], row[3], row[4], row[7], row[10], row[14]
            if suppress in _KEPT and rel not in _NOT_RELATED and (not self.sources or source in self.sources):
                yield RelationRecord(f"UMLS:{second}", rela or rel, f"UMLS:{first}")

    def _names(self, row: list[str]) -> bool:
        language, source, text, suppress = row[1], row[11], row[14], row[16]
        fits = (not self.languages or language in self.languages) and (not self.sources or source in self.sources)
        return fits and suppress in _KEPT and bool(text.strip())

    def _sources_that_name(self) -> set[str]:
        """The sources with a name in the language: a definition has no language of its own."""
        if not self._speaking:  # MRCONSO was read in an earlier run
            self._speaking.update(row[11] for row in self._rows("MRCONSO") if self._names(row))
        return self._speaking

    def _rows(self, table: str) -> Iterator[list[str]]:
        path, columns = self.files[table], COLUMNS[table]
        ids = [at for at, column in enumerate(columns) if column.startswith("CUI")]
        for number, line in numbered_lines(path):
            row = line.split("|")
            if len(row) != len(columns) + 1 or row[-1]:
                found = len(row) - 1 if not row[-1] else len(row)
                raise BadDocument(
                    f"{found} columns instead of the {len(columns)} of {table} ({', '.join(columns)})",
                    file=str(path),
                    position=number,
                )
            if odd := [row[at] for at in ids if not _CUI.fullmatch(row[at])]:
                raise BadDocument(f"{odd[0][:40]!r} is not a CUI (C and 7 digits)", file=str(path), position=number)
            yield row


def _preferred(row: list[str]) -> tuple[bool, bool, bool]:
    """Sort key of the atoms of a concept: NLM's preferred name is TS = P, STT = PF, ISPREF = Y."""
    return row[2] != "P", row[4] != "PF", row[6] != "Y"
