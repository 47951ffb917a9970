"""Makes the recorded replies of a demonstration of `medground research`, without a network.

    python examples/research/make_replies.py replies
    medground research "Effects of cyp17a1 knockout on zebrafish?" --replay replies -o report.html

The papers, pages and the protein in `records.json` are made up for this demonstration, and each says so. They are
served in the forms in which PubMed, Europe PMC, UniProt, AlphaFold DB and DuckDuckGo publish theirs. This script asks
the question once, as a user would with `--record`, with these records in place of the network. Options after the folder
go to `medground research`, such as `--model local`.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
from protein_peer import ProteinPeer

import medground.sources.http.wire as wire
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.faces.cli.app import main as medground
from medground.faces.eutils.catalogue import SnapshotCatalogue
from medground.faces.eutils.server import make_app
from medground.sources.http.clients import Network

QUESTION = "Effects of cyp17a1 knockout on zebrafish?"
RECORDS: dict[str, Any] = json.loads((Path(__file__).parent / "records.json").read_text(encoding="utf-8"))
FISH = {"scientificName": "Danio rerio", "commonName": "Zebrafish", "taxonId": 7955}
LETTERS = {"M": "MET", "A": "ALA", "G": "GLY", "K": "LYS", "S": "SER"}
B_FACTOR = 88.0

Answer = Callable[[httpx2.Request], httpx2.Response]


class MadeNetwork(httpx2.AsyncBaseTransport):
    """Answers requests to the real addresses of services from made records; every other host is unknown."""

    def __init__(self, services: Mapping[str, httpx2.AsyncBaseTransport | Answer]) -> None:
        self._services = services

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The reply of the host's service."""
        service = self._services.get(request.url.host)
        if service is None:
            raise httpx2.ConnectError(f"{request.url.host} has no made records", request=request)
        if isinstance(service, httpx2.AsyncBaseTransport):
            return await service.handle_async_request(request)
        made = service(request)
        return httpx2.Response(made.status_code, headers=made.headers, stream=Body(made.content))


class Body(httpx2.AsyncByteStream):
    """The bytes of a made reply, as they come from a network."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._content


def pubmed(folder: Path) -> httpx2.AsyncBaseTransport:
    """Medground's own E-utilities server over the made papers."""
    lines = [
        {"id": f"PMID:{one['pmid']}", "title": one["title"], "text": one["text"], "year": one["year"]}
        | {"journal": one["journal"], "authors": ["Demonstration A", "Demonstration B"]}
        for one in RECORDS["papers"]
    ]
    file = folder / "papers.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    library = Library(folder / "home")
    build(library, "papers", find_inputs([file]))
    catalogue = SnapshotCatalogue.open(library.open("papers"), folder / "home")
    return httpx2.ASGITransport(make_app(catalogue, hosts=("eutils.ncbi.nlm.nih.gov",)))


