"""Sets as their authors publish them, your own lines, textbooks, guidelines and Wikipedia: JSON and parquet."""

import gzip
import json
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from read_files import document_of, items_of, lines, pieces, sample
from rows import each_row

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.corpus.readers.base import Input, Item, Note
from medground.errors import BadDocument
from medground.values.document import Document
from medground_evaluate.datasets.snippets import golden_files, papers_of

QUESTION = {
    "pmid": "7",
    "question": "Does it?",
    "contexts": ["One.", "Two."],
    "labels": ["AIM", "RESULTS"],
    "year": 2001,
}


def test_pubmedqa_lines(tmp_path: Path) -> None:
    document = document_of(
        lines(tmp_path / "q.jsonl.gz", QUESTION | {"meshes": ["Asthma"], "long_answer": "Yes."}), "pubmedqa"
    )
    assert (document.id, document.title, document.year) == ("PMID:7", "Does it?", 2001)
    assert document.text == "One.\n\nTwo."
    assert pieces(document) == [("AIM", "One."), ("RESULTS", "Two.")]
    assert document.mesh[0].descriptor == "Asthma"


@each_row("indent", [None, 4])
def test_pubmedqa_as_published(tmp_path: Path, indent: int | None) -> None:
    record = {
        "QUESTION": "Does {it}?",
        "CONTEXTS": ['A "}" here.'],
        "LABELS": ["AIM"],
        "YEAR": "2001",
        "LONG_ANSWER": "Yes.",
    }
    entries = {str(n): record | {"MESHES": ["x" * 4000]} for n in range(1, 400)}
    file = tmp_path / "ori_pqal.json"
    file.write_text(json.dumps(entries | {"77777": {"QUESTION": "Bad?"}}, indent=indent))
    *documents, bad = items_of(file, "pubmedqa")
    assert [d.id for d in documents if isinstance(d, Document)] == [f"PMID:{n}" for n in range(1, 400)]
    assert "record 400: contexts: the field is missing" in str(bad)
    file.write_text(file.read_text()[:-200_000])
    with pytest.raises(BadDocument, match="broken or ends early"):
        items_of(file, "pubmedqa")
    file.write_text('{"1": ' + '{"QUESTION": ' * 50_000)
    with pytest.raises(BadDocument, match="nested too deeply"):
        items_of(file, "pubmedqa")


def test_an_endless_line_is_skipped(tmp_path: Path) -> None:
    good = {"id": "LAB:1", "text": "x"}
    endless = '{"id": "LAB:2", "text": "' + "y" * 45_000_000
    first, bad, last = items_of(lines(tmp_path / "x.jsonl.gz", good, endless, good), "jsonlines")
    assert (type(first), type(last)) == (Document, Document)
    assert "x.jsonl.gz:2: the line has 40,000,000 bytes or more" in str(bad)


def test_beir_and_scifact(tmp_path: Path) -> None:
    lines(
        tmp_path / "corpus.jsonl",
        {"_id": "4", "title": "T", "text": "X."},
        {"_id": "PMID:5", "text": "Y.", "metadata": {}},
    )
    lines(tmp_path / "queries.jsonl", {"_id": "q"})
    first, second = items_of(tmp_path, "beir")
    assert (first.id, first.text, second.id) == ("DOC:4", "X.", "PMID:5")
    other = lines(tmp_path / "s.jsonl", {"doc_id": 9, "title": "T", "abstract": ["One.", "Two. "], "structured": False})
    assert document_of(other, "scifact").text == "One. Two."


def test_own_lines(tmp_path: Path) -> None:
    own = {
        "id": "LAB:1",
        "text": "Ab cd.",
        "year": 2020,
        "kind": "guideline",
        "sections": [{"label": "S", "start": 0, "end": 2}],
    }
    plain = {"pmid": 5, "title": "T", "abstract": "A."}
    first, second = items_of(lines(tmp_path / "x.jsonl", own, plain), "jsonlines")
    assert (first.kind, first.year, first.sections[0].label) == ("guideline", 2020, "S")
    assert (second.id, second.text, second.identifiers) == ("PMID:5", "A.", {"pmid": "5"})


