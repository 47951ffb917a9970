"""UniProt, AlphaFold DB and the Protein Data Bank as sources, against stand-ins that answer in their URL forms."""

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import httpx2
import pytest
from contracts import in_one_test
from protein_peer import PeerFault, ProteinPeer
from protein_records import FISH, HUMAN, MOUSE, cif_file, entry, inactive, model, pdb_file, shown
from rows import each_row, tables

from medground.errors import RateLimited, SourceUnavailable
from medground.sources.base import Source
from medground.sources.http.retries import Patience
from medground.sources.http.service import Client, Service
from medground.sources.proteins.records import StructureRecords
from medground.sources.proteins.structure_sources import AlphaFoldSource, PDBSource
from medground.sources.proteins.structures import StructureFiles
from medground.sources.proteins.uniprot import UniProtSource
from medground.testing.sources import SourceContract
from medground.values.lookup import Found, Lookup, ProteinQuery
from medground.values.query import Filters

TABLES = tables(__file__)

LETTERS = "MAGKSMAGKSMAGKSMAGKS"
ENTRIES = [
    entry("P00001", "tst1", FISH, name="Test factor", synonyms=["tfa"], secondaryAccessions=["P00009"]),
    entry("P00002", "TST1", HUMAN, name="Test factor", synonyms=["TFA"]),
    entry("P00003", "TST2", HUMAN, name="Second factor", synonyms=["TFA"]),
    entry("P00004", "Lone1", MOUSE, name="Lone protein"),
    entry("A0A000", "trm1", FISH, reviewed=False, name="Unchecked", flag="Fragment", length=90),
    entry("A0A001", "trm1", FISH, reviewed=False, name="Unchecked", length=15),
    inactive("P00005", "MERGED", "P00001"),
    inactive("P00006", "DEMERGED", "P00001", "P00002"),
    inactive("P00007", "DELETED"),
]
FILES = {
    "files/AF-P00001-F1-model_v6.pdb": pdb_file(LETTERS).encode(),
    "files/AF-P00001-F1-model_v6.cif": cif_file(LETTERS).encode(),
    "static/entry/1tst_updated.cif": cif_file(LETTERS[2:12], entry="1TST").encode(),
}
SHOWN = [shown("1TST", "P00001", 3, 12, resolution=1.5), shown("2TST", "P00001", 3, 12), shown("3TST", "P00001", 3, 4)]


def peer(**more: Any) -> ProteinPeer:
    given = {
        "models": {"P00001": [model("P00001", LETTERS), model("P00001-2", LETTERS[:9])]},
        "structures": {"P00001": {"uniprot_entry": {"ac": "P00001"}, "structures": SHOWN}},
        "files": FILES,
    }
    return ProteinPeer(ENTRIES, **{**given, **more})


def client(name: str, one: ProteinPeer, path: str = "") -> Client:
    service = Service(name, f"http://127.0.0.1{path}", patience=Patience(tries=3, first_wait=0.001))
    return Client(service, httpx2.ASGITransport(one.app()))


def uniprot(one: ProteinPeer | None = None) -> UniProtSource:
    return UniProtSource(client("uniprot", one or peer()))


def asked(name: str, organism: str = "", text: str = "") -> Lookup:
    return Lookup(asked=ProteinQuery(name=name, organism=organism), text=text, limit=5)


def found(source: Source, lookup: Lookup, filters: Filters | None = None) -> Found:
    return asyncio.run(source.search(lookup, filters or Filters()))


def ids(one: Found) -> list[str]:
    return [hit.passage.document_id for ranking in one.rankings for hit in ranking]


@in_one_test
class TestUniProt(SourceContract):
    lookups: ClassVar = (asked("P00001"), asked("tst1", "zebrafish", "the work"), asked("Test factor", "human"))
    nothing = asked("xylophone", "human")

    @pytest.fixture
    def make(self) -> Callable[[], Source]:
        return uniprot


