"""PDFs as textbooks: what is left out, where quotes still are, and the same book under two names."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.corpus.readers.base import Reading
from medground.corpus.readers.pdf.book import highlights, without_addresses
from medground.corpus.sync import sync
from medground.errors import BadDocument
from medground.values.document import Document

canvas = pytest.importorskip("reportlab.pdfgen.canvas")

TEXT = (
    "The heart is a muscle that pumps blood through the vessels of the body. Its valves keep the blood from running "
    "back. A murmur is heard where a valve is narrow or does not close. The sound is carried with the stream, so the "
    "place where it is loudest tells which valve is diseased. Most murmurs of children are innocent and need no care."
)
LINK = "More is told at https://www.example.org/heart/valves.html and in the atlas (www.example.org/atlas) of murmurs."
HEADS = ("Hearts", "Lungs", "Livers")


class Page:
    """Writes down a page, line by line."""

    def __init__(self, drawing: canvas.Canvas) -> None:
        self._drawing = drawing
        self.y = 770.0

    def line(self, text: str, size: float = 10, font: str = "Times-Roman", y: float | None = None) -> None:
        self._drawing.setFont(font, size)
        self._drawing.drawString(60, self.y if y is None else y, text)
        if y is None:
            self.y -= 1.2 * size

    def heading(self, text: str, size: float = 13) -> None:
        self.y -= 12
        self.line(text, size, "Times-Bold")
        self.y -= 4

    def paragraph(self, text: str, width: float = 470) -> None:
        row = ""
        for word in [*text.split(), ""]:
            if not word or self._drawing.stringWidth(f"{row} {word}", "Times-Roman", 10) > width:
                self.line(row)
                row = ""
            row = f"{row} {word}".strip()


def textbook(path: Path, *, note: str = "", chapters: int = 3) -> Path:
    """A chapter to a page, each with references of its own; a list of further reading and an index at the end."""
    drawing = canvas.Canvas(str(path), pagesize=(595, 842))
    drawing.setTitle("A Textbook of Medicine")
    if note:
        drawing.setSubject(note)  # another file with the same text
    for number, organ in enumerate(HEADS[:chapters], start=1):
        page = Page(drawing)
        page.line("A Textbook of Medicine, second edition", 8, y=820)
        page.line(str(number + 10), 8, y=22)
        page.heading(f"{organ} and their diseases", 20)
        page.paragraph(f"This is the chapter on {organ.lower()}. {TEXT}")
        page.heading("Diagnosis")
        page.paragraph(f"{LINK} {TEXT}")
        page.heading("References")
        for item in range(1, 4):
            page.paragraph(f"{item}. Nobody A. Never quote this title of a list. Lancet. 1999;{item}:2-9.")
        drawing.showPage()
    page = Page(drawing)
    page.heading("Further reading")
    page.paragraph("Somebody's book on murmurs is a fine one to read after this, as is the atlas of all the valves.")
    page.heading("Index")
    page.paragraph("This index lists murmur 11, valve 11, vessel 12, and the many other words of the book by page.")
    drawing.showPage()
    drawing.save()
    return path


def read(path: Path, reader: str | None = "book-pdf") -> Document:
    (found,) = find_inputs([path], reader)
    assert found.reader == (reader or "pdf")
    (item,) = (item for item in found.read(0) if not isinstance(item, Reading))
    assert isinstance(item, Document), item
    return item


@pytest.fixture
def book(tmp_path: Path) -> Document:
    return read(textbook(tmp_path / "book.pdf"))


def test_a_book_is_its_chapters(book: Document) -> None:
    assert book.kind == "book"
    assert book.id.startswith("BOOK:")
    assert book.text.count(TEXT) == 6
    for organ in HEADS:
        assert f"This is the chapter on {organ.lower()}." in book.text
    for unwanted in (
        "Never quote",
        "second edition",
        "example.org",
        "http",
        "()",
        "Somebody's book",
        "This index",
        "References",
    ):
        assert unwanted not in book.text
    assert "More is told at and in the atlas of murmurs." in book.text


def test_quotes_still_open_on_their_page(tmp_path: Path, book: Document) -> None:
    """Also those from which an address was taken out; boxes are checked against the file."""
    path = tmp_path / "book.pdf"
    for page, organ in enumerate(HEADS, start=1):
        start = book.text.index(f"This is the chapter on {organ.lower()}.")
        assert book.page_at(start) == page
        (boxes,) = highlights(path, book, [(start, start + len(TEXT))])
        assert {box.page for box in boxes} == {page}
    start = book.text.index("More is told at")
    (boxes,) = highlights(path, book, [(start, start + len("More is told at and in the atlas of murmurs."))])
    assert boxes


def test_other_pdfs_stay_as_they_were(tmp_path: Path, book: Document) -> None:
    paper = read(tmp_path / "book.pdf", None)
    assert paper.kind == "research"
    assert paper.id.startswith("FILE:book-")
    assert "https://www.example.org/heart/valves.html" in paper.text


def test_the_same_text_under_another_name_is_one_document(tmp_path: Path, library: Library) -> None:
    folder = tmp_path / "pdfs"
    folder.mkdir()
    first = textbook(folder / "a.pdf")
    copy = textbook(folder / "copy of a.pdf", note="downloaded on Monday")
    textbook(folder / "other.pdf", chapters=2)
    assert first.read_bytes() != copy.read_bytes()
    manifest = build(library, "books", find_inputs([folder], "book-pdf"))
    assert manifest.counts.documents == 2
    with library.open("books") as snapshot:
        (told,) = (line for line in snapshot.file_report().lines() if line.startswith("same id"))
        assert "1 id is in several files, and one version is kept: BOOK:" in told
        (same,) = snapshot.file_report().same
        assert {Path(name).name for name in (same.kept, *same.others)} == {"a.pdf", "copy of a.pdf"}


def test_sync_goes_on_reading_a_folder_as_books(tmp_path: Path, library: Library) -> None:
    folder = (tmp_path / "pdfs").resolve()
    folder.mkdir()
    first = textbook(folder / "a.pdf", chapters=2)
    build(library, "books", find_inputs([folder], "book-pdf"))
    textbook(first, chapters=3)
    textbook(folder / "b.pdf", chapters=1)
    _, changes = sync(library, "books", folder)
    assert (len(changes.new), len(changes.changed)) == (1, 1)
    with library.open("books") as snapshot:
        books = [*snapshot.all_documents()]
    assert {book.kind for book in books} == {"book"}
    assert sorted(book.text.count(TEXT) for book in books) == [2, 6]


def test_a_book_of_lists_only(tmp_path: Path) -> None:
    drawing = canvas.Canvas(str(tmp_path / "x.pdf"), pagesize=(595, 842))
    page = Page(drawing)
    page.line("https://www.example.org/only/an/address.html")
    drawing.showPage()
    drawing.save()
    (found,) = find_inputs([tmp_path / "x.pdf"], "book-pdf")
    with pytest.raises(BadDocument, match="nothing is left of the book"):
        list(found.read(0))


@each_row(
    ("lines", "left"),
    [
        (["See https://a.org/b."], ["See."]),
        (["See <http://a.org/b> or not."], ["See or not."]),
        (["at www.who.int/fea-", "tures/fact_files/en/ in May."], ["at", "in May."]),
        (["at http://who.int/publications/", "Patients recover."], ["at", "Patients recover."]),
        (["at www.who.int.", "Then/or later."], ["at.", "Then/or later."]),
        (["(doi: 10.1000/xyz123) was said"], ["was said"]),
        (["The www was new; wwwards not."], ["The www was new; wwwards not."]),
        (["a  b () of [ ] kept"], ["a  b () of [ ] kept"]),
        (["https://a.org/x", "https://a.org/y"], ["", ""]),
    ],
)
def test_addresses(lines: list[str], left: list[str]) -> None:
    assert without_addresses(lines) == left


@given(lines=st.lists(st.text("wh:/.tps a(<>)-_", max_size=25), max_size=6))
def test_nothing_is_added_or_moved(lines: list[str]) -> None:
    found = without_addresses(lines)
    assert len(found) == len(lines)
    for line, left in zip(lines, found, strict=True):
        rest = iter(line)
        assert all(letter in rest for letter in left), "each letter that is left is from the line, in its order"
