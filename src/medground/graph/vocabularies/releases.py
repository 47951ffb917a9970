"""The vocabularies of the National Library of Medicine, UMLS and MeSH, and DrugBank, as they are released; streamed."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from lxml import etree

from medground.corpus.readers.base import fingerprint
from medground.corpus.readers.xml import Element, flat_text, records
from medground.errors import BadDocument
from medground.graph.relation import Scope
from medground.graph.vocabularies import base as forms
from medground.home.files import tables

# UMLS in Rich Release Format. Source: UMLS Reference Manual. Each row ends with `|`. In MRREL the second concept has
# the relation to the first: `CUI2 RELA CUI1`.

_COLUMNS: Mapping[str, str] = tables("graph", "words")["umls"]
COLUMNS = {table: tuple(columns.split()) for table, columns in _COLUMNS.items()}
"""The columns of each table, in NLM's order; every row ends with a further `|`."""
_CUI = re.compile(r"C\d{7}")
_KEPT = {"N", ""}
"""Values of SUPPRESS of rows in use; O is obsolete, E and Y are suppressed by NLM or its editors."""
_NOT_RELATED = {"DEL", "XR"}
_SHORT = {"AB", "ACR", "AA", "SSN"}
"""Term types (TTY) of abbreviations and acronyms."""
LICENCE = "UMLS Metathesaurus License; each source vocabulary has its own terms: https://www.nlm.nih.gov/research/umls"


def umls(folder: Path, *, languages: Collection[str] = ("ENG",), sources: Collection[str] = ()) -> forms.Vocabulary:
    """The Metathesaurus of a folder of RRF files, plain or gzip.

    Args:
        folder: it has MRCONSO.RRF, MRDEF.RRF, MRREL.RRF and MRSTY.RRF.
        languages: of the names that are kept (LAT); empty for all.
        sources: the source vocabularies that are kept (SAB), such as `MSH`, `SNOMEDCT_US`; empty for all.

    Raises BadDocument: a file is missing.
    """
    chosen = _Chosen({table: _file(folder, table) for table in COLUMNS}, frozenset(languages), frozenset(sources))
    filters = f"{','.join(sorted(chosen.languages))}:{','.join(sorted(chosen.sources))}"
    parts = tuple(
        forms.Part(str(path), f"{fingerprint(path)}:{filters}", reader)
        for path, reader in (
            (chosen.files["MRCONSO"], chosen.concepts),
            (chosen.files["MRSTY"], chosen.types),
            (chosen.files["MRDEF"], chosen.definitions),
            (chosen.files["MRREL"], chosen.relations),
        )
    )
    origin = "Unified Medical Language System, National Library of Medicine, https://uts.nlm.nih.gov"
    return forms.Vocabulary("UMLS", LICENCE, origin, parts, both_ways=True)


def _file(folder: Path, table: str) -> Path:
    for name in (f"{table}.RRF", f"{table}.RRF.gz"):
        if (folder / name).is_file():
            return folder / name
    raise BadDocument(f"there is no {table}.RRF; UMLS needs {', '.join(f'{t}.RRF' for t in COLUMNS)}", file=folder)


@dataclass
class _Chosen:
    files: dict[str, Path]
    languages: frozenset[str]
    sources: frozenset[str]

    def concepts(self) -> Iterator[forms.Record]:
        for cui, rows in groupby(self._rows("MRCONSO"), key=lambda row: row[0]):
            atoms = [row for row in rows if self._names(row)]
            if not atoms:
                continue
            atoms.sort(key=lambda row: (row[2] != "P", row[4] != "PF", row[6] != "Y"))  # NLM prefers TS, STT, ISPREF
            concept = f"UMLS:{cui}"
            yield forms.ConceptRecord(concept, atoms[0][14])
            for text, row in {row[14]: row for row in reversed(atoms)}.items():
                if text != atoms[0][14]:
                    scope: Scope = "abbreviation" if row[12] in _SHORT else "exact"
                    yield forms.NameRecord(concept, text, scope)

    def types(self) -> Iterator[forms.Record]:
        return (forms.TypeRecord(f"UMLS:{row[0]}", row[3]) for row in self._rows("MRSTY"))

    def definitions(self) -> Iterator[forms.Record]:
        # A definition has no language of its own, so that of its source counts: one that has names in it.
        speaking = {row[11] for row in self._rows("MRCONSO") if self._names(row)}
        for row in self._rows("MRDEF"):
            if row[6] in _KEPT and row[4] in speaking:
                yield forms.DefinitionRecord(f"UMLS:{row[0]}", row[5], source=row[4])

    def relations(self) -> Iterator[forms.Record]:
        for row in self._rows("MRREL"):
            first, rel, second, rela, source, suppress = row[0], row[3], row[4], row[7], row[10], row[14]
            if suppress in _KEPT and rel not in _NOT_RELATED and (not self.sources or source in self.sources):
                yield forms.RelationRecord(f"UMLS:{second}", rela or rel, f"UMLS:{first}")

    def _names(self, row: list[str]) -> bool:
        language, source, text, suppress = row[1], row[11], row[14], row[16]
        fits = (not self.languages or language in self.languages) and (not self.sources or source in self.sources)
        return fits and suppress in _KEPT and bool(text.strip())

    def _rows(self, table: str) -> Iterator[list[str]]:
        path, columns = self.files[table], COLUMNS[table]
        ids = [at for at, column in enumerate(columns) if column.startswith("CUI")]
        for number, line in forms.numbered_lines(path):
            row = line.split("|")
            if len(row) != len(columns) + 1 or row[-1]:
                found = len(row) - 1 if not row[-1] else len(row)
                raise BadDocument(
                    f"{found} columns instead of the {len(columns)} of {table} ({', '.join(columns)})",
                    file=path,
                    position=number,
                )
            if odd := [row[at] for at in ids if not _CUI.fullmatch(row[at])]:
                raise BadDocument(f"{odd[0][:40]!r} is not a CUI (C and 7 digits)", file=path, position=number)
            yield row


