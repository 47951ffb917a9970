"""The list of retracted papers, and how it marks documents."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from rows import each_row

from medground.corpus.readers.compose import make_document
from medground.corpus.readers.entry import described
from medground.corpus.retraction import ON_THE_LIST, listed, marked, why_aside
from medground.values.document import Document
from medground.values.identifiers import normal_doi, paper_names

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "make_retracted.py"


def some_retracted() -> str:
    return max(name.upper() for name in listed() if name.startswith("pmid:"))


def test_the_list_matches_its_source(shared: Path) -> None:
    pmids = {f"pmid:{pmid}" for pmid in (shared / "retracted_pmids.txt").read_text().split()}
    with gzip.open(shared / "retracted_dois.tsv.gz", "rt") as table:
        rows = [line.split("\t") for line in table.read().splitlines()[1:]]
    dois = {f"doi:{normal_doi(doi)}": nature for doi, _, nature in rows}
    assert listed().keys() == pmids | dois.keys()
    assert {listed()[doi] for doi, nature in dois.items() if nature == "retraction"} == {"retracted"}
    assert sum(state == "concern" for state in listed().values()) == 1_665  # one of 1,666 was retracted later


def test_a_paper_whose_record_or_title_says_so_is_marked() -> None:
    paper = Document(id="DOC:1", title="Aspirin", text="One.", publication_types=("Retracted Publication",))
    assert marked(paper).retraction == "retracted"
    titled = Document(id="DOC:1", title="RETRACTED: Aspirin", text="One.")
    assert marked(titled).retraction == "retracted"
    notice = Document(id=some_retracted(), title="Retraction: Aspirin", text="One.")
    assert marked(notice).retraction == "notice"
    assert marked(Document(id="DOC:1", title="Retraction of the gingiva", text="One.")).retraction == "none"


def test_a_listed_paper_is_marked() -> None:
    paper = marked(Document(id=some_retracted(), text="One."))
    assert (paper.retraction, paper.cautions) == ("retracted", (ON_THE_LIST,))


def test_a_paper_with_a_concern_is_told_as_such() -> None:
    doi = next(name.removeprefix("doi:") for name, state in listed().items() if state == "concern")
    record = {"id": "LAB:1", "text": "One.", "doi": f"https://doi.org/{doi.upper()}"}
    paper = marked(described(record))
    assert (paper.retraction, paper.cautions, why_aside(paper)) == ("concern", (), None)


def test_full_text_is_marked_by_its_pmid() -> None:
    identifiers = {"pmid": some_retracted().removeprefix("PMID:")}
    assert marked(Document(id="PMC:PMC1", text="One.", identifiers=identifiers)).retraction == "retracted"


def test_a_concern_becomes_a_retraction_and_a_notice_stays() -> None:
    concern = Document(id=some_retracted(), text="One.", retraction="concern")
    notice = concern.model_copy(update={"retraction": "notice"})
    assert marked(concern).retraction == "retracted"
    assert marked(notice).retraction == "notice"


@each_row("name", ["PMID:0", "PMID:x", "PMID:²", "PMID:", "HP:993", "PMID:-993", "993", "DOC:993"])
def test_other_ids_are_not_on_the_list(name: str) -> None:
    assert listed().keys().isdisjoint(paper_names(name, {}))


@each_row(
    "form",
    [
        {"id": "pmid:{}"},
        {"id": "PubMed:{}"},
        {"id": "PMID:{}.1"},
        {"id": " PMID: {} "},
        {"id": "https://pubmed.ncbi.nlm.nih.gov/{}/"},
        {"id": "http://www.ncbi.nlm.nih.gov/pubmed/{}"},
        {"id": "LAB:1", "identifiers": {"PMID": "{}"}},
        {"id": "LAB:1", "identifiers": {"PubMed ID": "https://pubmed.ncbi.nlm.nih.gov/{}/"}},
        {"id": "LAB:1", "PMID": "{}"},
        {"id": "PMID:{} v1"},
        {"id": "(PMID: {})."},
        {"id": "PMID\uff1a{}"},
        {"id": "pubmed.ncbi.nlm.nih.gov/{}"},
        {"id": "https://pubmed.ncbi.nlm.nih.gov/{}/?x"},
        {"id": "https://identifiers.org/pubmed:{}"},
        {"id": "https://www.ncbi.nlm.nih.gov/pubmed/?term={}"},
    ],
)
def test_a_retracted_paper_is_known_however_a_record_writes_its_pmid(form: dict[str, Any]) -> None:
    pmid = some_retracted().removeprefix("PMID:")
    record = json.loads(json.dumps(form).replace("{}", pmid))
    assert marked(described({**record, "text": "One."})).retraction == "retracted"
    if "PMID" not in record:
        assert marked(make_document({**record, "text": "One."})).retraction == "retracted"


@each_row(
    "record",
    [
        {"pmid": "000{}"},
        {"pmid": ["{}"]},
        {"pmid": "\u200b{}\u200b"},
        {"pmid": "PMID {} [PubMed - indexed for MEDLINE]"},
        {"medline_id": "{}"},
        {"PMID:": "{}"},
        {"url": "https://pubmed.ncbi.nlm.nih.gov/{}/"},
        {"note": "PMID: {}"},
        {"metadata": {"pmid": "{}"}},
        {"identifiers": [{"type": "pmid", "id": "{}"}]},
        {"identifiers": ["pmid:{}", "doi:10.1000/x"]},
        {"ids": {"pmid": "https://pubmed.ncbi.nlm.nih.gov/{}"}},
        {"externalIds": {"PubMed": "{}"}},
        {"id": "LAB:1", "is_retracted": True},
        {"id": "LAB:1", "retraction": "Retracted"},
        {"id": "LAB:1", "status": "Retracted"},
        {"id": "LAB:1", "updated-by": [{"DOI": "10.1000/n", "type": "retraction"}]},
    ],
)
def test_a_retracted_paper_is_known_by_the_fields_of_databases(record: dict[str, Any]) -> None:
    pmid = some_retracted().removeprefix("PMID:")
    given = json.loads(json.dumps(record).replace("{}", pmid))
    assert marked(described({**given, "title": "Aspirin", "text": "One."})).retraction == "retracted"


def test_a_note_about_another_paper_is_no_id() -> None:
    record = {"id": "LAB:1", "text": "One.", "note": f"Comment on {some_retracted()}"}
    assert marked(described(record)).retraction == "none"


def test_a_record_that_retracts_another_is_a_notice() -> None:
    record = {"id": "LAB:1", "text": "One.", "update-to": [{"DOI": "10.1000/old", "type": "retraction"}]}
    assert marked(described(record)).retraction == "notice"


def made(folder: Path, pmids: str, target: Path) -> subprocess.CompletedProcess[str]:
    """The script's run on these PMIDs and on three DOIs."""
    (folder / "pmids.txt").write_text(pmids)
    rows = ("doi\tnotice_doi\tnature", "10.1000/R\t\tretraction", "10.1000/c\t\tconcern", "10.1000/r\t\tconcern")
    (folder / "dois.tsv").write_text("\n".join(rows))
    command = [sys.executable, SCRIPT, folder / "pmids.txt", folder / "dois.tsv", target]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def test_the_script_is_deterministic(tmp_path: Path) -> None:
    one, two = tmp_path / "one.gz", tmp_path / "two.gz"
    for target in (one, two):
        done = made(tmp_path, "30\n7\n30\n", target)
        assert done.returncode == 0, done.stderr
    assert one.read_bytes() == two.read_bytes()
    assert gzip.decompress(one.read_bytes()) == b"doi:10.1000/r\npmid:30\npmid:7\n\ndoi:10.1000/c"
