"""BioASQ's golden files as a corpus: the snippets of one paper are one document, and no answer is in it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.corpus.readers import find_inputs
from medground.corpus.readers.base import Input
from medground.corpus.readers.sets import golden_files, paper_id, papers_of
from medground.errors import BadDocument
from medground.values.document import Document

PUBMED = "http://www.ncbi.nlm.nih.gov/pubmed/"


def snippet(text: str, start: int = 0, pmid: int = 7, section: str = "abstract") -> dict[str, Any]:
    return {"document": f"{PUBMED}{pmid}", "text": text, "beginSection": section, "offsetInBeginSection": start}


def golden(path: Path, *snippets: dict[str, Any]) -> Path:
    question = {"id": "q", "body": "Is it so?", "type": "yesno", "exact_answer": "yes", "snippets": list(snippets)}
    content = json.dumps({"questions": [question]}).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def documents(*inputs: Input) -> list[Document]:
    return [item for one in inputs for item in one.read(0) if isinstance(item, Document)]


def test_snippets_of_a_paper_are_one_document_in_the_papers_order(tmp_path: Path) -> None:
    given = [
        snippet("Stroke fell by a fifth.", start=40),
        snippet("Aspirin and stroke: a trial", section="title"),
        snippet("We gave aspirin to adults."),
        snippet("by a fifth. Death was rare.", start=52),
        snippet("Zinc did nothing.", pmid=8),
        {"document": "http://www.disease-ontology.org/api/x", "text": "No paper."},
        snippet("  "),
    ]
    (found,) = find_inputs([golden(tmp_path / "task9b.json.gz", *given)])
    assert found.reader == "bioasq"
    aspirin, zinc = documents(found)
    assert (aspirin.id, aspirin.title) == ("PMID:7", "Aspirin and stroke: a trial")
    assert aspirin.text == "We gave aspirin to adults.\n\nStroke fell by a fifth. Death was rare."
    assert (zinc.id, zinc.text, zinc.identifiers["pmid"]) == ("PMID:8", "Zinc did nothing.", "8")
    assert not any("Is it so?" in document.text for document in (aspirin, zinc))


def test_a_folder_is_read_as_a_whole_if_its_reader_is_named(tmp_path: Path) -> None:
    golden(tmp_path / "task9b.json", snippet("Stroke fell.", start=30))
    golden(tmp_path / "10B2_golden.json", snippet("We gave aspirin."))
    (tmp_path / "README.md").write_text("About it.", encoding="utf-8")
    assert [task for task, _ in golden_files(tmp_path)] == [9, 10]
    (found,) = find_inputs([tmp_path], "bioasq")
    (document,) = documents(found)
    assert document.text == "We gave aspirin.\n\nStroke fell."


def test_other_files_are_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(BadDocument, match="contains no golden file, such as"):
        find_inputs([tmp_path], "bioasq")
    path = tmp_path / "task9b.json"
    path.write_text(
        '{"questions": [{"snippets": [{"document": "x/pubmed/7", "text": "T", "offsetInBeginSection": "a"}]}]}'
    )
    with pytest.raises(BadDocument, match="not in BioASQ's form"):
        documents(*find_inputs([path]))
    path.write_text('{"questions": [7]}', encoding="utf-8")
    with pytest.raises(BadDocument, match="not a golden file"):
        documents(*find_inputs([path], "bioasq"))


@each_row("url", [PUBMED + "12", "https://pubmed.ncbi.nlm.nih.gov/12/", "x/pubmed/12"])
def test_papers_are_named_by_pmid(url: str) -> None:
    assert paper_id(url) == "PMID:12"
    assert paper_id("http://www.disease-ontology.org/api/12") == ""


WORDS = st.lists(st.text("abcde", min_size=1, max_size=6), min_size=2, max_size=20).map(" ".join)


@given(st.data(), WORDS)
def test_no_snippet_is_lost_and_nothing_is_added(data: st.DataObject, abstract: str) -> None:
    places = st.integers(0, len(abstract) - 1)
    cuts = data.draw(st.lists(st.tuples(places, places), min_size=1, max_size=6))
    texts = [(min(cut), abstract[min(cut) : max(cut) + 1]) for cut in cuts]
    kept = [(start + len(text) - len(text.lstrip()), text.strip()) for start, text in texts if text.strip()]
    found = list(papers_of(snippet(text, start) for start, text in kept))
    assert len(found) == bool(kept)
    for document in found:
        assert all(text in document.text for _, text in kept)
        assert all(part in abstract for part in document.text.split("\n\n"))


@pytest.mark.shared
def test_real_golden_files(shared: Path) -> None:
    folder = shared / "bioasq"
    if not folder.is_dir():
        pytest.skip("needs BioASQ in ../shared/data")
    (found,) = find_inputs([folder], "bioasq")
    read = documents(found)
    assert len({document.id for document in read}) == len(read) > 7000
    assert all(document.text and document.id.startswith("PMID:") for document in read)
