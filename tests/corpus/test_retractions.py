"""The list of retracted papers, and how it marks documents."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from medground.corpus.readers.compose import make_document
from medground.corpus.readers.entry import described
from medground.corpus.retractions import ON_THE_LIST, is_retracted, retracted_pmids, with_retraction
from medground.document import Document
from medground.identifiers import paper_names

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "make_retracted.py"


def some_retracted() -> str:
    return f"PMID:{max(retracted_pmids())}"


def test_the_list_matches_its_source(shared: Path) -> None:
    listed = (shared / "retracted_pmids.txt").read_text().split()
    assert retracted_pmids() == frozenset(map(int, listed))
    assert len(retracted_pmids()) == 19_163


def test_a_paper_whose_record_or_title_says_so_is_marked() -> None:
    paper = Document(id="DOC:1", title="Aspirin", text="One.", publication_types=("Retracted Publication",))
    assert with_retraction(paper).retraction == "retracted"
    titled = Document(id="DOC:1", title="RETRACTED: Aspirin", text="One.")
    assert with_retraction(titled).retraction == "retracted"
    notice = Document(id=some_retracted(), title="Retraction: Aspirin", text="One.")
    assert with_retraction(notice).retraction == "notice"
    assert with_retraction(Document(id="DOC:1", title="Retraction of the gingiva", text="One.")).retraction == "none"


def test_a_listed_paper_is_marked() -> None:
    marked = with_retraction(Document(id=some_retracted(), text="One."))
    assert marked.retraction == "retracted"
    assert marked.cautions == (ON_THE_LIST,)


def test_full_text_is_marked_by_its_pmid() -> None:
    identifiers = {"pmid": some_retracted().removeprefix("PMID:")}
    assert with_retraction(Document(id="PMC:PMC1", text="One.", identifiers=identifiers)).retraction == "retracted"


def test_a_concern_becomes_a_retraction_and_a_notice_stays() -> None:
    concern = Document(id=some_retracted(), text="One.", retraction="concern")
    notice = concern.model_copy(update={"retraction": "notice"})
    assert with_retraction(concern).retraction == "retracted"
    assert with_retraction(notice).retraction == "notice"


@pytest.mark.parametrize("name", ["PMID:0", "PMID:x", "PMID:²", "PMID:", "HP:993", "PMID:-993", "993", "DOC:993"])
def test_other_ids_are_not_on_the_list(name: str) -> None:
    assert not is_retracted(paper_names(name, {}))


@pytest.mark.parametrize(
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
    assert with_retraction(described({**record, "text": "One."})).retraction == "retracted"
    if "PMID" not in record:
        assert with_retraction(make_document({**record, "text": "One."})).retraction == "retracted"


@pytest.mark.parametrize(
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
    assert with_retraction(described({**given, "title": "Aspirin", "text": "One."})).retraction == "retracted"


@pytest.mark.parametrize("digits", ["\uff10", "\u0660"])
def test_a_pmid_in_other_digits_is_known(digits: str) -> None:
    pmid = some_retracted().removeprefix("PMID:")
    record = {"pmid": "".join(chr(ord(digits) + int(digit)) for digit in pmid), "text": "One."}
    assert with_retraction(described(record)).retraction == "retracted"


def test_a_note_about_another_paper_is_no_id() -> None:
    record = {"id": "LAB:1", "text": "One.", "note": f"Comment on {some_retracted()}"}
    assert with_retraction(described(record)).retraction == "none"


def test_a_record_that_retracts_another_is_a_notice() -> None:
    record = {"id": "LAB:1", "text": "One.", "update-to": [{"DOI": "10.1000/old", "type": "retraction"}]}
    assert with_retraction(described(record)).retraction == "notice"


def test_the_script_is_deterministic(tmp_path: Path) -> None:
    source, one, two = tmp_path / "pmids.txt", tmp_path / "one.gz", tmp_path / "two.gz"
    source.write_text("30\n7\n30\n")
    for target in (one, two):
        subprocess.run([sys.executable, SCRIPT, source, target], check=True, capture_output=True)
    assert one.read_bytes() == two.read_bytes()
    assert gzip.decompress(one.read_bytes()) == b"7\n30\n"


def test_the_script_rejects_an_invalid_pmid(tmp_path: Path) -> None:
    source = tmp_path / "pmids.txt"
    source.write_text("30\nPMC7\n")
    done = subprocess.run(
        [sys.executable, SCRIPT, source, tmp_path / "x.gz"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "'PMC7', which is not a PMID" in done.stderr
