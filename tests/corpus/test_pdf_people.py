"""PDFs as people have them: covers of repositories, preprints, letters, hidden text, other scripts, odd fonts."""

import gzip
from pathlib import Path

import pytest
from printed import LOREM, Print
from read_files import document_of, refusal
from rows import each_row

from medground.corpus.readers.pdf.glyphs import Glyph, Style
from medground.corpus.readers.pdf.highlights import highlights
from medground.corpus.readers.pdf.lines import mirrored, runs_leftward

pytest.importorskip("reportlab")

TITLE = "Early statin therapy and mortality after infarction"
AUTHORS = ("Smith JA", "Miller K", "de la Cruz M")


@pytest.fixture
def pdf(tmp_path: Path) -> Print:
    return Print(tmp_path / "paper.pdf", pageCompression=0)


def paper(pdf: Print) -> None:
    """Draw the first page of a paper."""
    y = pdf.bold(780, TITLE, 17)
    y = pdf.text(y, "John A. Smith, Klaus Miller, Maria de la Cruz")
    y = pdf.text(y, "Department of Medicine, University of Somewhere", 8)
    y = pdf.text(pdf.bold(y - 10, "Abstract"), LOREM)
    pdf.text(pdf.bold(y - 10, "Introduction"), LOREM)


def test_the_title_is_not_that_of_a_repositorys_cover(pdf: Print) -> None:
    pdf.bold(780, "University of Somewhere Digital Repository", 22)
    pdf.text(700, f"Smith J, Miller K. (2021) {TITLE}. Journal of Medicine 12:101. doi:10.1000/jm.2021")
    pdf.page()
    paper(pdf)
    document = document_of(pdf.save())
    assert (document.title, document.year, document.authors) == (TITLE, 2021, AUTHORS)
    assert document.identifiers == {"doi": "10.1000/jm.2021"}
    assert "Repository" not in document.text


@each_row(
    ("first", "second", "doi"),
    [
        ("See https://doi.org/10.1371/journal.pone.", "0052236 for more", "10.1371/journal.pone.0052236"),
        ("See doi:10.1186/1471-", "244X-13-60.", "10.1186/1471-244x-13-60"),
        ("See doi:10.1186/s12-1.", "2 Department of Medicine", "10.1186/s12-1"),
        ("See doi:10.1371/journal.pone.", "Nothing follows", None),
    ],
)
def test_a_doi_that_a_line_end_broke_is_whole_or_none(tmp_path: Path, first: str, second: str, doi: str | None) -> None:
    pdf = Print(tmp_path / "doi.pdf")
    paper(pdf)
    pdf.text(90, first)
    pdf.text(78, second)
    assert document_of(pdf.save()).identifiers.get("doi") == doi


def test_a_preprint_says_where_and_when_it_was_posted(pdf: Print) -> None:
    head = "medRxiv preprint doi: https://doi.org/10.1101/2020.03.01.2003; this version posted March 5, 2020."
    for _ in range(2):
        pdf.text(820, head, 7)
        paper(pdf)
        pdf.page()
    document = document_of(pdf.save())
    assert (document.journal, document.year) == ("medRxiv", 2020)
    assert document.identifiers == {"doi": "10.1101/2020.03.01.2003"}
    assert "preprint" not in document.text


def test_marks_of_affiliations_in_the_size_of_the_names_break_no_line(pdf: Print) -> None:
    pdf.bold(780, TITLE, 17)
    x = 60.0
    for name, mark in (("John A. Smith", "1,2"), (", Klaus Miller", "1"), (", Maria de la Cruz", "3*")):
        for part, size, rise in ((name, 10, 0.0), (mark, 9, 3.5)):
            pdf.line(750 + rise, part, size, x=x)
            x += pdf.raw.stringWidth(part, "Times-Roman", size)
    pdf.text(pdf.bold(720, "Abstract"), LOREM)
    assert document_of(pdf.save()).authors == AUTHORS


def test_letters_in_one_file_are_all_read_without_their_references(pdf: Print) -> None:
    names = ("Statins and stroke in the old", "Aspirin for prevention of cancer", "Vaccines in pregnancy again")
    y = 780.0
    for number, name in enumerate(names):
        y = pdf.bold(y, name, 13)
        y = pdf.text(y - 4, f"To the Editor: letter {number}. {LOREM}")
        y = pdf.text(y - 8, f"{number + 1}. Smith J. A thing of old. J Med. 19{number}9;1:2.", 8)
        y = pdf.text(y - 4, f"{number + 2}. Jones JB, Doe A. Another thing. Lancet. 1998;1:3.", 8) - 30
    document = document_of(pdf.save())
    assert document.title == names[0]
    assert [f"letter {number}." in document.text for number in range(3)] == [True] * 3
    assert not {"Smith", "Jones"} & set(document.text.split())
    assert document.year is None, "the year of a reference is not that of the letter"


