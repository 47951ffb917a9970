"""Files made to exhaust a build: each is refused or read in little memory, with its reason, and the rest is kept."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from pathlib import Path

import docx
import pytest
from printed import Print
from read_files import refusal
from rows import each_row

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import READERS, find_inputs
from medground.corpus.readers.docx import docx_document
from medground.corpus.readers.html import html_document
from medground.corpus.readers.lines import read_csl
from medground.corpus.readers.tagged import FORMS, tagged_document
from medground.errors import BadDocument
from medground.values.document import Document

ARTICLE = (
    "<PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>Aspirin</ArticleTitle><Abstract>"
    "<AbstractText>{}</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle>"
)


def documents(home: Path, *paths: Path) -> dict[str, str]:
    """The documents of a corpus built from these files: ids and titles."""
    library = Library(home)
    build(library, "x", find_inputs(list(paths)))
    with library.open("x") as snapshot:
        return {document.id: document.title for document in snapshot.all_documents()}


def test_elements_outside_of_records_are_freed_while_reading(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xml.gz"
    with gzip.open(path, "wb") as file:
        file.write(b"<PubmedArticleSet>")
        for _ in range(100):
            file.write(b"<x><y/></x>" * 10_000)
        file.write(ARTICLE.format("Aspirin prevents stroke.").encode() + b"</PubmedArticleSet>")
    with path.open("rb") as before:
        assert len(before.read()) < 100_000
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = [item for item in READERS["medline"].open(path).read(0) if isinstance(item, Document)]
    assert [document.id for document in found] == ["PMID:1"]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - used < 100_000  # kB; two million elements took 280 MB


def test_a_record_without_end_is_refused_and_those_before_it_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medground.corpus.readers.xml.LONGEST_RECORD", 500_000)
    path = tmp_path / "long.xml"
    endless = ARTICLE.replace("<PMID>1<", "<PMID>2<").format("<i>a</i> " * 100_000)
    path.write_text(f"<PubmedArticleSet>{ARTICLE.format('Aspirin prevents stroke.')}{endless}</PubmedArticleSet>")
    items = READERS["medline"].open(path).read(0)
    assert next(item.id for item in items if isinstance(item, Document)) == "PMID:1"
    with pytest.raises(BadDocument, match="a record has more than 500,000 bytes; split it"):
        list(items)


@each_row(
    ("name", "content", "reason"),
    [
        ("heading.md", "# " + "a b " * 262_144 + "\n\nAspirin.\n", "the title has 1,048,575 characters"),
        (
            "label.md",
            "# Aspirin\n\nText.\n\n## " + "a b " * 500 + "\n\nAspirin prevents stroke.\n",
            "a heading has 2,009 characters; shorten it to at most 1,000",
        ),
        ("title.jsonl", json.dumps({"title": "x" * 5_001, "text": "Aspirin."}), "the title has 5,001 characters"),
        ("deeper.jsonl", '{"title":"t","text":"x","m":' + "[" * 9_000 + "]" * 9_000 + "}", "nested too deeply"),
    ],
)
def test_what_would_be_stored_many_times_is_refused_with_its_reason(
    tmp_path: Path, name: str, content: str, reason: str
) -> None:
    path, good = tmp_path / name, tmp_path / "good.jsonl"
    path.write_text(content)
    good.write_text(json.dumps({"id": "PMID:9", "title": "Stroke", "text": "Aspirin prevents stroke."}))
    assert documents(tmp_path / "home", path, good) == {"PMID:9": "Stroke"}
    with Library(tmp_path / "home").open("x") as snapshot:
        told = [*(one.reason for one in snapshot.skipped()), *(str(file) for file in snapshot.file_report().files)]
    assert any(reason in one for one in told), told


@each_row("field", ["authors", "keywords", "mesh", "publication_types", "references"])
def test_a_record_with_too_many_values_is_refused(tmp_path: Path, field: str) -> None:
    path = tmp_path / "many.jsonl"
    good = {"id": "A:1", "title": "T", "text": "Aspirin prevents stroke."}
    many = {**good, "id": "A:2", field: [f"A:{n}" for n in range(20_001)]}
    path.write_text(f"{json.dumps(good)}\n{json.dumps(many)}\n")
    assert refusal(path) == f"{field}: 20,001 values; at most 20,000 are read"


def test_latex_without_end_is_refused_and_long_plain_text_is_read(tmp_path: Path) -> None:
    path = tmp_path / "long.bib"
    plain = f"@article{{a, title={{T}}, abstract={{{'Aspirin helps. ' * 70_000}}}}}\n"
    path.write_text(plain + f"@article{{b, title={{T}}, abstract={{{'$a$ ' * 60_000}}}}}\n")
    items = [item for one in find_inputs([path]) for item in one.read(0)]
    assert [type(item) for item in items] == [Document, BadDocument]


def test_a_record_of_too_many_tags_is_refused_and_those_before_it_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "empty.xml.gz"
    bomb = ARTICLE.replace("<PMID>1<", "<PMID>2<").format("<i/>" * 1_200_000)
    with gzip.open(path, "wt") as file:
        file.write(f"<PubmedArticleSet>{ARTICLE.format('Aspirin prevents stroke.')}{bomb}</PubmedArticleSet>")
    items = READERS["medline"].open(path).read(0)
    assert next(item.id for item in items if isinstance(item, Document)) == "PMID:1"
    with pytest.raises(BadDocument, match="a record has more than 1,000,000 tags; split it"):
        list(items)


def test_a_page_and_a_document_of_too_many_tags_are_refused() -> None:
    page = f"<html><body><p>Aspirin prevents stroke.</p>{'<i></i>' * 100_000}</body></html>"
    with pytest.raises(ValueError, match="more than 200,000 tags; split it"):
        html_document(page.encode(), "page.html")
    small, large = io.BytesIO(), io.BytesIO()
    docx.Document().save(small)
    with zipfile.ZipFile(small) as before, zipfile.ZipFile(large, "w", zipfile.ZIP_DEFLATED) as after:
        for name in before.namelist():
            content = before.read(name)
            bomb = b"<w:body>" + b"<w:p/>" * 1_000_001
            after.writestr(name, content.replace(b"<w:body>", bomb) if name == "word/document.xml" else content)
    with pytest.raises(ValueError, match="more than 1,000,000 tags; split it"):
        docx_document(large.getvalue(), "large.docx")


@each_row(
    ("begins", "line", "form"),
    [
        ("PMID- 1\nTI  - Aspirin\nAB  - one", "\n      two", "nbib"),
        ("%0 Journal Article\n%T Aspirin\n%X one", "\ntwo", "enw"),
        ("PT J\nTI Aspirin\nAB one", "\n   two", "wos"),
    ],
)
def test_a_value_of_very_many_lines_is_read(begins: str, line: str, form: str) -> None:
    """Each line once: this was quadratic, and a million lines took minutes."""
    assert tagged_document(FORMS[form].tags(begins + line * 300_000), form).text == "one" + " two" * 300_000


def test_a_pdf_of_many_pages_and_a_json_file_of_many_objects_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medground.corpus.readers.pdf._MOST_PAGES", 1)
    book = Print(tmp_path / "a.pdf")
    for _ in range(2):
        book.line(700, "Aspirin prevents stroke in adults.")
        book.page()
    assert refusal(book.save()) == "the PDF has 2 pages; at most 1 are read"
    monkeypatch.setattr("medground.corpus.readers.lines._MOST_OBJECTS", 2)
    path = tmp_path / "objects.json"
    path.write_text('[{"id": 1, "title": "Aspirin", "abstract": "It works."},{},{}]')
    with pytest.raises(BadDocument, match="more than 2 objects; split it"):
        list(read_csl(path))
