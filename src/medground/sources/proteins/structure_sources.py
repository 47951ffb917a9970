"""Structures of proteins as sources: predicted ones of AlphaFold DB, and experimental ones of the Protein Data Bank.

The Protein Data Bank is asked by way of PDBe and 3D-Beacons: one answer of 3D-Beacons has method, resolution, chains
and the stretch of the UniProtKB sequence that each entry covers, and PDBe's files name the accession of each chain, so
that a file can be checked. The services: https://alphafold.ebi.ac.uk/api-docs and
https://www.ebi.ac.uk/pdbe/pdbe-kb/3dbeacons.
"""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from medground.errors import BadDocument, SourceUnavailable
from medground.sources.base import SourceDeclaration
from medground.sources.http.service import ADDRESSES
from medground.sources.live import Json, part, parts, text, texts
from medground.sources.proteins.names import PDB_ID, split_isoform
from medground.sources.proteins.records import Records, StructureRecords, dated, open_client, told_lines
from medground.sources.proteins.structures import Structure, StructureFile, StructureFiles
from medground.values.document import Document, Section
from medground.values.lookup import ProteinQuery

_ID = re.compile(r"AF-([A-Z0-9]{6,10}(?:-\d{1,3})?)-F\d{1,3}")
_FILE = re.compile(r"/files/(AF-[A-Z0-9]{6,10}(?:-\d{1,3})?-F\d{1,3}-model_v\d{1,3}\.(?:pdb|cif))")
_ABSENT = frozenset({400, 404, 422})
_CLOSE = 0.1
"""Most difference of the stated mean pLDDT and that of the file: both are rounded."""


class AlphaFoldSource(StructureRecords):
    """Looks up predicted structures by UniProtKB accession."""

    service = "alphafold"
    predicted = True

    async def find(self, asked: ProteinQuery) -> Records:
        """The model of an accession; of an isoform where one is named."""
        accession, isoform = split_isoform(asked.name) or ("", None)
        models = await self._models(accession)
        wanted = f"{accession}-{isoform}" if isoform else accession
        document = next((_model_document(model) for model in models if text(model, "uniprotAccession") == wanted), None)
        if document is None:
            return Records(notes=(f"AlphaFold DB has no model of {wanted}",))
        others = len(models) - 1
        return Records((document,), (f"AlphaFold DB has {others} further models, of isoforms",) if others else ())

    async def read(self, name: str) -> Document | None:
        """The model with an id such as `AF-P05067-F1`."""
        if (matched := _ID.fullmatch(name)) is None or (split := split_isoform(matched[1])) is None:
            return None
        models = await self._models(split[0])
        return next((_model_document(model) for model in models if text(model, "entryId") == name), None)

    async def files(self, document: Document) -> StructureFiles:
        """The model as PDB and mmCIF. A file that is not this model is refused."""
        got: list[StructureFile | str] = []
        for url in document.metadata.get("files", ()):
            path = _FILE.fullmatch(urlsplit(url).path)
            if path is None:
                got.append(f"alphafold: {url[:100]} is not the address of a model; it was not fetched")
                continue
            file = await self.file(f"files/{path[1]}", url, document)
            got.append(file or f"alphafold: there is no file {path[1]}")
        return StructureFiles.from_files(got)

    def check(self, structure: Structure, document: Document, file: str) -> None:
        """Check the accession, the sequence and the mean pLDDT."""
        told = document.metadata
        accession = told["accession"][0].partition("-")[0]
        if structure.accessions and not {one.partition("-")[0] for one in structure.accessions} & {accession}:
            raise BadDocument(f"it is of {', '.join(sorted(structure.accessions))}, not of {accession}", file=file)
        sequence, mean = (told.get(name, ("",))[0] for name in ("sequence", "mean_plddt"))
        if sequence and structure.sequence != sequence:
            here, there = len(structure.residues), len(sequence)
            raise BadDocument(f"it has {here} residues, not the {there} of the model", file=file)
        if mean and abs(float(mean) - structure.mean_b) > _CLOSE:
            raise BadDocument(f"its mean pLDDT is {structure.mean_b:.2f}, not {mean}", file=file)

    async def _models(self, accession: str) -> list[Json]:
        reply = await self._client.get(f"api/prediction/{accession}", absent=_ABSENT)
        if reply.status != 200:
            return []
        answer = reply.json()
        if not isinstance(answer, list):
            raise SourceUnavailable("the reply is not a list of models; the service may have changed", source=self.name)
        return [one for one in answer if isinstance(one, dict) and _ID.fullmatch(text(one, "entryId"))]


