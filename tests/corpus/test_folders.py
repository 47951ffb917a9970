"""Folders as people have them, with Markdown and texts: every file is read, or named with the reason."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from read_files import pieces, sample
from refusals import refused
from rows import each_row

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.corpus.readers.base import Input, Item
from medground.corpus.readers.texts import open_text, text_document
from medground.corpus.reports import FileEntry, FileReport
from medground.errors import BadDocument
from medground.values.document import Document

NBIB = "PMID- {pmid}\nTI  - A trial\nAB  - {text}\nMH  - Asthma\n\n"
RIS = "TY  - JOUR\nTI  - A trial\nAB  - {text}\nAN  - {pmid}\nER  - \n"


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """A student's folder."""
    folder = tmp_path / "papers"
    (folder / "old" / ".git").mkdir(parents=True)
    contents: dict[str, str | bytes] = {
        "one.nbib": NBIB.format(pmid=1, text="Long text of the first paper."),
        "refs.ris": RIS.format(pmid=1, text="Short.") + RIS.format(pmid=2, text="Second."),
        "library.bib": "@article{x, title={Third}, doi={10.1000/3}}",
        "table.csv": "title,abstract,ward\nFourth,Text,ICU\n",
        "notes.md": "---\ntitle: Fifth\n---\nMy notes.",
        "mine.jsonl": '{"id": "a1", "text": "Sixth.", "ward": "ICU"}\n{"broken\n',
        "page.html": "<html><body><p>Seventh: a page with words in it.</p></body></html>",
        "scan.png": b"\x89PNG\x00",
        "chart.PNG": b"\x89PNG\x00",
        "broken.xml": "<PubmedArticleSet><Pubmed",
        "empty.txt": "",
        "odd.txt": b"\xff\x01" * 40,
        "data.zip": b"PK\x03\x04\x00",
        "README.md": "# About this folder",
        ".DS_Store": b"\x00",
        "old/.git/config": "x",
        "old/more.txt": "Eighth.",
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def test_every_file_is_read_or_named(library: Library, papers: Path) -> None:
    manifest = build(library, "papers", find_inputs([papers]))
    with library.open("papers") as snapshot:
        told, ids = snapshot.file_report(), {d.id for d in snapshot.all_documents()}
        skipped = snapshot.skipped()
    assert {Path(file.name).name for file in told.files} == {p.name for p in papers.rglob("*") if p.is_file()} - {
        "config"
    } | {".git"}
    assert {"PMID:1", "PMID:2", "DOI:10.1000/3", "DOC:a1", "FILE:notes.md", "FILE:old/more.txt"} < ids
    assert (manifest.counts.documents, manifest.counts.passed_over, manifest.counts.skipped) == (8, 9, 1)
    assert [Path(item.file).name for item in skipped] == ["mine.jsonl"]
    lines = list(told.lines())
    assert lines[0] == "read        1 bibtex, 1 jsonlines, 2 texts, 1 nbib, 1 html, 1 ris, 1 csv"
    assert "skipped     2 .png: an image, which holds no text (chart.PNG, scan.png)" in lines
    assert "skipped     1 .zip: an archive; unpack it (data.zip)" in lines
    assert "skipped     1 .txt: the file is empty (empty.txt)" in lines
    assert "skipped     1 .md: notes on the folder; name the file to read it (README.md)" in lines
    assert any("neither UTF-8 nor Latin-1" in line for line in lines)
    assert any(line.startswith("skipped     1 .xml: not well-formed XML") for line in lines)
    assert "note        ids without a prefix (1) were given DOC:; kept as metadata: ward (mine.jsonl)" in lines
    assert lines[-1] == "same id     1 id is in several files, and one version is kept: PMID:1 from one.nbib"
    assert {(entry.name, entry.reader) for entry in manifest.inputs} >= {(str(papers), "texts"), (str(papers), "ris")}


def test_strict_stops_at_an_alien_file_but_not_at_hidden_ones_and_notes(library: Library, papers: Path) -> None:
    refused(BadDocument, r"chart\.PNG: an image", find_inputs, [papers], strict=True)
    for name in ("broken.xml", "chart.PNG", "data.zip", "empty.txt", "odd.txt", "scan.png"):
        (papers / name).unlink()
    inputs = find_inputs([papers], strict=True)
    (papers / "one.nbib").write_text("damaged since")
    refused(BadDocument, r"one\.nbib", build, library, "papers", inputs, strict=True)
    assert build(library, "papers", inputs).counts.documents == 8


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One.")
    (tmp_path / "b").mkdir(mode=0)
    *_, refused = find_inputs([tmp_path])
    assert refused.refused is not None
    assert "cannot be read" in refused.refused.reason
    assert refused.refused.passing


def test_a_file_that_goes_or_changes_while_it_is_read(library: Library, tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / name).write_text(f"Text of {name}.")
    inputs = find_inputs([tmp_path])
    (tmp_path / "b.txt").unlink()
    reads = []

    def growing(skip: int) -> list[Item]:
        file = tmp_path / "c.txt"
        found = list(open_text(file).read(skip))
        reads.append(file.read_text())
        if len(reads) < 2:
            file.write_text("Text of c.txt, and more of it.")
        return found

    inputs[2] = replace(inputs[2], read=growing)  # type: ignore[arg-type]
    counts = build(library, "c", inputs).counts
    with library.open("c") as snapshot:
        assert [d.text for d in snapshot.all_documents()] == ["Text of a.txt.", "Text of c.txt, and more of it."]
        (gone,) = [file for file in snapshot.file_report().files if file.reason]
    assert (counts.documents, counts.passed_over, len(reads)) == (2, 1, 2)
    assert gone.reason is not None
    assert "No such file" in gone.reason


def test_a_file_that_never_stops_changing(library: Library, tmp_path: Path) -> None:
    (file := tmp_path / "log.txt").write_text("0")
    (other := tmp_path / "a.txt").write_text("One.")

    def changing(skip: int) -> list[Item]:
        file.write_text(file.read_text() + "1")
        return [Document(id="FILE:log.txt", text=file.read_text())]

    found, still = find_inputs([other, file])
    counts = build(library, "c", [found, replace(still, read=changing)]).counts  # type: ignore[arg-type]
    assert (counts.documents, counts.passed_over) == (1, 1)
    with library.open("c") as snapshot:
        assert "changed while it was read" in str(snapshot.file_report().files[1].reason)


def test_many_reasons_are_cut_and_counted() -> None:
    files = [FileEntry(f"{n}.x{n}", "none", f"reason {n}") for n in range(20)]
    lines = list(FileReport(files, {}, ()).lines())
    assert len(lines) == 13
    assert lines[-1] == "skipped     and 8 more; medground corpus files NAME lists them all"


def test_two_works_with_one_id_are_kept_and_two_papers_with_one_pmid_are_told(library: Library, tmp_path: Path) -> None:
    record = "TY  - CHAP\nTI  - {}\nAB  - {}\n{}\nER  - \n"
    same, other, doi = "Aspirin and stroke in adults", "Knitting in the elderly of Oslo", "DO  - 10.1000/one"
    (tmp_path / "book.ris").write_text(record.format(same, "First.", doi) + record.format(same, "Second.", doi))
    (tmp_path / "chapter.ris").write_text(record.format(other, "Third.", doi))
    parts = [f'{{"title": "Report", "year": 2020, "authors": ["Doe J"], "text": "{text}"}}' for text in "ABb"]
    (tmp_path / "parts.jsonl").write_text("\n".join(parts))  # named after title, year and author
    pmid = "C2  - 123456\nDB  - Scopus"
    (tmp_path / "refs.ris").write_text(record.format(same, "Fourth.", pmid) + record.format(other, "Fifth.", pmid))
    counts = build(library, "refs", find_inputs([tmp_path])).counts
    assert (counts.documents, counts.skipped) == (5, 2)
    with library.open("refs") as snapshot:
        reason = snapshot.skipped()[1].reason
        book = [document.title for document in snapshot.all_documents() if "doi" in document.identifiers]
    assert reason == f"{same}: another record of this file has its id PMID:123456, and is kept: {other}"
    assert sorted(book) == [same, other]


def read(path: Path, reader: str | None = None) -> list[Item]:
    inputs = find_inputs([path], reader)
    assert {found.reader for found in inputs} <= {"texts", "none"}
    return [item for found in inputs for item in outcome(found)]


def outcome(found: Input) -> list[Item]:
    """The items of an input, and the error that ends it."""
    try:
        return list(found.read(0))
    except BadDocument as error:
        return [error]


def test_headings_become_sections(tmp_path: Path) -> None:
    file = tmp_path / "asthma guide.md"
    file.write_text(
        "Intro.\r\n\r\n# Asthma #\r\nText.\n```\n# no heading\n```\n## Dosage\nTwo.\n\nSetext\n======\nEnd.\n"
    )
    (document,) = read(file)
    assert (document.title, document.kind) == ("Asthma", "book")
    assert document.id.startswith("FILE:asthma_guide.md-")
    assert pieces(document) == [
        ("Asthma", "# Asthma #\nText.\n```\n# no heading\n```\n"),
        ("Asthma > Dosage", "## Dosage\nTwo.\n\n"),
        ("Setext", "Setext\n======\nEnd.\n"),
    ]


def test_links_are_not_followed_and_named(tmp_path: Path) -> None:
    folder, outside = tmp_path / "folder", tmp_path / "secret.md"
    folder.mkdir()
    outside.write_text("Secret.")
    (folder / "a.md").write_text("One.")
    (folder / "b.md").symlink_to(folder / "a.md")
    (folder / "c.md").symlink_to(outside)
    (folder / "d").symlink_to(folder)
    (folder / "e").symlink_to(folder / "e")
    one, *links = read(folder)
    assert isinstance(one, Document)
    assert [link.reason for link in links if isinstance(link, BadDocument)] == [
        "a link to a file or folder that is read where it is",
        "the link points outside the folder; copy its target into the folder",
        "a link to a file or folder that is read where it is",
        "the link is broken",
    ]
    refused(BadDocument, r"c\.md: the link points outside the folder", find_inputs, [folder], strict=True)


def test_front_matter_is_metadata_and_not_text(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_text(sample("front.md"))
    (document,) = read(tmp_path)
    assert (document.title, document.authors, document.year) == ("What the trial found", ("Ana Gil", "Bo Li"), 2021)
    assert document.identifiers == {"doi": "10.1000/abc"}
    assert document.dates == {"published": "2021-03-04"}
    assert document.metadata == {"ward": ("ICU",), "arms.control": ("12",)}
    assert document.text == "# Methods\nText.\n"
    assert [s.label for s in document.sections] == ["Methods"]


@each_row(
    ("front", "reason"),
    [
        ("a: &x [1]\nb: *x", "has aliases"),
        ("a: [1", "the front matter is not YAML at line"),
        (f"a: {'[' * 600}{']' * 600}", "the front matter is nested too deeply; flatten it"),
    ],
)
def test_front_matter_that_cannot_be_read(tmp_path: Path, front: str, reason: str) -> None:
    (tmp_path / "n.md").write_text(f"---\n{front}\n---\nText.\n")
    (bad,) = read(tmp_path)
    assert reason in bad.reason


def test_long_and_odd_names_give_different_ids(tmp_path: Path) -> None:
    names = ["a b.md", "a\tb.md", "a#b.md", "a_b.md", "d/" * 100 + "x.md", "e/" * 100 + "x.md", "Größe.md"]
    ids = [text_document(b"One.", name, markdown=True).id for name in names]
    assert len(set(ids)) == len(names)


@given(
    st.lists(
        st.sampled_from(["# A", "## B", "#", "text", "", "===", "---", "```", "> # q", "- # l", "\t# t"]), max_size=20
    )
)
@settings(deadline=None, max_examples=150)
def test_sections_are_ordered_slices(lines: list[str]) -> None:
    text = "\n".join([*lines, "end"])
    document = text_document(text.encode(), "x.md", markdown=True)
    assert document.text == text
    assert all(one.end == two.start for one, two in zip(document.sections, document.sections[1:], strict=False))
    assert not document.sections or document.sections[-1].end == len(text)