# MeSH headings from a table: id, heading, entry terms, tree numbers, separated by tabs, the latter two by `|`. A
# heading below another in the tree is narrower than it: `C14.280.434` than `C14.280`.

_UI = re.compile(r"D\d{6,9}")
_TREE = re.compile(r"[A-Z]\d{2}(\.\d{3})*")
_MESH_COLUMNS = 4
_BRANCHES = """A anatomy; B organism; C disease; D chemical or drug; E technique or equipment; F psychiatry or
psychology; G phenomenon or process; H discipline or occupation; I social science; J technology,
industry or food; K humanities; L information science; M named group; N health care; V publication
characteristic; Z geographical location"""
_BRANCH = {kind[0]: kind[2:] for kind in " ".join(_BRANCHES.split()).split("; ")}


def mesh(path: Path, name: str = "MeSH") -> forms.Vocabulary:
    """The vocabulary of a table of headings, plain or gzip. Raises BadDocument: the file cannot be read."""
    licence = "Medical Subject Headings, National Library of Medicine: free to use with acknowledgement"
    return forms.of_file(path, _headings, name, licence, "https://www.nlm.nih.gov/mesh")


def _headings(path: Path) -> Iterator[forms.Record]:
    places: dict[str, str] = {}
    below: list[tuple[str, str]] = []
    for heading_id, heading, entries, trees in _heading_rows(path):
        concept = f"MESH:{heading_id}"
        numbers = [number for number in trees.split("|") if _TREE.fullmatch(number)]
        yield forms.ConceptRecord(
            concept, heading, tuple(dict.fromkeys(_BRANCH.get(n[0], "MeSH heading") for n in numbers))
        )
        for entry in filter(None, entries.split("|")):
            yield forms.NameRecord(concept, entry)
        for number in numbers:
            places[number] = concept
            below.append((concept, number.rpartition(".")[0]))
    for concept, parent in dict.fromkeys((c, places[above]) for c, above in below if above in places):
        yield forms.RelationRecord(concept, "broader", parent)


def _heading_rows(path: Path) -> Iterator[list[str]]:
    for number, line in forms.numbered_lines(path):
        row = line.split("\t")
        if len(row) < _MESH_COLUMNS or not _UI.fullmatch(row[0]) or not row[1].strip():
            expected = "id, heading, entry terms, tree numbers"
            raise BadDocument(f"the columns are not {expected}", file=path, position=number)
        yield row[:_MESH_COLUMNS]


# DrugBank's full database in XML (version 5.1): what it says of a drug joins the concept of that name:
# description, indication, pharmacodynamics, absorption and interactions.

NAMESPACE = "http://www.drugbank.ca"
_TEXTS: Mapping[str, str] = tables("graph", "words")["drugbank"]
_IN = f"{{{NAMESPACE}}}"


def drugbank(path: Path) -> forms.Vocabulary:
    """The vocabulary of a database file, plain or gzip. Raises BadDocument: the file cannot be read."""
    licence = "DrugBank: CC BY-NC 4.0 for academic use, else by agreement; https://go.drugbank.com/releases"
    return forms.of_file(path, _drugs, "DrugBank", licence, "DrugBank, https://go.drugbank.com", joins=True)


def _drugs(path: Path) -> Iterator[forms.Record]:
    for drug in records(path, ["drug"], ["drugbank"]):
        if etree.QName(drug).namespace != NAMESPACE:
            raise BadDocument(f"its elements are not in the namespace {NAMESPACE} of DrugBank 5.1", file=path)
        yield from _drug(drug)


def _drug(drug: Element) -> Iterator[forms.Record]:
    ids = [flat_text(one) for one in drug.findall(f"{_IN}drugbank-id") if one.get("primary") == "true"]
    name = flat_text(drug, f"{_IN}name")
    if not ids or not name:
        return
    concept = f"DRUGBANK:{ids[0]}"
    kind = drug.get("type")
    yield forms.ConceptRecord(concept, name, ("drug", kind) if kind else ("drug",))
    for synonym in drug.iterfind(f"{_IN}synonyms/{_IN}synonym"):
        if synonym.get("language", "") in ("", "english") and flat_text(synonym):
            yield forms.NameRecord(concept, flat_text(synonym))
    for tag, label in _TEXTS.items():
        if text := flat_text(drug, f"{_IN}{tag}"):
            yield forms.DefinitionRecord(concept, text, label, "DrugBank")
    for interaction in drug.iterfind(f"{_IN}drug-interactions/{_IN}drug-interaction"):
        other, text = (flat_text(interaction, f"{_IN}{tag}") for tag in ("name", "description"))
        if other and text:
            yield forms.DefinitionRecord(concept, text, f"Interaction with {other}", "DrugBank")
