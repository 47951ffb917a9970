"""Which reader a path gets, and files made to exhaust a build: refused in one line, or read in little memory."""

import gzip
import json
import os
from pathlib import Path

import pytest
from printed import Print
from read_files import refusal, written
from rows import each_row

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import READERS, all_readers, find_inputs
from medground.corpus.readers.html import html_document
from medground.corpus.readers.lines import read_csl
from medground.corpus.readers.tagged import FORMS, records_of, tagged_document
from medground.errors import BadDocument, UsageError
from medground.values.document import Document

MEDLINE = "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>T</ArticleTitle></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"  # noqa: E501
OWN = '{"id": "LAB:1", "text": "x"}\n'


def test_the_content_decides_not_the_name(tmp_path: Path) -> None:
    contents = {
        "a.xml": MEDLINE,
        "b.xml": "<article/>",
        "c.jsonl": OWN,
        "d.json": '{"5": {"QUESTION": "x"}}',
        "e.jsonl": '{broken\n{"_id": "1", "text": "x"}\n',
        "f.dat": MEDLINE,
        "g.md": "<b>bold</b> start",
    }
    for name, text in contents.items():
        (tmp_path / name).write_text(text)
    found = find_inputs([tmp_path / name for name in contents])
    assert [i.reader for i in found] == ["medline", "jats", "jsonlines", "pubmedqa", "beir", "medline", "texts"]
    packed = tmp_path / "no-suffix"
    packed.write_bytes(gzip.compress(MEDLINE.encode()))
    (one,) = find_inputs([packed])
    assert (one.reader, one.name) == ("medline", str(packed))
    os.utime(packed, ns=(1, 1))
    assert find_inputs([packed])[0].fingerprint != one.fingerprint


