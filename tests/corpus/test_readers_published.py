"""Textbooks in chunks, guidelines and Wikipedia, each as its authors publish it: JSON Lines and parquet."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from read_files import items_of, lines
from rows import each_row

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.corpus.readers.texts import guideline_document, textbook_document, wikipedia_document
from medground.errors import BadDocument
from medground.values.document import Document

Record = dict[str, Any]

GUIDELINE: Record = {
    "id": "3c5d8f",
    "source": "who",
    "title": "Fever in children\n",
    "clean_text": "# Fever\n\nMeasure it.\n\n## Treatment\n\nGive paracetamol.",
    "raw_text": "Fever [1] Measure it.",
    "url": "https://www.who.int/x",
    "overview": None,
}
CHUNK: Record = {
    "id": "Anatomy_Gray_0",
    "title": "Anatomy_Gray",
    "content": "What is anatomy?",
    "contents": "Anatomy_Gray. What is anatomy?",
}
ARTICLE: Record = {
    "id": "12",
    "url": "https://en.wikipedia.org/wiki/Aorta",
    "title": "Aorta",
    "text": "The aorta is the main artery.\n\nStructure \nIt starts at the heart.",
}


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


values = st.none() | st.integers() | st.text(max_size=12) | st.lists(st.text(max_size=3), max_size=2)
names = st.sampled_from(["id", "source", "title", "content", "clean_text", "text", "url"])


@given(record=st.dictionaries(names, values))
def test_any_record_is_a_document_or_a_fault(record: Record) -> None:
    for convert, field in (
        (textbook_document, "content"),
        (guideline_document, "clean_text"),
        (wikipedia_document, "text"),
    ):
        try:
            document = convert(record)
        except ValueError as error:
            assert "\n" not in str(error)
        else:
            assert len(document.text) <= len(record[field])