def _record(lines: Sequence[str], **fields: Any) -> Document:
    """A document with a line for each fact."""
    content = "\n".join(lines)
    return Document(
        text=content, sections=(Section(label="Structure", start=0, end=len(content)),), kind="protein", **fields
    )


def _model_document(model: Json) -> Document:
    entry, accession, mean = text(model, "entryId"), text(model, "uniprotAccession"), text(model, "globalMetricValue")
    protein = text(model, "uniprotDescription") or accession
    organism = text(model, "organismScientificName") or "organism not given"
    days = dated(made := text(model, "modelCreatedDate")[:10])
    known = {"entry": entry, "accession": accession, "protein": protein, "organism": organism, "mean": mean}
    sequence, version = text(model, "sequence"), text(model, "latestVersion")
    given = {"accession": accession, "sequence": sequence, "mean_plddt": mean, "version": version}
    files = tuple(url for url in (text(model, "pdbUrl"), text(model, "cifUrl")) if url)
    return _record(
        told_lines("model", model=model, made=made if days["year"] else "", version=version, **known),
        id=f"ALPHAFOLD:{entry}",
        title=f"AlphaFold DB {entry}: {protein} ({organism})",
        journal="AlphaFold DB",
        identifiers={"uniprot": accession.partition("-")[0]},
        url=f"{ADDRESSES['alphafold']}/entry/{entry}",
        license="CC BY 4.0",
        cautions=("This structure is a prediction by a program, not an experiment.",),
        metadata={key: (value,) for key, value in given.items() if value} | ({"files": files} if files else {}),
        **days,
    )


ALPHAFOLD = SourceDeclaration(
    name="alphafold", open=lambda settings: AlphaFoldSource(open_client("alphafold", settings))
)


_SUMMARY = "pdbe-kb/3dbeacons/api/v2/uniprot/summary"
_EXPERIMENTAL = "EXPERIMENTALLY DETERMINED"
_MOST = 5


class PDBSource(StructureRecords):
    """Looks up experimental structures by UniProtKB accession: those that cover most of the sequence, finest first."""

    service = "pdb"
    predicted = False

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
        got = [await self.file(path, f"{ADDRESSES['pdb']}/{path}", document) for path in paths]
        return StructureFiles.from_files([one for one in got if one] or [f"pdb: there is no file of {pdb}"])

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
        documents = (_entry_document(one, accession) for one in sorted(kept, key=_order))
        return list({document.id: document for document in documents}.values())


def _order(shown: Json) -> tuple[float, float, str]:
    """Most of the sequence first, then the finest resolution; an entry without one, such as by NMR, comes last."""
    coverage, resolution = shown.get("coverage"), shown.get("resolution")
    return (
        -float(coverage) if isinstance(coverage, int | float) else 0.0,
        float(resolution) if isinstance(resolution, int | float) else 99.0,
        text(shown, "model_identifier"),
    )


def _entry_document(shown: Json, accession: str) -> Document:
    pdb = text(shown, "model_identifier").upper()
    molecules = [one for one in parts(shown, "entities") if text(one, "identifier") == accession]
    protein = next(
        (text(molecule, "description") for molecule in molecules if text(molecule, "description")), accession
    )
    chains = list(dict.fromkeys(chain for molecule in molecules for chain in texts(molecule, "chain_ids")))
    return _record(
        told_lines("experiment", shown=shown, pdb=pdb, protein=protein, accession=accession, chains=chains),
        id=f"PDB:{pdb}:{accession}",
        title=f"PDB {pdb}: {protein}, UniProtKB {accession}",
        journal="Protein Data Bank",
        identifiers={"pdb": pdb, "uniprot": accession},
        url=f"{ADDRESSES['pdb']}/entry/pdb/{pdb.casefold()}",
        license="CC0 1.0",
        **dated(text(shown, "created")[:10]),
    )


PDB = SourceDeclaration(name="pdb", open=lambda settings: PDBSource(open_client("pdb", settings)))
