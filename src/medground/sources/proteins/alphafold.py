"""AlphaFold DB as a source: the predicted structure of a protein, with its confidence and its files.

Source: BioMedSearch, section III.B. The service: https://alphafold.ebi.ac.uk/api-docs.
"""

from __future__ import annotations

import re
from typing import ClassVar
from urllib.parse import urlsplit

from pydantic import Field

from medground.errors import BadDocument, SourceUnavailable
from medground.home.settings import Settings
from medground.home.settings_groups import SettingsSection
from medground.sources.base import SourceDeclaration
from medground.sources.http.service import Client
from medground.sources.live import Json, text
from medground.sources.proteins.names import split_isoform
from medground.sources.proteins.records import Records, StructureRecords, dated, open_client
from medground.sources.proteins.structures import Structure, StructureFile, StructureFiles
from medground.values.document import Document, Section
from medground.values.lookup import ProteinQuery

ALPHAFOLD_ADDRESS = "https://alphafold.ebi.ac.uk"
LICENCE = "CC BY 4.0"
_ID = re.compile(r"AF-([A-Z0-9]{6,10}(?:-\d{1,3})?)-F\d{1,3}")
_FILE = re.compile(r"/files/(AF-[A-Z0-9]{6,10}(?:-\d{1,3})?-F\d{1,3}-model_v\d{1,3}\.(?:pdb|cif))")
_ABSENT = frozenset({400, 404, 422})
_SHARES = (
    ("very high confidence", "fractionPlddtVeryHigh"),
    ("high confidence", "fractionPlddtConfident"),
    ("low confidence", "fractionPlddtLow"),
    ("very low confidence", "fractionPlddtVeryLow"),
)
_CLOSE = 0.1
"""Most difference of the stated mean pLDDT and that of the file: both are rounded."""


class AlphaFoldSettings(SettingsSection):
    """Where AlphaFold DB is."""

    section: ClassVar[str] = "alphafold"

    address: str = Field(default=ALPHAFOLD_ADDRESS, description="base URL of AlphaFold DB")


class AlphaFoldSource(StructureRecords):
    """Looks up predicted structures by UniProtKB accession."""

    predicted = True

    def __init__(self, client: Client) -> None:
        super().__init__("alphafold", client)

    async def find(self, asked: ProteinQuery) -> Records:
        """The model of an accession; of an isoform where one is named."""
        accession, isoform = split_isoform(asked.name) or ("", None)
        models = await self._models(accession)
        wanted = f"{accession}-{isoform}" if isoform else accession
        document = next((_document(one) for one in models if text(one, "uniprotAccession") == wanted), None)
        if document is None:
            return Records(notes=(f"AlphaFold DB has no model of {wanted}",))
        others = len(models) - 1
        return Records((document,), (f"AlphaFold DB has {others} further models, of isoforms",) if others else ())

    async def read(self, name: str) -> Document | None:
        """The model with an id such as `AF-P05067-F1`."""
        if (matched := _ID.fullmatch(name)) is None or (split := split_isoform(matched[1])) is None:
            return None
        models = await self._models(split[0])
        return next((_document(one) for one in models if text(one, "entryId") == name), None)

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
        return StructureFiles.of(got)

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


def _document(model: Json) -> Document:
    """A model as a document: a line for each fact."""
    entry, accession, name = text(model, "entryId"), text(model, "uniprotAccession"), text(model, "uniprotDescription")
    organism, gene = text(model, "organismScientificName"), text(model, "gene")
    protein = name or accession
    first, last, mean = text(model, "sequenceStart"), text(model, "sequenceEnd"), text(model, "globalMetricValue")
    made, version, tool = text(model, "modelCreatedDate")[:10], text(model, "latestVersion"), text(model, "toolUsed")
    of = f"{gene + ', ' if gene else ''}{organism or 'organism not given'}"
    lines = [f"{entry} is a predicted structure of {protein} ({of}), UniProtKB {accession}."]
    if first and last:
        lines.append(f"The predicted structure {entry} of {protein} covers residues {first} to {last}.")
    if mean:
        lines.append(f"The mean pLDDT of the predicted structure {entry} of {protein} is {mean}.")
    shares = [(told, text(model, key)) for told, key in _SHARES]
    lines += [f"The share of residues of {entry} predicted with {told} is {share}." for told, share in shares if share]
    days = dated(made)
    if version and days["year"]:
        lines.append(f"{entry} is version {version}, made on {made}{f' by {tool}' if tool else ''}.")
    sequence = text(model, "sequence")
    given = {"accession": accession, "sequence": sequence, "mean_plddt": mean, "version": version}
    files = tuple(url for url in (text(model, "pdbUrl"), text(model, "cifUrl")) if url)
    content = "\n".join(lines)
    return Document(
        id=f"ALPHAFOLD:{entry}",
        title=f"AlphaFold DB {entry}: {protein} ({organism or 'organism not given'})",
        text=content,
        sections=(Section(label="Structure", start=0, end=len(content)),),
        kind="protein",
        journal="AlphaFold DB",
        identifiers={"uniprot": accession.partition("-")[0]},
        url=f"{ALPHAFOLD_ADDRESS}/entry/{entry}",
        license=LICENCE,
        cautions=("This structure is a prediction by a program, not an experiment.",),
        metadata={key: (value,) for key, value in given.items() if value} | ({"files": files} if files else {}),
        **days,
    )


def _open(settings: Settings) -> AlphaFoldSource:
    return AlphaFoldSource(open_client("alphafold", settings.section(AlphaFoldSettings).address, settings))


ALPHAFOLD = SourceDeclaration(name="alphafold", open=_open, settings=AlphaFoldSettings)