def ncbi(server: httpx2.AsyncBaseTransport) -> httpx2.AsyncBaseTransport:
    """PubMed by the server; PubMed Central, which holds nothing here, by an empty result."""

    class Ncbi(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            sent = request.url.query.decode() + (await request.aread()).decode()
            if "db=pmc" not in sent:
                return await server.handle_async_request(request)
            return _xml(
                "<eSearchResult><Count>0</Count><RetMax>0</RetMax><RetStart>0</RetStart><IdList/></eSearchResult>"
            )

    return Ncbi()


def europe_pmc(request: httpx2.Request) -> httpx2.Response:
    """Some of the papers again, and a preprint; and PDBe, which has no structure of the protein."""
    if request.url.path.startswith("/pdbe"):
        return httpx2.Response(404, json={})
    papers = [one for one in RECORDS["papers"] if one["pmid"] in RECORDS["also_in_europepmc"]]
    records = [{"id": one["pmid"], "source": "MED", "pmid": one["pmid"], **_europe_pmc(one)} for one in papers]
    records += [
        {
            "id": one["id"],
            "source": "PPR",
            "doi": one["doi"],
            "pubTypeList": {"pubType": ["Preprint"]},
            **_europe_pmc(one),
        }
        for one in RECORDS["preprints"]
    ]
    found = {"hitCount": len(records), "nextCursorMark": "", "resultList": {"result": records}}
    return httpx2.Response(200, json={"version": "6.9", **found})


def _europe_pmc(one: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "title": one["title"],
        "authorString": "Demonstration A, Demonstration B.",
        "authorList": {
            "author": [{"fullName": f"Demonstration {x}", "lastName": "Demonstration", "initials": x} for x in "AB"]
        },
        "pubYear": str(one["year"]),
        "abstractText": escape(one["text"]),
        "firstPublicationDate": f"{one['year']}-01-01",
        "journalInfo": {"yearOfPublication": one["year"], "journal": {"title": one.get("journal", "Demonstrations")}},
    }


def proteins() -> httpx2.AsyncBaseTransport:
    """UniProt's entry and AlphaFold DB's model of the made protein."""
    made = RECORDS["protein"]
    accession, sequence, name = made["accession"], made["sequence"], f"AF-{made['accession']}-F1"
    entry = {
        "entryType": "UniProtKB reviewed (Swiss-Prot)",
        "primaryAccession": accession,
        "uniProtkbId": "CP17A_DEMO",
        "entryAudit": {"firstPublicDate": "2020-01-01", "lastAnnotationUpdateDate": "2024-01-01", "entryVersion": 1},
        "annotationScore": 5,
        "organism": FISH,
        "proteinDescription": {"recommendedName": {"fullName": {"value": made["name"]}}},
        "genes": [{"geneName": {"value": made["gene"]}, "synonyms": [{"value": one} for one in made["synonyms"]]}],
        "comments": [{"commentType": kind, "texts": [{"value": text}]} for kind, text in made["comments"].items()],
        "sequence": {"value": sequence, "length": len(sequence), "molWeight": 100 * len(sequence)},
    }
    model = {
        "entryId": name,
        "uniprotAccession": accession,
        "uniprotDescription": made["name"],
        "gene": made["gene"],
        "organismScientificName": FISH["scientificName"],
        "globalMetricValue": B_FACTOR,
        "latestVersion": 1,
        "modelCreatedDate": "2024-01-01T00:00:00Z",
        "toolUsed": "a script, for a demonstration",
        "sequence": sequence,
        "sequenceStart": 1,
        "sequenceEnd": len(sequence),
        "pdbUrl": f"https://alphafold.ebi.ac.uk/files/{name}-model_v1.pdb",
    }
    files = {f"files/{name}-model_v1.pdb": _helix(sequence, accession).encode()}
    return httpx2.ASGITransport(ProteinPeer([entry], models={accession: [model]}, files=files).app())


def _helix(sequence: str, accession: str) -> str:
    """A PDB file with the C-alpha atoms of a sequence in a helix."""
    size = len(sequence)
    lines = ["HEADER    MADE FOR A DEMONSTRATION".ljust(80)]
    lines.append(f"DBREF  XXXX A    1  {size:4}  UNP    {accession[:8]:8} DEMO             1   {size:4}")
    for n, letter in enumerate(sequence, start=1):
        x, y, z = 2.3 * math.cos(1.75 * n), 2.3 * math.sin(1.75 * n), 1.5 * n
        place = f"{x:8.3f}{y:8.3f}{z:8.3f}{1:6.2f}{B_FACTOR:6.2f}"
        lines.append(f"ATOM  {n:5}  CA  {LETTERS[letter]} A{n:4}    {place}           C")
    return "\n".join([*lines, "END", ""])


def duckduckgo(request: httpx2.Request) -> httpx2.Response:
    """A page of results."""
    shown = [
        f'<div class="result results_links web-result"><h2><a class="result__a" '
        f'href="//duckduckgo.com/l/?uddg={quote(one["url"], safe="")}">{escape(one["title"])}</a></h2>'
        f'<a class="result__snippet">{escape(one["summary"])}</a></div>'
        for one in RECORDS["pages"]
    ]
    return httpx2.Response(
        200, html=f'<html><body><div id="links" class="results">{"".join(shown)}</div></body></html>'
    )


def page(request: httpx2.Request) -> httpx2.Response:
    """A page behind a result; its site has no robots.txt."""
    made = next((one for one in RECORDS["pages"] if one["url"] == str(request.url)), None)
    if made is None:
        return httpx2.Response(404, text="not found")
    body = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in made["paragraphs"])
    title = escape(made["title"])
    return httpx2.Response(
        200,
        html=f"<html><head><title>{title}</title></head><body><article><h1>{title}</h1>{body}</article></body></html>",
    )


def _xml(body: str) -> httpx2.Response:
    return httpx2.Response(200, headers={"content-type": "text/xml; charset=UTF-8"}, stream=Body(body.encode()))


def main() -> None:
    """Ask the question with the made network, and record its replies."""
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        raise SystemExit(f"name a folder for the replies: {sys.argv[0]} FOLDER [OPTION ...]")
    with tempfile.TemporaryDirectory() as name:
        folder, protein = Path(name), proteins()
        network = MadeNetwork(
            {
                "eutils.ncbi.nlm.nih.gov": ncbi(pubmed(folder)),
                "www.ebi.ac.uk": europe_pmc,
                "rest.uniprot.org": protein,
                "alphafold.ebi.ac.uk": protein,
                "html.duckduckgo.com": duckduckgo,
                "zebrafish.example.org": page,
                "news.example.org": page,
            }
        )

        class Recording(wire.Recording):
            """Records the replies of the made network, whichever a source would use."""

            def __init__(self, folder: Path, network_of: object = None) -> None:
                super().__init__(folder, Network(make=lambda: network))

        wire.Recording = Recording  # type: ignore[misc]
        medground(["research", QUESTION, "--record", sys.argv[1], *sys.argv[2:]])


if __name__ == "__main__":
    main()
