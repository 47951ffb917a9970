"""The trace of a protein structure: one C-alpha atom for each residue, from a checked PDB or mmCIF file."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

from medground.errors import BadDocument

_NAMES = "ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL SEC PYL MSE"
LETTER: Mapping[str, str] = dict(zip(_NAMES.split(), "ARNDCQEGHILKMFPSTWYVUOM", strict=True))
_MOST_RESIDUES = 200_000
_QUOTED = re.compile(r"'(?:[^']|'(?=\S))*'|\"(?:[^\"]|\"(?=\S))*\"|\S+")
_MODEL_OF = re.compile(r"^_ma_target_ref_db_details\.db_accession\s+(\S+)", re.MULTILINE)
_ENTRY = re.compile(r"^_entry\.id\s+(\S+)", re.MULTILINE)


class Residue(NamedTuple):
    """A residue's C-alpha atom: chain, number, three-letter name, place in angstroms, and B-factor.

    In a predicted model the B-factor column holds pLDDT, 0 to 100.
    """

    chain: str
    number: str
    name: str
    x: float
    y: float
    z: float
    b: float


@dataclass(frozen=True)
class Structure:
    """The first model of a file: its residues in order, and the UniProtKB accessions that it says its chains are.

    `entry` is the id that the file gives itself; empty in a PDB file of a prediction.
    """

    entry: str
    residues: tuple[Residue, ...]
    accessions: frozenset[str]

    @property
    def sequence(self) -> str:
        """Its residues as letters, `X` for one that has none."""
        return "".join(LETTER.get(residue.name, "X") for residue in self.residues)

    @property
    def chains(self) -> tuple[str, ...]:
        """The names of its chains, in their order."""
        return tuple(dict.fromkeys(residue.chain for residue in self.residues))

    @property
    def mean_b(self) -> float:
        """The mean of the B-factor column: of a prediction, its mean pLDDT."""
        return sum(residue.b for residue in self.residues) / len(self.residues)


def read_structure(content: bytes, file: str) -> Structure:
    """Read a PDB file (`.pdb`, `.ent`) or an mmCIF file (`.cif`).

    Raises BadDocument: it is not such a file, or has no C-alpha atom.
    """
    try:
        text = content.decode("utf-8")
        found = _read_mmcif(text) if file.endswith(".cif") else _read_pdb(text)
    except UnicodeDecodeError:
        raise BadDocument("it is not text", file=file) from None
    except (ValueError, IndexError, KeyError):
        raise BadDocument("an atom cannot be read", file=file) from None
    if not found.residues:
        raise BadDocument("it has no C-alpha atom", file=file)
    if len(found.residues) > _MOST_RESIDUES:
        raise BadDocument(f"it has more than {_MOST_RESIDUES} residues", file=file)
    return found


def _read_pdb(text: str) -> Structure:
    residues: list[Residue] = []
    accessions: set[str] = set()
    entry = ""
    for line in text.splitlines():
        record = line[:6]
        if record in ("ATOM  ", "HETATM") and line[12:16] == " CA " and line[16] in " A":
            place = (float(line[30:38]), float(line[38:46]), float(line[46:54]))
            residues.append(Residue(line[21], line[22:27].strip(), line[17:20].strip(), *place, float(line[60:66])))
        elif record == "DBREF " and line[26:32].strip() == "UNP":
            accessions.add(line[33:41].strip())
        elif record == "HEADER":
            entry = line[62:66].strip()
        elif record == "ENDMDL":
            break
    return Structure(entry, tuple(_once(residues)), frozenset(accessions))


def _read_mmcif(text: str) -> Structure:
    columns: list[str] = []
    rows: list[list[str]] = []
    for line in text.splitlines():
        if line.startswith("_atom_site."):
            columns.append(line.split(".", 1)[1].strip())
        elif columns and line.startswith(("#", "_", "loop_", "data_")):
            break
        elif columns and " CA " in line:
            rows.append(_QUOTED.findall(line) if "'" in line or '"' in line else line.split())
    at = {name: number for number, name in enumerate(columns)}
    entry, target = _ENTRY.search(text), _MODEL_OF.search(text)
    accessions = {target[1]} if target else set()
    if "pdbx_sifts_xref_db_acc" in at:
        accessions |= {row[at["pdbx_sifts_xref_db_acc"]] for row in rows} - {"?", "."}
    residues = _of_rows(rows, at) if rows else ()
    return Structure(entry[1].strip("'\"") if entry else "", tuple(_once(residues)), frozenset(accessions))


def _of_rows(rows: Sequence[Sequence[str]], at: Mapping[str, int]) -> Iterator[Residue]:
    model = at.get("pdbx_PDB_model_num")
    for row in rows:
        if len(row) != len(at):
            raise ValueError
        other = row[at["label_alt_id"]] not in (".", "?", "A")
        if row[at["label_atom_id"]] != "CA" or row[at["label_comp_id"]] == "CA" or other:
            continue
        if model is not None and row[model] != rows[0][model]:
            return
        place = (float(row[at["Cartn_x"]]), float(row[at["Cartn_y"]]), float(row[at["Cartn_z"]]))
        number = row[at["auth_seq_id"]] + row[at["pdbx_PDB_ins_code"]].strip("?.")
        b = float(row[at["B_iso_or_equiv"]])
        yield Residue(row[at["auth_asym_id"]], number, row[at["label_comp_id"]], *place, b)


def _once(residues: Iterable[Residue]) -> Iterator[Residue]:
    """Each residue once: of several places of an atom, the first."""
    seen: set[tuple[str, str]] = set()
    for residue in residues:
        if (residue.chain, residue.number) not in seen:
            seen.add((residue.chain, residue.number))
            yield residue


@dataclass(frozen=True)
class StructureFile:
    """A structure file as the service sent it, and what was read from it."""

    name: str
    media_type: str
    content: bytes
    origin: str
    structure: Structure


@dataclass(frozen=True)
class StructureFiles:
    """The files of a record. `refused` has one line for each file that is not what the record says."""

    files: tuple[StructureFile, ...]
    refused: tuple[str, ...]

    @classmethod
    def from_files(cls, got: Iterable[StructureFile | str]) -> Self:
        """Files, and lines on those that were refused."""
        both = tuple(got)
        files = tuple(one for one in both if isinstance(one, StructureFile))
        return cls(files, tuple(one for one in both if isinstance(one, str)))