def test_a_folder_gives_its_data_files_in_order_without_its_notes(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.xml").write_text(MEDLINE)
    (tmp_path / "a.jsonl").write_text(OWN)
    (tmp_path / "README.md").write_text("# Notes")
    assert [(i.reader, Path(i.name).name) for i in find_inputs([tmp_path])] == [
        ("none", "README.md"),
        ("jsonlines", "a.jsonl"),
        ("medline", "b.xml"),
    ]
    assert [i.reader for i in find_inputs([tmp_path], "medline")] == ["none", "none", "medline"]
    assert [i.reader for i in find_inputs([tmp_path / "README.md"])] == ["texts"]


GOLDEN = b'{"questions": [{"snippets": [{"document": "x/pubmed/7", "text": "T", "offsetInBeginSection": "a"}]}]}'


@each_row(
    ("reader", "content", "reason"),
    [
        (None, b"", "the file is empty"),
        (None, gzip.compress(b"", mtime=0), "the file is empty"),
        (None, b"\x7fELF\x00\x01", "a binary file"),
        (None, b"PK\x03\x04\x00\x00", "a binary file"),
        (None, gzip.compress(b"\x00\x01", mtime=0), "a binary file"),
        (None, gzip.compress(MEDLINE.encode(), mtime=0)[:20], "ends early"),
        (None, b"\x1f\x8bnot gzip at all", "the gzip file is damaged"),
        (None, b"<svg><text>Not found</text></svg>", "unknown XML format (<svg>)"),
        (None, b"< PubmedArticleSet>", "not well-formed XML"),
        (None, b'<!DOCTYPE x [<!ENTITY a "b">]><PubmedArticleSet/>', "declares entities"),
        (None, b"Dear all,", "unknown file format"),
        (None, b"90060001, 90060002\nPMID: 90060003\n", "a list of ids"),
        (None, b"PMID\n90060001\n90060002\n", "a list of ids"),
        (None, b"https://doi.org/10.5555/a.1\n10.5555/a.2\n", "a list of ids"),
        (None, b"PMC9960001\nPMC9960002\n", "a list of ids"),
        (None, b"<clinical_study><brief_title>x</brief_title></clinical_study>", "download the study as JSON"),
        (None, b"<html><body><script>x()</script></body></html>", "the page has no main text"),
        (None, b"<book><title>DocBook</title><chapter/></book>", "no part with a text"),
        (None, b"<xml><records/></xml>", "no <record>"),
        ("pdf", b"", "the file is empty"),
        ("pdf", b"This is a letter.", "damaged or incomplete"),
        ("csv", b"a,b\n1,2\n3,4\n", "no column is a title or a text"),
        ("csl-json", b'[{"title": ', "not JSON"),
        ("csl-json", b"[{}]", "no record with a title"),
        ("bioasq", b'{"questions": [7]}', "not a golden file"),
        (None, GOLDEN, "not in BioASQ's form"),
    ],
)
def test_an_invalid_file_is_rejected_in_one_line(
    tmp_path: Path, reader: str | None, content: bytes, reason: str
) -> None:
    file = written(tmp_path / "file.bin", content)
    assert reason in refusal(file, reader)


TAKEN = [(OWN, "csl-json"), (OWN, "jsonlines"), (OWN, "wikipedia"), (MEDLINE, "medline"), (MEDLINE, "csv")]


@each_row("reader", sorted(all_readers().keys() - {"html", "texts"}))
def test_a_reader_takes_only_files_of_its_own(tmp_path: Path, reader: str) -> None:
    for content in ("\0\1\2" * 100, "\xff\1" * 100, "nothing of the kind", MEDLINE, OWN):
        path = written(tmp_path / "x.bin", content.encode("latin-1"))
        try:
            items = [item for found in find_inputs([path], reader) for item in found.read(0)]
        except BadDocument as error:
            assert "\n" not in str(error)
        else:
            assert (content, reader) in TAKEN or not any(isinstance(item, Document) for item in items), content


def test_paths_without_anything_to_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file or folder"):
        find_inputs([tmp_path / "none"])
    with pytest.raises(UsageError, match="no path to read"):
        find_inputs([])
    for reader in (None, "medline", "beir", "texts", "bioasq"):
        with pytest.raises(BadDocument, match="contains no"):
            find_inputs([tmp_path], reader)


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


@each_row(
    ("repeated", "reason"),
    [
        ("aspirin " * 70_000, "a record has more than 500,000 bytes; split it"),
        ("<i/>" * 110_000, "a record has more than 100,000 tags; split it"),
    ],
)
def test_a_record_without_end_is_refused_and_those_before_it_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repeated: str, reason: str
) -> None:
    monkeypatch.setattr("medground.corpus.readers.xml.LONGEST_RECORD", 500_000)
    monkeypatch.setattr("medground.corpus.readers.xml.MOST_TAGS", 100_000)
    bomb = ARTICLE.replace("<PMID>1<", "<PMID>2<").format(repeated)
    content = f"<PubmedArticleSet>{ARTICLE.format('Aspirin prevents stroke.')}{bomb}</PubmedArticleSet>"
    items = READERS["medline"].open(written(tmp_path / "long.xml.gz", content)).read(0)
    assert next(item.id for item in items if isinstance(item, Document)) == "PMID:1"
    with pytest.raises(BadDocument, match=reason):
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
        ("many.jsonl", json.dumps({"title": "T", "text": "A.", "authors": ["A"] * 20_001}), "authors: 20,001 values"),
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


def test_latex_without_end_is_refused_and_long_plain_text_is_read(tmp_path: Path) -> None:
    path = tmp_path / "long.bib"
    plain = f"@article{{a, title={{T}}, abstract={{{'Aspirin helps. ' * 70_000}}}}}\n"
    path.write_text(plain + f"@article{{b, title={{T}}, abstract={{{'$a$ ' * 60_000}}}}}\n")
    items = [item for one in find_inputs([path]) for item in one.read(0)]
    assert [type(item) for item in items] == [Document, BadDocument]


def test_a_page_of_too_many_tags_is_refused() -> None:
    page = f"<html><body><p>Aspirin prevents stroke.</p>{'<i></i>' * 100_000}</body></html>"
    with pytest.raises(ValueError, match="more than 200,000 tags; split it"):
        html_document(page.encode(), "page.html")


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
    ((_, tags),) = records_of(begins + line * 300_000, FORMS[form])
    assert tagged_document(tags, form).text == "one" + " two" * 300_000


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