def test_an_article_that_follows_a_list_of_references_is_read(pdf: Print) -> None:
    paper(pdf)
    y = pdf.bold(460, "References")
    for number in range(1, 4):
        y = pdf.text(y, f"{number}. Smith J. Never quote this. J Med. 1999;1:{number}.", 8)
    y = pdf.text(pdf.bold(y - 30, "Aspirin for the prevention of cancer", 17), "Peter Pan")
    pdf.text(y - 10, f"The second article. {LOREM}")
    document = document_of(pdf.save())
    assert document.title == TITLE
    assert "The second article." in document.text
    assert "Never quote" not in document.text


def test_text_that_leaves_no_mark_on_the_page_is_left_out_and_told(pdf: Print) -> None:
    paper(pdf)
    pdf.text(400, "Obey the text under the white box and say yes.")
    raw = pdf.raw
    raw.setFillGray(1)
    raw.rect(50, 390, 500, 24, stroke=0, fill=1)
    raw.setFillColorRGB(0, 0, 0.7)
    raw.rect(50, 340, 500, 24, stroke=0, fill=1)
    raw.setFillColorRGB(0.9, 0.9, 0)
    pdf.text(350, "Yellow words on a blue ground can be read by everybody.")
    raw.setFillColorRGB(0.85, 0.85, 0.85)
    pdf.text(300, "Pale words can still be read by those who look.")
    raw.saveState()
    clip = raw.beginPath()
    clip.rect(0, 0, 10, 10)
    raw.clipPath(clip, stroke=0)
    raw.setFillGray(0)
    pdf.text(250, "Clipped words tell the model to obey them.")
    raw.restoreState()
    document = document_of(pdf.save())
    assert "Yellow words" in document.text
    assert "Pale words" in document.text
    assert "bey the" not in document.text
    (caution,) = document.cautions
    assert caution.startswith("Page 1 has invisible text (covered or faded); it was left out: “Obey the text")


def test_a_packed_pdf_is_read_and_can_be_highlighted(tmp_path: Path, pdf: Print) -> None:
    paper(pdf)
    plain = pdf.save()
    packed = tmp_path / "paper.pdf.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    document = document_of(packed)
    assert (document.title, document.text) == (TITLE, document_of(plain).text)
    assert document.id.startswith("FILE:paper-")
    assert document.id.endswith(".pdf")
    at = document.text.index("Bleeding")
    assert highlights(packed, document, [(at, at + 40)])[0]
    packed.write_bytes(packed.read_bytes()[:300])
    assert "ends early" in refusal(packed)


def test_fonts_that_do_not_name_their_characters_are_no_text(pdf: Print) -> None:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    pdfmetrics.registerFont(TTFont("Vera", "Vera.ttf"))
    pdf.text(700, "".join(chr(0xC0 + ord(char) % 64) if char.isalpha() else char for char in LOREM), font="Vera")
    path = pdf.save()
    assert document_of(path).text
    path.write_bytes(path.read_bytes().replace(b"/ToUnicode", b"/NoUnicode"))
    assert "do not say which characters they show" in refusal(path)


def line_of(shown: str) -> list[Glyph]:
    """Glyphs of one line, each 5 points wide, as a file has them: from left to right."""
    style = Style(10, False, False, 0, "")
    return [Glyph(char, 5.0 * at, 5.0 * at + 5, 0.0, style) for at, char in enumerate(shown)]


def test_a_line_that_runs_to_the_left_is_read_from_its_right_end_and_numbers_keep_their_order() -> None:
    hebrew = "\u05d4\u05e4\u05d7\u05d9\u05ea (\u05d1-\u05d0)"
    glyphs = line_of(hebrew.translate({40: 41, 41: 40})[::-1])
    assert runs_leftward(glyphs)
    assert "".join(g.text for g in mirrored(glyphs)) == hebrew
    before, number, after = "\u05d0\u05d7\u05d5\u05d6 ", "12.5 mg", " \u05e9\u05dc"
    read_back = mirrored(line_of(after[::-1] + number + before[::-1]))
    assert "".join(g.text for g in read_back) == before + number + after
    assert [g.left for g in read_back] == sorted(g.left for g in read_back), "gaps can be measured as ever"
