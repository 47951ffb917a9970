"""The trace of a protein structure: one C-alpha atom for each residue, from a checked PDB or mmCIF file."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

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
        return "".join(LETTER.get(one.name, "X") for one in self.residues)

    @property
    def chains(self) -> tuple[str, ...]:
        """The names of its chains, in their order."""
        return tuple(dict.fromkeys(one.chain for one in self.residues))

    @property
    def mean_b(self) -> float:
        """The mean of the B-factor column: of a prediction, its mean pLDDT."""
        return sum(one.b for one in self.residues) / len(self.residues)


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
    for one in residues:
        if (one.chain, one.number) not in seen:
            seen.add((one.chain, one.number))
            yield one


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


# A picture of a structure as SVG: its C-alpha trace on its principal plane, what is nearer drawn over what is farther.

_SIZE, _MARGIN, _TITLE, _LINE = 600.0, 24.0, 54.0, 22.0
_BANDS = (
    (90.0, "#0053d6", "Very high (pLDDT 90 or more)"),
    (70.0, "#65cbf3", "High (pLDDT 70 to under 90)"),
    (50.0, "#ffdb13", "Low (pLDDT 50 to under 70)"),
    (0.0, "#ff7d45", "Very low (pLDDT under 50)"),
)
"""A bound belongs to the band above it, so that the shares are those that AlphaFold DB gives of the same file."""
_CHAINS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#525252")
_FARTHEST = 4.6
"""Angstroms between neighbours in a chain; farther apart, residues between them are missing."""
_MOST_DRAWN = 4000


class Key(NamedTuple):
    """A line of the legend."""

    colour: str
    text: str


def band_of(plddt: float) -> int:
    """The band of a pLDDT, 0 (very high) to 3 (very low)."""
    return next(number for number, (least, _, _) in enumerate(_BANDS) if plddt >= least or number == len(_BANDS) - 1)


def picture(structure: Structure, title: str, *, predicted: bool) -> str:
    """The structure as an SVG image with a title, which screen readers read too, and a legend.

    `predicted`: the B-factor column is pLDDT.
    """
    step = -(-len(structure.residues) // _MOST_DRAWN)
    residues = structure.residues[::step]
    colours, keys = _by_band(residues) if predicted else _by_chain(residues, structure.chains)
    turned = _projected(residues)
    scale = (_SIZE - 2 * _MARGIN) / max(float(np.ptp(turned[:, :2], axis=0).max()), 1.0)
    drawn = float(np.ptp(turned[:, 1])) * scale + 2 * _MARGIN
    height = _TITLE + drawn + _LINE * len(keys) + _MARGIN
    described = f"C-alpha trace of {len(structure.residues)} residues. " + "; ".join(key.text for key in keys)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIZE:.0f} {height:.0f}" role="img" '
        f'aria-label="{escape(title)}" font-family="sans-serif">',
        f"<title>{escape(title)}</title><desc>{escape(described)}</desc>",
        f'<rect width="{_SIZE:.0f}" height="{height:.0f}" fill="#ffffff"/>',
        *(
            f'<text x="{_MARGIN:.0f}" y="{24 + 19 * n}" font-size="15" fill="#1a1a1a">{escape(line)}</text>'
            for n, line in enumerate(wrap(title, 70, max_lines=2, placeholder="…"))
        ),
        f'<g transform="translate(0 {_TITLE:.0f})" fill="none" stroke-linecap="round">',
        *_trace(residues, turned, colours, scale, _FARTHEST * step),
        "</g>",
        *_legend(keys, _TITLE + drawn),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _by_band(residues: Sequence[Residue]) -> tuple[list[str], list[Key]]:
    bands = [band_of(one.b) for one in residues]
    keys = [
        Key(colour, f"{told}: {100 * bands.count(number) / len(bands):.1f} % of residues")
        for number, (_, colour, told) in enumerate(_BANDS)
    ]
    return [_BANDS[number][1] for number in bands], keys


def _by_chain(residues: Sequence[Residue], chains: Sequence[str]) -> tuple[list[str], list[Key]]:
    colour = {chain: _CHAINS[number % len(_CHAINS)] for number, chain in enumerate(chains)}
    keys = [Key(colour[chain], f"Chain {chain}") for chain in chains[: len(_CHAINS)]]
    if len(chains) > len(_CHAINS):
        keys.append(Key("#ffffff", f"and {len(chains) - len(_CHAINS)} further chains, in the same colours"))
    return [colour[one.chain] for one in residues], keys


def _projected(residues: Sequence[Residue]) -> NDArray[np.float64]:
    """Coordinates along the principal axes, the widest first; the picture has y downwards.

    The sign of an axis is free: its largest component is positive, so that the picture is the same everywhere.
    """
    places = np.array([[one.x, one.y, one.z] for one in residues], dtype=np.float64)
    places -= places.mean(axis=0)
    _, axes = np.linalg.eigh(places.T @ places)
    axes = axes[:, ::-1]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), range(3)])
    if np.linalg.det(axes) < 0:  # a mirror image would turn helices the wrong way
        axes[:, 2] *= -1
    turned: NDArray[np.float64] = places @ axes
    return turned


def _trace(
    residues: Sequence[Residue], turned: NDArray[np.float64], colours: Sequence[str], scale: float, farthest: float
) -> list[str]:
    """The lines between neighbours, the farthest first; what is far is paler and thinner."""
    low, high = turned.min(axis=0), turned.max(axis=0)
    xs = _SIZE / 2 + (turned[:, 0] - (low[0] + high[0]) / 2) * scale
    ys = _MARGIN + (high[1] - turned[:, 1]) * scale
    depth = (turned[:, 2] - low[2]) / max(float(high[2] - low[2]), 1.0)
    drawn = [(float(depth[0]), 0, 0)] if len(residues) == 1 else []
    for n in range(len(residues) - 1):
        apart = float(np.linalg.norm(turned[n + 1] - turned[n]))
        if residues[n].chain == residues[n + 1].chain and apart <= farthest:
            drawn.append((float(depth[n] + depth[n + 1]) / 2, n, n + 1))
    lines = []
    for near, first, last in sorted(drawn):
        path = f'<path d="M{xs[first]:.1f} {ys[first]:.1f}L{xs[last]:.1f} {ys[last]:.1f}"'
        thick = min(max(1.5 * scale, 1.5), 7.0) * (0.6 + 0.4 * near)
        lines.append(f'{path} stroke="#ffffff" stroke-width="{thick + 1.6:.1f}" stroke-linecap="butt"/>')
        lines.append(f'{path} stroke="{_paler(colours[first], 0.45 * (1 - near))}" stroke-width="{thick:.1f}"/>')
    return lines


def _paler(colour: str, share: float) -> str:
    mixed = (round(int(colour[n : n + 2], 16) * (1 - share) + 255 * share) for n in (1, 3, 5))
    return "#" + "".join(f"{value:02x}" for value in mixed)


def _legend(keys: Sequence[Key], top: float) -> list[str]:
    lines = []
    for n, key in enumerate(keys):
        y = top + _LINE * n
        lines.append(f'<rect x="{_MARGIN:.0f}" y="{y:.0f}" width="14" height="14" fill="{key.colour}"/>')
        lines.append(
            f'<text x="{_MARGIN + 22:.0f}" y="{y + 12:.0f}" font-size="13" fill="#1a1a1a">{escape(key.text)}</text>'
        )
    return lines