@in_one_test
class TestStructures(SourceContract):
    lookups: ClassVar = (asked("P00001", text="mean pLDDT"), asked("P00001-2", text="resolution"))
    nothing = asked("P00002")

    @pytest.fixture(params=[(AlphaFoldSource, "alphafold", ""), (PDBSource, "pdb", "/pdbe")])
    def make(self, request: pytest.FixtureRequest) -> Callable[[], Source]:
        source, name, path = request.param
        return lambda: source(client(name, peer(), path))


@each_row(("name", "organism", "expected", "note"), TABLES["never_guessed"])
def test_what_is_not_one_protein_is_never_guessed(name: str, organism: str, expected: str, note: str) -> None:
    one = found(uniprot(), asked(name, organism))
    assert ids(one) == ([f"UNIPROT:{expected}"] if expected else [])
    assert one.notes == ((note,) if note else ())


def test_an_unreviewed_entry_is_marked_filters_hold_and_a_successor_is_followed() -> None:
    source = uniprot()
    one = found(source, asked("trm1", "zebrafish"))
    assert ids(one) == ["UNIPROT:A0A001"]
    assert one.notes == ("1 further unreviewed entries for 'trm1' in zebrafish (Danio rerio) are left out",)
    document = asyncio.run(source.fetch(["UNIPROT:A0A001"]))["UNIPROT:A0A001"]
    assert document.cautions[0].startswith("This entry is unreviewed")
    assert ids(found(source, asked("P00001"), Filters(year_from=2020))) == ["UNIPROT:P00001"]
    assert ids(found(source, asked("P00001"), Filters(year_to=2020))) == []
    assert ids(found(source, asked("P00001"), Filters(kinds=("research",)))) == []
    moved = PeerFault("uniprotkb/P00008", 303, headers={"location": "/uniprotkb/P00001.json?from=P00008"})
    one = found(uniprot(peer(faults=[moved])), asked("P00008"))
    assert (ids(one), one.notes) == (["UNIPROT:P00001"], ("P00008 is now part of P00001",))


def test_syntax_in_a_name_reaches_uniprot_as_letters() -> None:
    service = peer()
    found(uniprot(service), asked('x" OR reviewed:true OR "\\', "human"))
    queries = [httpx2.URL(f"http://x/{one}").params["query"] for one in service.asked]
    genes = 'gene_exact:"x OR reviewed:true OR" OR gene_exact:"xORreviewedtrueOR"'
    assert queries[0] == f"({genes}) AND (organism_id:9606) AND (reviewed:true)"


@each_row(
    ("fault", "error", "message"),
    [
        ({"status": 429, "headers": {"retry-after": "3600"}}, RateLimited, "uniprot: .*3600"),
        ({"body": b'{"results": [', "type": "application/json"}, SourceUnavailable, "uniprot: the reply is not JSON"),
        ({"body": b'{"results": 7}'}, SourceUnavailable, "uniprot: the reply has no list of results"),
    ],
)
def test_a_fault_is_a_failure(
    fault: dict[str, Any], error: type[Exception], message: str, make_peer: Any, reply: Any
) -> None:
    service = Service("uniprot", make_peer(reply(**fault)).url, patience=Patience(tries=2, first_wait=0.001))
    with pytest.raises(error, match=f"^{message}"):
        found(UniProtSource(Client(service)), asked("tst1", "human"))


def structure_files(source: Any, document_id: str) -> StructureFiles:
    assert isinstance(source, StructureRecords)
    document = asyncio.run(source.fetch([document_id]))[document_id]  # type: ignore[attr-defined]
    return asyncio.run(source.files(document))


