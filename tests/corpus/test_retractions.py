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


@each_row(
    ("record", "state"),
    [
        ({"publication_types": ("Retracted Publication",)}, "retracted"),
        ({"title": "RETRACTED: Aspirin"}, "retracted"),
        ({"title": "Retraction of the gingiva"}, "none"),
        ({"id": "listed", "title": "Retraction: Aspirin"}, "notice"),
        ({"id": "listed", "retraction": "notice"}, "notice"),
        ({"id": "listed", "retraction": "concern"}, "retracted"),
        ({"id": "PMC:PMC1", "identifiers": {"pmid": "listed"}}, "retracted"),
    ],
)
def test_what_a_record_its_title_and_the_list_say(record: dict[str, Any], state: str) -> None:
    given = json.loads(json.dumps(record).replace("listed", some_retracted()))
    assert marked(make_document({"id": "DOC:1", "text": "One."} | given)).retraction == state


def test_a_listed_paper_is_told_as_such() -> None:
    paper = marked(Document(id=some_retracted(), text="One."))
    assert (paper.retraction, paper.cautions) == ("retracted", (ON_THE_LIST,))
    doi = next(name.removeprefix("doi:") for name, state in listed().items() if state == "concern")
    paper = marked(described({"id": "LAB:1", "text": "One.", "doi": f"https://doi.org/{doi.upper()}"}))
    assert (paper.retraction, paper.cautions, why_aside(paper)) == ("concern", (), None)


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


def test_a_note_about_another_paper_is_no_id_and_a_record_that_retracts_another_is_a_notice() -> None:
    record = {"id": "LAB:1", "text": "One.", "note": f"Comment on {some_retracted()}"}
    assert marked(described(record)).retraction == "none"
    record = {"id": "LAB:1", "text": "One.", "update-to": [{"DOI": "10.1000/old", "type": "retraction"}]}
    assert marked(described(record)).retraction == "notice"


def test_the_script_is_deterministic(tmp_path: Path) -> None:
    (tmp_path / "pmids.txt").write_text("30\n7\n30\n")
    rows = ("doi\tnotice_doi\tnature", "10.1000/R\t\tretraction", "10.1000/c\t\tconcern", "10.1000/r\t\tconcern")
    (tmp_path / "dois.tsv").write_text("\n".join(rows))
    for target in ("one.gz", "two.gz"):
        command = [sys.executable, SCRIPT, tmp_path / "pmids.txt", tmp_path / "dois.tsv", tmp_path / target]
        subprocess.run(command, check=True)
    one = (tmp_path / "one.gz").read_bytes()
    assert one == (tmp_path / "two.gz").read_bytes()
    assert gzip.decompress(one) == b"doi:10.1000/r\npmid:30\npmid:7\n\ndoi:10.1000/c"
