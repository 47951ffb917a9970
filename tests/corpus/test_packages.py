"""Workbooks, slides, e-books and pages saved in one file: what is read of them, and what is refused."""

from email.mime.image import MIMEImage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from pathlib import Path

import pytest
from package_files import Value, ebook, frame, packed, run, shape, slides, workbook
from read_files import document_of, items_of, pieces, refusal
from rows import each_row

from medground.errors import BadDocument
from medground.values.document import Document

pytest.importorskip("trafilatura")

HEAD: list[Value] = ["Title", "Authors", "Year", "Abstract", "PMID", "Day", "Share", "Cost", "Code", "Seen"]


def test_each_sheet_of_records_is_read_as_a_table_with_its_numbers_as_shown(tmp_path: Path) -> None:
    raised = (
        "<r><t>Warm socks and 10</t></r><r><rPr><vertAlign val='superscript'/></rPr><t>6</t></r><r><t> cells</t></r>"
    )
    day, moment = (43164.0, 1), (43164.5, 6)
    first: list[list[Value]] = [["Screened on 3 May"], [], HEAD]
    first += [[raised, "Lund, M.; Oz, A.", (43164.0, 5), "Warm in 4.\nNone lost.", 90510071.0, day, (0.415, 2)]]
    first[-1] += [(1234.5, 3), (71.0, 4), moment]
    sheets: dict[str, list[list[Value]]] = {
        "Included": first,
        "Later": [["PMID", "Title"], ["90510073", "Bare feet"]],
        "Legend": [["Red", "out"]],
    }
    path = workbook(tmp_path / "a.xlsx", {**sheets, "Empty": [], "Secret": [["Title"], ["X"]]}, hidden="Secret")
    one, two, *refused = items_of(path)
    assert isinstance(one, Document) and isinstance(two, Document)
    assert (one.id, one.title, one.authors) == ("PMID:90510071", "Warm socks and 10^6 cells", ("Lund M", "Oz A"))
    assert (one.year, one.text) == (2018, "Warm in 4.\nNone lost.")
    shown = [one.metadata[name][0] for name in ("day", "share", "cost", "code", "seen")]
    assert shown == ["2018-03-05", "41.5%", "1,234.50", "00071", "2018-03-05 12:00"]
    assert (two.id, two.text) == ("PMID:90510073", "Bare feet")
    assert [item.reason[:26] for item in refused if isinstance(item, BadDocument)] == [
        "sheet “Legend”: no column ",
        "sheet “Secret”: hidden in ",
    ]


def test_a_workbook_without_records_names_the_columns_that_it_wants(tmp_path: Path) -> None:
    said = refusal(workbook(tmp_path / "a.xlsx", {"Weights": [["Patient", "kg"], [1.0, 70.0]]}))
    assert "sheet “Weights”: no column is a title or a text; name the columns" in said
    assert "Title, Authors, Year, Abstract, DOI, PMID" in said


def test_slides_have_their_number_as_page_with_tables_and_notes(tmp_path: Path) -> None:
    cells = [[("Arm", ""), ("Sweats", 'gridSpan="2"'), ("", 'hMerge="1"')], [("", ""), ("Week 1", ""), ("Week 12", "")]]
    cells += [[("Sage", ""), ("6.1", ""), ("3.4", "")]]
    rows = "".join(
        f"<a:tr>{''.join(f'<a:tc {look}><a:p>{run(text)}</a:p></a:tc>' for text, look in row)}</a:tr>" for row in cells
    )
    raised = run("Cells were 10") + run("6", 'baseline="30000"') + run("/mL.")
    results = shape(run("Results"), place="title") + shape(run("Sweats fell.") + "<a:br/>" + raised)
    path = slides(
        tmp_path / "ward.pptx",
        (shape(run("Sage for sweats"), place="ctrTitle") + shape(run("Ward round"), place="subTitle"), "", ""),
        (results + frame("table", f"<a:tbl>{rows}</a:tbl>") + frame("chart"), "Three women left.", ""),
        (shape(run("Nobody sees 99.")), "", 'show="0"'),
        (shape(run("It has 12 beds."), run("All full.")), "", ""),
    )
    document = document_of(path)
    assert document.title == "Sage for sweats"
    assert pieces(document) == [
        ("Sage for sweats", "Ward round"),
        ("Results", "Sweats fell. Cells were 10^6/mL.\n\nSage | Sweats, Week 1: 6.1 | Sweats, Week 12: 3.4"),
        ("Results > Notes", "Three women left."),
        ("Slide 4", "It has 12 beds.\n\nAll full."),
    ]
    assert [document.page_at(document.text.index(words)) for words in ("Ward", "3.4", "Three", "beds")] == [1, 2, 2, 4]
    assert len(document.cautions) == 2 and "hidden" in document.cautions[0] and "chart (1)" in document.cautions[1]


