"""Records in the published forms of UniProt, AlphaFold DB and 3D-Beacons, written for the tests."""

import math
from typing import Any

from rows import tables

TABLES = tables(__file__)
"""What a record says of every protein."""

HUMAN = {"scientificName": "Homo sapiens", "commonName": "Human", "taxonId": 9606}
MOUSE = {"scientificName": "Mus musculus", "commonName": "Mouse", "taxonId": 10090}
FISH = {"scientificName": "Danio rerio", "commonName": "Zebrafish", "taxonId": 7955}
LETTERS = {"M": "MET", "A": "ALA", "G": "GLY", "K": "LYS", "S": "SER"}


def entry(accession: str, gene: str, organism: dict[str, Any] = HUMAN, *, reviewed: bool = True, **more: Any) -> Any:
    """An active entry. `name`, `synonyms`, `comments`, `flag`, `length`, `score` and further fields may be given."""
    kind = "reviewed (Swiss-Prot)" if reviewed else "unreviewed (TrEMBL)"
    letters = ("MAGKS" * 40)[: more.pop("length", 20)]
    synonyms = [{"value": one} for one in more.pop("synonyms", ())]
    full = {"fullName": {"value": more.pop("name", f"Protein {gene}")}}
    described = {"recommendedName": full} if reviewed else {"submissionNames": [full]}
    flag = more.pop("flag", None)
    return {
        "entryType": f"UniProtKB {kind}",
        "primaryAccession": accession,
        "uniProtkbId": f"{gene.upper()}_TEST",
        "entryAudit": {"firstPublicDate": "2001-02-03", "lastAnnotationUpdateDate": "2026-06-10", "entryVersion": 7},
        "annotationScore": more.pop("score", 5 if reviewed else 1),
        "organism": organism,
        "proteinDescription": described | ({"flag": flag} if flag else {}),
        "genes": [{"geneName": {"value": gene}, "synonyms": synonyms}] if gene else [],
        "comments": more.pop("comments", [text("FUNCTION", f"Does the work of {gene or accession} (PubMed:123)")]),
        "sequence": {"value": letters, "length": len(letters), "molWeight": 2100},
        **more,
    }


def text(kind: str, value: str, **more: Any) -> dict[str, Any]:
    """A comment of plain text."""
    source = [{"evidenceCode": "ECO:0000269", "source": "PubMed", "id": "123"}]
    return {"commentType": kind, "texts": [{"value": value, "evidences": source}], **more}


def inactive(accession: str, why: str, *to: str, **more: Any) -> Any:
    """An entry that is no longer active."""
    reason = {"inactiveReasonType": why, **({"mergeDemergeTo": list(to)} if to else {}), **more}
    return {"entryType": "Inactive", "primaryAccession": accession, "inactiveReason": reason}


def places(letters: str) -> list[tuple[float, float, float]]:
    """Places of C-alpha atoms in a helix."""
    return [(2.3 * math.cos(1.75 * n), 2.3 * math.sin(1.75 * n), 1.5 * n) for n in range(len(letters))]


def pdb_file(letters: str, accession: str = "P00001", *, chain: str = "A", b: float = 80.0, entry: str = "") -> str:
    """A PDB file with the C-alpha atoms of a sequence in one chain."""
    lines = [f"HEADER    TEST{'':48}{entry:4}".ljust(80)]
    lines.append(
        f"DBREF  XXXX {chain}    1  {len(letters):4}  UNP    {accession:8} TEST_TEST        1   {len(letters):4}"
    )
    for n, (letter, (x, y, z)) in enumerate(zip(letters, places(letters), strict=True), start=1):
        where = f"{x:8.3f}{y:8.3f}{z:8.3f}{1:6.2f}{b:6.2f}"
        lines.append(f"ATOM  {n:5}  CA  {LETTERS[letter]} {chain}{n:4}    {where}          C  ")
    return "\n".join([*lines, "END", ""])


def cif_file(letters: str, accession: str = "P00001", *, chain: str = "A", b: float = 80.0, entry: str = "TEST") -> str:
    """The same as mmCIF, with the accession of each residue as PDBe writes it."""
    names = "group_PDB id type_symbol label_atom_id label_alt_id label_comp_id label_asym_id label_seq_id "
    names += "pdbx_PDB_ins_code Cartn_x Cartn_y Cartn_z occupancy B_iso_or_equiv auth_seq_id auth_asym_id "
    names += "pdbx_PDB_model_num pdbx_sifts_xref_db_acc"
    rows = [
        f"ATOM {n} C CA . {LETTERS[c]} {chain} {n} ? {x:.3f} {y:.3f} {z:.3f} 1.0 {b} {n} {chain} 1 {accession}"
        for n, (c, (x, y, z)) in enumerate(zip(letters, places(letters), strict=True), start=1)
    ]
    head = [f"data_{entry}", "#", f"_entry.id {entry}", "#", "loop_", *(f"_atom_site.{one}" for one in names.split())]
    return "\n".join([*head, *rows, "#", ""])


def model(accession: str, letters: str, *, mean: float = 80.0) -> dict[str, Any]:
    """AlphaFold DB's answer about one model."""
    files = "https://alphafold.ebi.ac.uk/files"
    return TABLES["model"] | {
        "entryId": f"AF-{accession}-F1",
        "uniprotAccession": accession,
        "globalMetricValue": mean,
        "sequence": letters,
        "sequenceEnd": len(letters),
        "pdbUrl": f"{files}/AF-{accession}-F1-model_v6.pdb",
        "cifUrl": f"{files}/AF-{accession}-F1-model_v6.cif",
    }


def shown(pdb: str, accession: str, first: int, last: int, *, resolution: float | None = None) -> dict[str, Any]:
    """An experimental structure as 3D-Beacons lists it."""
    summary = TABLES["structure"] | {
        "model_identifier": pdb.lower(),
        "model_url": f"https://www.ebi.ac.uk/pdbe/static/entry/{pdb.lower()}_updated.cif",
        "uniprot_start": first,
        "uniprot_end": last,
        "coverage": round((last - first + 1) / 100, 3),
        "experimental_method": "X-RAY DIFFRACTION" if resolution else "SOLUTION NMR",
        "resolution": resolution,
        "entities": [
            {"entity_type": "POLYMER", "identifier": accession, "description": "Test protein", "chain_ids": ["A"]}
        ],
    }
    return {"summary": summary}