@each_row(
    ("line", "reason"),
    [
        ('{"id": "LAB:2", "year": 2020}', "text: the field is missing"),
        ('{"id": "LAB:2"}', "text: the field is missing"),
        ('{"id": " ", "text": "x"}', "the id is empty"),
        ('{"id": "LAB:2", "text": "x", "references": 5}', "references: Input should be a valid"),
        ('{"id": "LAB:2", "text": "  "}', "neither text nor title"),
        ('{"id": "LAB:2", "text": 5}', "text: Input should be a valid string"),
        ('{"id": "LAB:2", "text": "x", "year": 99999}', "year: "),
        ('{"id": "LAB:2", "text": "x", "sections": [{"label": "S", "start": 0, "end": 9}]}', "is outside the text"),
        ('{"pmid": "5x", "abstract": "x"}', "'5x' is not a PMID"),
        ('{"id": "LAB:2", "text": ', "not JSON"),
        ("[1, 2]", "not a JSON object"),
        ("[" * 100_000, "JSON nested too deeply"),
        ('{"id": "LAB:2", "text": "' + "x" * 20_000_001 + '"}', "more than 20,000,000"),
    ],
)
def test_a_broken_line_is_skipped_with_its_number(tmp_path: Path, line: str, reason: str) -> None:
    good = {"id": "LAB:1", "text": "x"}
    first, bad, last = items_of(lines(tmp_path / "x.jsonl", good, "", line, good), "jsonlines")
    assert isinstance(first, Document)
    assert isinstance(last, Document)
    assert bad.position == 3
    assert reason in str(bad)
    assert "\n" not in str(bad)
    assert len(str(bad)) < 400


def test_a_file_of_broken_lines_is_rejected_and_resuming_keeps_the_numbers(tmp_path: Path) -> None:
    good = {"id": "LAB:1", "text": "x"}
    with pytest.raises(BadDocument, match="none of the first 20 lines can be used"):
        items_of(lines(tmp_path / "x.jsonl", *["{}"] * 20, good), "jsonlines")
    with pytest.raises(BadDocument, match="none of the first 2 lines"):
        items_of(lines(tmp_path / "y.jsonl", "{broken", "{}"), "jsonlines")
    file = lines(tmp_path / "z.jsonl", *["{}"] * 19, good, "{}", good)
    assert len(items_of(file, "jsonlines")) == 22
    (found,) = find_inputs([file])
    assert [type(item).__name__ for item in found.read(19)] == ["Document", "BadDocument", "Document"]