def test_an_ebook_in_the_order_of_its_pages(tmp_path: Path) -> None:
    table = "<table><tr><th>Age</th><th>Dose</th></tr><tr><td>12 to 18</td><td>125 mg</td></tr></table>"
    pages = {
        "cover.xhtml": "<html><body><img src='c.png'/></body></html>",
        "text/one%202.xhtml": f"<body><h1>Sage</h1><p>It is a herb.</p><h2>Dose</h2><p>Take it.</p>{table}</body>",
        "a.xhtml": "<html><head><title>Thyme</title></head><body><p>It eases cough.</p></body></html>",
    }
    document = document_of(ebook(tmp_path / "a.epub", pages))
    assert (document.title, document.authors, document.year, document.kind) == ("Herbs", ("Ana Gil",), 2019, "book")
    assert pieces(document) == [
        ("Sage", "It is a herb."),
        ("Sage > Dose", "Take it.\n\n12 to 18 | Dose: 125 mg"),
        ("Thyme", "It eases cough."),
    ]
    assert pieces(document_of(ebook(tmp_path / "c.epub", pages, times=2_000))) == pieces(document)
    assert "DRM" in refusal(ebook(tmp_path / "b.epub", pages, locked="a.xhtml"))


def test_a_page_saved_in_one_file(tmp_path: Path) -> None:
    long = "Sweats fell from 6 to 3 a week in women who took sage for wärmth in all of the clinics. " * 3
    page = f"<html><head><title>Sage</title></head><body><article><h1>Sage</h1><p>{long}</p></article></body></html>"
    mail = MIMEMultipart("related")
    mail["From"] = "<Saved by Blink>"
    part = MIMEText(page, "html", "iso-8859-2")
    part["Content-Location"] = "https://sage.example/one"
    mail.attach(MIMEImage(b"\x89PNG\r\n\x1a\n0000", "png"))
    mail.attach(part)
    for name in ("sage.mhtml", "sage"):
        (tmp_path / name).write_bytes(mail.as_bytes())
        document = document_of(tmp_path / name)
        assert (document.title, document.text, document.url) == ("Sage", long.strip(), "https://sage.example/one")
    mail.set_payload([MIMEImage(b"\x89PNG\r\n\x1a\n0000", "png")])
    (tmp_path / "picture.mht").write_bytes(mail.as_bytes())
    assert "holds no HTML" in refusal(tmp_path / "picture.mht")


SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{}</sheetData></worksheet>'
)
FOREIGN = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'


@each_row(
    "sheet, said",
    [
        (FOREIGN + SHEET.format("<row/>"), "declares entities"),
        (SHEET.format('<row><c r="XFD1"><v>1</v></c></row>'), "more than 2,000 columns"),
        (SHEET.format('<row><c t="s"><v>99</v></c></row>'), "damaged or cut off"),
        (SHEET.format('<row><c t="inlineStr"><is><t>' + 20_000_000 * " " + "</t></is></c></row>"), "too long"),
        (SHEET.format('<row r="1"/>'), "no sheet with cells"),
    ],
)
def test_hostile_sheets_give_one_line(tmp_path: Path, sheet: str, said: str) -> None:
    line = refusal(workbook(tmp_path / "a.xlsx", {"A": sheet}))
    assert said in line and "\n" not in line


def test_hostile_and_damaged_packages_give_one_line(tmp_path: Path) -> None:
    spaces = " " * 90_000_000
    made = {
        "more than 80,000,000 bytes": slides(tmp_path / "a.pptx", (spaces, "", "")),
        "declares entities": packed(
            tmp_path / "b.epub", {"META-INF/container.xml": f"{FOREIGN}<container>&a;</container>"}
        ),
        "cannot be read": ebook(tmp_path / "c.epub", {"../../etc/passwd": "<p>Out.</p>"}),
        "no text": slides(tmp_path / "d.pptx", ("", "", "")),
    }
    for said, path in made.items():
        assert said in refusal(path)
    for name in ("x.xlsx", "x.pptx", "x.epub"):
        whole = (tmp_path / "a.pptx").read_bytes()
        (tmp_path / name).write_bytes(whole[: len(whole) // 2])
        assert "damaged or cut off" in refusal(tmp_path / name)
        (tmp_path / name).write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1" + bytes(5000))
        assert "protected by a password" in refusal(tmp_path / name)


def test_a_damaged_sheet_beside_a_good_one_is_named(tmp_path: Path) -> None:
    good, bad = items_of(workbook(tmp_path / "a.xlsx", {"Good": [["Title"], ["Warm socks"]], "Bad": "<worksheet>"}))
    assert isinstance(good, Document) and isinstance(bad, BadDocument) and "sheet “Bad”" in str(bad)