def test_a_predicted_structure_has_its_confidence_and_its_two_files() -> None:
    source = AlphaFoldSource(client("alphafold", peer()))
    one = found(source, asked("P00001", text="mean pLDDT of the structure"))
    assert ids(one) == ["ALPHAFOLD:AF-P00001-F1"]
    (hit,) = one.rankings[0]
    assert hit.passage.text == "The mean pLDDT of the predicted structure AF-P00001-F1 of Test protein is 80.0."
    assert one.notes == ("AlphaFold DB has 1 further models, of isoforms",)
    files = structure_files(source, "ALPHAFOLD:AF-P00001-F1")
    assert [one.name for one in files.files] == ["AF-P00001-F1-model_v6.pdb", "AF-P00001-F1-model_v6.cif"]
    assert not files.refused


@each_row(
    ("content", "why"),
    [
        (pdb_file(LETTERS, "P99999"), "it is of P99999, not of P00001"),
        (pdb_file(LETTERS[:7]), "it has 7 residues, not the 20 of the model"),
        (pdb_file(LETTERS, b=51.0), "its mean pLDDT is 51.00, not 80.0"),
        ("<html>busy</html>", "it has no C-alpha atom"),
    ],
)
def test_a_file_that_is_not_what_it_says_is_refused(content: str, why: str) -> None:
    files = {**FILES, "files/AF-P00001-F1-model_v6.pdb": content.encode()}
    got = structure_files(AlphaFoldSource(client("alphafold", peer(files=files))), "ALPHAFOLD:AF-P00001-F1")
    assert [one.name for one in got.files] == ["AF-P00001-F1-model_v6.cif"]
    assert got.refused == (f"alphafold: AF-P00001-F1-model_v6.pdb: {why}; the file was not kept",)


def test_an_address_outside_alphafold_is_never_fetched() -> None:
    bad = {**model("P00001", LETTERS), "pdbUrl": "http://169.254.169.254/latest", "cifUrl": "https://x/files/../../etc"}
    service = peer(models={"P00001": [bad]})
    got = structure_files(AlphaFoldSource(client("alphafold", service)), "ALPHAFOLD:AF-P00001-F1")
    assert (len(got.files), len(got.refused)) == (0, 2)
    assert service.asked == ["api/prediction/P00001"]


def test_experimental_structures_come_by_coverage_and_then_resolution() -> None:
    source = PDBSource(client("pdb", peer(), "/pdbe"))
    one = found(source, asked("P00001", text="resolution"))
    assert ids(one) == ["PDB:1TST:P00001", "PDB:2TST:P00001", "PDB:3TST:P00001"]
    document = asyncio.run(source.fetch(["PDB:1TST:P00001"]))["PDB:1TST:P00001"]
    for said in (
        "by x-ray diffraction, at a resolution of 1.5 Å.",
        "residues 3 to 12 of P00001, a share of 0.1",
        "chain A",
    ):
        assert said in document.text
    assert [one.name for one in structure_files(source, "PDB:1TST:P00001").files] == ["1tst_updated.cif"]
    assert structure_files(source, "PDB:2TST:P00001").refused == ("pdb: there is no file of 2tst",)


@pytest.mark.shared
def test_the_real_answers(shared: Path) -> None:
    real = ProteinPeer.from_folder(shared)
    one = found(uniprot(real), asked("amyloid precursor protein", "human", "which disease is APP involved in?"))
    assert ids(one) == ["UNIPROT:P05067"]
    assert ids(found(uniprot(real), asked("CBG22016", "Caenorhabditis briggsae"))) == ["UNIPROT:A8Y1C3"]
    alphafold = AlphaFoldSource(client("alphafold", real))
    files = structure_files(alphafold, "ALPHAFOLD:AF-P05067-F1")
    assert [len(one.structure.residues) for one in files.files] == [770, 770]
    document = asyncio.run(alphafold.fetch(["ALPHAFOLD:AF-P05067-F1"]))["ALPHAFOLD:AF-P05067-F1"]
    raw = json.dumps(real.models["P05067"])
    assert all(number in raw for number in re.findall(r"\d+(?:\.\d+)?", document.text))
    pdb = PDBSource(client("pdb", real, "/pdbe"))
    assert found(pdb, asked("Q9NTW7")).notes == ("the Protein Data Bank has no structure of Q9NTW7",)