def test_another_encoding_is_rejected_and_a_byte_order_mark_is_not(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_bytes('{"id": "LAB:1", "text": "Größe"}\n'.encode("latin-1"))
    with pytest.raises(BadDocument, match="not UTF-8 at byte 27"):
        items_of(file, "jsonlines")
    file.write_bytes(b"\xef\xbb\xbf" + '{"id": "LAB:1", "text": "Größe"}\n'.encode())
    assert document_of(file, "jsonlines").text == "Größe"


def test_characters_that_cannot_be_stored_are_replaced_one_for_one(tmp_path: Path) -> None:
    document = document_of(
        lines(tmp_path / "x.jsonl", r'{"id": "LAB:1", "text": "a\u0000b\ud800c\u001bd\n"}'), "jsonlines"
    )
    assert document.text == "a b\ufffdc d\n"


Record = dict[str, Any]

GUIDELINE, CHUNK, ARTICLE = map(json.loads, sample("collections.jsonl").splitlines())


def parquet(path: Path, records: list[Record], rows: int = 2) -> Path:
    arrow = pytest.importorskip("pyarrow", reason="needs the extra parquet")
    from pyarrow import parquet as files

    files.write_table(arrow.Table.from_pylist(records), path, row_group_size=rows)
    return path


def test_a_guideline(tmp_path: Path) -> None:
    untitled = GUIDELINE | {"id": "e1", "source": "wikidoc", "title": None, "url": None}
    plain = untitled | {"id": "e2", "clean_text": "\n Cough in adults. \nIt is common."}
    empty = GUIDELINE | {"id": "e3", "clean_text": " "}
    first, second, third, fault = items_of(lines(tmp_path / "g.jsonl", GUIDELINE, untitled, plain, empty), "guidelines")
    assert (first.id, first.title, first.kind) == ("GUIDELINE:who:3c5d8f", "Fever in children", "guideline")
    assert (first.journal, first.url) == ("World Health Organization", "https://www.who.int/x")
    assert first.text == GUIDELINE["clean_text"]
    assert [section.label for section in first.sections] == ["Fever", "Fever > Treatment"]
    assert (second.title, second.journal) == ("Fever", "wikidoc")
    assert third.title == "Cough in adults."
    assert (fault.position, fault.reason) == (4, "clean_text: the field is missing or empty")


def test_chunks_of_textbooks(tmp_path: Path) -> None:
    other = CHUNK | {"id": "Anatomy_Gray_1", "content": "It is a science."}
    first, second = items_of(lines(tmp_path / "Anatomy_Gray.jsonl.gz", CHUNK, other), "textbooks")
    assert isinstance(second, Document)
    assert (first.id, first.title, first.kind) == ("TEXTBOOK:Anatomy_Gray_0", "Anatomy_Gray", "book")
    assert first.text == "What is anatomy?"
    short = {name: CHUNK[name] for name in ("id", "title", "content")}
    (named,) = items_of(lines(tmp_path / "short.jsonl", short), named="textbooks")
    assert named == first


def test_a_textbook_as_plain_text_and_its_chunks_in_one_folder(tmp_path: Path) -> None:
    folder = tmp_path / "books"
    (folder / "en").mkdir(parents=True)
    (folder / "en" / "Surgery.txt").write_text("Cut well.\n\nSew well.")
    lines(folder / "Anatomy.jsonl", CHUNK)
    found = find_inputs([folder], "textbooks")
    items = [item for one in found for item in one.read(0)]
    assert [(item.id, item.kind) for item in items if isinstance(item, Document)] == [
        ("TEXTBOOK:Anatomy_Gray_0", "book"),
        ("FILE:en/Surgery.txt", "book"),
    ]


def test_wikipedia_as_json_lines(tmp_path: Path) -> None:
    article, fault, broken = items_of(lines(tmp_path / "w.jsonl", ARTICLE, ARTICLE | {"text": ""}, "{"), "wikipedia")
    assert isinstance(broken, BadDocument)
    assert isinstance(fault, BadDocument)
    assert (article.id, article.title, article.kind) == ("WIKI:12", "Aorta", "wiki")
    assert (article.url, article.text) == (ARTICLE["url"], ARTICLE["text"])


def test_records_of_your_own_with_such_fields_stay_your_own(tmp_path: Path) -> None:
    own = {"id": "1", "title": "A note", "content": "Text.", "url": "https://example.org"}
    for record in (own, ARTICLE | {"url": "https://example.org/wiki"}):
        items_of(lines(tmp_path / "own.jsonl", record), "jsonlines")


def test_wikipedia_as_parquet_says_the_same_as_json_lines(tmp_path: Path) -> None:
    records = [ARTICLE | {"id": str(number), "text": f"Text {number}."} for number in range(600)]
    records[3]["text"] = ""
    path = parquet(tmp_path / "train-00000-of-00041.parquet", records, rows=100)
    rows, same = items_of(path, "wikipedia"), items_of(lines(tmp_path / "w.jsonl", *records), "wikipedia")
    assert [row for row in rows if isinstance(row, Document)] == [row for row in same if isinstance(row, Document)]
    assert isinstance(rows[3], BadDocument)
    assert (rows[3].position, rows[3].reason) == (4, "text: the field is missing or empty")


def test_guidelines_as_parquet_are_built_into_a_corpus(tmp_path: Path, library: Library) -> None:
    path = parquet(tmp_path / "guidelines.parquet", [GUIDELINE, GUIDELINE | {"id": "e9"}])
    manifest = build(library, "guidelines", find_inputs([path]))
    assert (manifest.counts.documents, manifest.counts.skipped) == (2, 0)
    wiki = build(library, "wiki", find_inputs([lines(tmp_path / "w.jsonl", ARTICLE)]))
    assert wiki.licenses == ("CC BY-SA and GFDL",)


@each_row(
    ("change", "message"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-20]), "the parquet file is damaged"),
        (lambda path: path.write_bytes(b"PAR1" + b"\0" * 50 + b"PAR1"), "the parquet file is damaged"),
        (lambda path: parquet(path, [{"a": 1, "b": 2}]), "no reader takes a parquet file of a, b; save it as JSON"),
    ],
)
def test_parquet_that_cannot_be_read(tmp_path: Path, change: Callable[[Path], object], message: str) -> None:
    path = parquet(tmp_path / "x.parquet", [ARTICLE])
    change(path)
    with pytest.raises(BadDocument, match=message) as refused:
        find_inputs([path])
    assert "\n" not in str(refused.value)


def test_parquet_without_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1 and more")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(BadDocument, match=r'pip install "medground\[parquet\]"') as refused:
        find_inputs([path])
    assert refused.value.passing


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


@pytest.mark.slow
def test_real_sets(shared: Path) -> None:
    def read(name: str, reader: str, most: int | None = None) -> list[Item]:
        found = next(one for one in find_inputs([shared / name], reader) if one.refused is None)
        return [item for item in islice(found.read(0), most) if not isinstance(item, Note)]

    sets = {"medquad/qa.jsonl.gz": "medquad", "covidqa/documents.jsonl.gz": "covidqa"}
    for name, reader in (sets | {"biomedsearch/literature.jsonl": "biomedmcqs"}).items():
        assert all(isinstance(item, Document) for item in read(name, reader, 300)), name
    questions = {document.id: document for document in read("pubmedqa/pqa_l.jsonl.gz", "pubmedqa")}
    assert (len(questions), questions["PMID:21645374"].year) == (1000, 2011)
    assert all(d.sections and d.text for d in questions.values())
    assert len(read("scifact", "scifact")) == 5183
    papers = read("bioasq", "bioasq")
    assert len({paper.id for paper in papers}) == len(papers) > 7000
    assert all(paper.text and paper.id.startswith("PMID:") for paper in papers)
