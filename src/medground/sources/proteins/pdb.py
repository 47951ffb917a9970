"""The Protein Data Bank as a source: experimental structures of a protein, by way of PDBe and 3D-Beacons.

3D-Beacons is used because one answer has method, resolution, chains and the stretch of the UniProtKB sequence that
each entry covers; PDBe's files name the accession of each chain, so that a file can be checked.
Source: BioMedSearch, section III.B. The service: https://www.ebi.ac.uk/pdbe/pdbe-kb/3dbeacons.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import Field

from medground.errors import BadDocument, SourceUnavailable
from medground.home.settings import Settings
from medground.home.settings_groups import SettingsSection
from medground.sources.base import SourceDeclaration
from medground.sources.http.service import Client
from medground.sources.live import Json, part, parts, text, texts
from medground.sources.proteins.names import PDB_ID, split_isoform
from medground.sources.proteins.records import Records, StructureRecords, dated, open_client
from medground.sources.proteins.structures import Structure, StructureFiles
from medground.values.document import Document, Section
from medground.values.lookup import ProteinQuery

PDBE_ADDRESS = "https://www.ebi.ac.uk/pdbe"
LICENCE = "CC0 1.0"
_SUMMARY = "pdbe-kb/3dbeacons/api/v2/uniprot/summary"
_EXPERIMENTAL = "EXPERIMENTALLY DETERMINED"
_MOST = 5
_ABSENT = frozenset({400, 404, 422})


class PDBSettings(SettingsSection):
    """Where PDBe is."""

    section: ClassVar[str] = "pdb"

    address: str = Field(default=PDBE_ADDRESS, description="base URL of PDBe; 3D-Beacons and files are below it")


class PDBSource(StructureRecords):
    """Looks up experimental structures by UniProtKB accession: those that cover most of the sequence, finest first."""

    predicted = False

    def __init__(self, client: Client) -> None:
        super().__init__("pdb", client)

    async def find(self, asked: ProteinQuery) -> Records:
        """The entries that show a protein."""
        accession, _ = split_isoform(asked.name) or ("", None)
        documents = await self._entries(accession)
        if not documents:
            return Records(notes=(f"the Protein Data Bank has no structure of {accession}",))
        left = len(documents) - _MOST
        told = f"the Protein Data Bank has {left} further structures of {accession}, which cover less or are coarser"
        return Records(tuple(documents[:_MOST]), (told,) if left > 0 else ())

    async def read(self, name: str) -> Document | None:
        """The entry with an id such as `1AMB:P05067`: what it shows of one protein."""
        pdb, _, accession = name.partition(":")
        if not PDB_ID.fullmatch(pdb) or split_isoform(accession) is None:
            return None
        return next((one for one in await self._entries(accession) if one.id == f"PDB:{name}"), None)

    async def files(self, document: Document) -> StructureFiles:
        """The entry as mmCIF, and as PDB where there is one: large entries have none."""
        pdb = document.identifiers["pdb"].casefold()
        paths = (f"static/entry/{pdb}_updated.cif", f"entry-files/pdb{pdb}.ent")
        got = [await self.file(path, f"{PDBE_ADDRESS}/{path}", document) for path in paths]
        return StructureFiles.of([one for one in got if one] or [f"pdb: there is no file of {pdb}"])

    def check(self, structure: Structure, document: Document, file: str) -> None:
        """Check the id of the entry, and that it shows the protein."""
        pdb, accession = document.identifiers["pdb"].casefold(), document.identifiers["uniprot"]
        if structure.entry.casefold() != pdb:
            raise BadDocument(f"it is the entry {structure.entry or 'without an id'}, not {pdb}", file=file)
        if structure.accessions and accession not in structure.accessions:
            raise BadDocument(f"it does not show {accession}", file=file)

    async def _entries(self, accession: str) -> list[Document]:
        reply = await self._client.get(f"{_SUMMARY}/{accession}.json", {"provider": "pdbe"}, absent=_ABSENT)
        if reply.status != 200:
            return []
        answer: Any = reply.json()
        answer = answer[0] if isinstance(answer, list) and answer else answer
        if not isinstance(answer, dict) or not isinstance(answer.get("structures"), list):
            raise SourceUnavailable("the reply has no structures; the service may have changed", source=self.name)
        shown = (part(one, "summary") for one in parts(answer, "structures"))
        known = (one for one in shown if PDB_ID.fullmatch(text(one, "model_identifier")))
        kept = (one for one in known if text(one, "model_category") == _EXPERIMENTAL)
        documents = (_document(one, accession) for one in sorted(kept, key=_order))
        return list({one.id: one for one in documents}.values())


def _order(shown: Json) -> tuple[float, float, str]:
    """Most of the sequence first, then the finest resolution; an entry without one, such as by NMR, comes last."""
    coverage, resolution = shown.get("coverage"), shown.get("resolution")
    return (
        -float(coverage) if isinstance(coverage, int | float) else 0.0,
        float(resolution) if isinstance(resolution, int | float) else 99.0,
        text(shown, "model_identifier"),
    )


def _document(shown: Json, accession: str) -> Document:
    """An entry as a document: a line for each fact."""
    pdb = text(shown, "model_identifier").upper()
    molecules = [one for one in parts(shown, "entities") if text(one, "identifier") == accession]
    protein = next((text(one, "description") for one in molecules if text(one, "description")), accession)
    chains = list(dict.fromkeys(chain for one in molecules for chain in texts(one, "chain_ids")))
    content = "\n".join(_lines(shown, pdb, protein, accession, chains))
    return Document(
        id=f"PDB:{pdb}:{accession}",
        title=f"PDB {pdb}: {protein}, UniProtKB {accession}",
        text=content,
        sections=(Section(label="Structure", start=0, end=len(content)),),
        kind="protein",
        journal="Protein Data Bank",
        identifiers={"pdb": pdb, "uniprot": accession},
        url=f"{PDBE_ADDRESS}/entry/pdb/{pdb.casefold()}",
        license=LICENCE,
        **dated(text(shown, "created")[:10]),
    )


def _lines(shown: Json, pdb: str, protein: str, accession: str, chains: Sequence[str]) -> list[str]:
    method, resolution = text(shown, "experimental_method"), text(shown, "resolution")
    first, last, share = text(shown, "uniprot_start"), text(shown, "uniprot_end"), text(shown, "coverage")
    lines = [f"PDB {pdb} is an experimental structure of {protein}, UniProtKB {accession}."]
    if method:
        fine = f", at a resolution of {resolution} Å" if resolution else ""
        lines.append(f"The structure {pdb} of {protein} was determined by {method.casefold()}{fine}.")
    if first and last:
        part_of = f", a share of {share} of the sequence" if share else ""
        lines.append(f"The structure {pdb} covers residues {first} to {last} of {accession}{part_of}.")
    if chains:
        lines.append(f"{protein} is chain {', '.join(chains)} of {pdb}.")
    return lines


def _open(settings: Settings) -> PDBSource:
    return PDBSource(open_client("pdb", settings.section(PDBSettings).address, settings))


PDB = SourceDeclaration(name="pdb", open=_open, settings=PDBSettings)
