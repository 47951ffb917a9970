"""Small packages: workbooks, slides and e-books, each part as the programs write it."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

_OFFICE = "http://schemas.openxmlformats.org"
_LINKS = f"{_OFFICE}/officeDocument/2006/relationships"
_NAMES = f'xmlns:r="{_LINKS}"'
Linked = Mapping[str, tuple[str, str]]


def packed(path: Path, parts: Mapping[str, str]) -> Path:
    """A zip file of these parts."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def links(to: Linked) -> str:
    """What a part refers to: kind and place by the id."""
    lines = (f'<Relationship Id="{i}" Type="{_LINKS}/{kind}" Target="{at}"/>' for i, (kind, at) in to.items())
    return f'<Relationships xmlns="{_OFFICE}/package/2006/relationships">{"".join(lines)}</Relationships>'


Value = str | float | tuple[float, int]
"""A text, a number, or a number with its style."""
FORMATS = ("General", "yyyy\\-mm\\-dd", "0.0%", "#,##0.00", "00000", "yyyy", "dd/mm/yyyy hh:mm")


def _cell(place: str, value: Value) -> str:
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is>{value if value[:1] == "<" else f"<t>{escape(value)}</t>"}</is></c>'
    number, style = value if isinstance(value, tuple) else (value, 0)
    return f'<c r="{place}" s="{style}"><v>{number!r}</v></c>'


def _row(at: int, row: Sequence[Value]) -> str:
    cells = (_cell(f"{chr(64 + n)}{at}", value) for n, value in enumerate(row, start=1) if value != "")
    return f'<row r="{at}">{"".join(cells)}</row>'


def workbook(path: Path, sheets: Mapping[str, Sequence[Sequence[Value]] | str], hidden: str = "") -> Path:
    """A workbook of these sheets, each as its rows or as its XML; `FORMATS` are its styles."""
    space = f'xmlns="{_OFFICE}/spreadsheetml/2006/main"'
    to, parts, listed = {"styles": ("styles", "styles.xml")}, {}, ""
    for number, (name, rows) in enumerate(sheets.items(), start=1):
        lines = "" if isinstance(rows, str) else "".join(_row(at, row) for at, row in enumerate(rows, start=1))
        sheet = rows if isinstance(rows, str) else f"<worksheet {space}><sheetData>{lines}</sheetData></worksheet>"
        parts[f"xl/worksheets/sheet{number}.xml"] = sheet
        to[f"r{number}"] = ("worksheet", f"worksheets/sheet{number}.xml")
        state = ' state="hidden"' if name == hidden else ""
        listed += f'<sheet name="{name}"{state} r:id="r{number}"/>'
    own = "".join(f'<numFmt numFmtId="{200 + n}" formatCode="{form}"/>' for n, form in enumerate(FORMATS))
    styles = "".join(f'<xf numFmtId="{200 + n}"/>' for n in range(len(FORMATS)))
    parts["xl/styles.xml"] = f"<styleSheet {space}><numFmts>{own}</numFmts><cellXfs>{styles}</cellXfs></styleSheet>"
    parts["xl/workbook.xml"] = f"<workbook {space} {_NAMES}><sheets>{listed}</sheets></workbook>"
    return packed(path, {**parts, "xl/_rels/workbook.xml.rels": links(to)})


_DRAWN = f'xmlns:a="{_OFFICE}/drawingml/2006/main" xmlns:p="{_OFFICE}/presentationml/2006/main" {_NAMES}'


def shape(*paragraphs: str, place: str = "") -> str:
    """A box of a slide with paragraphs of runs, in a place of its layout."""
    filled = f'<p:ph type="{place}"/>' if place else ""
    texts = "".join(f"<a:p>{paragraph}</a:p>" for paragraph in paragraphs)
    return f"<p:sp><p:nvSpPr><p:nvPr>{filled}</p:nvPr></p:nvSpPr><p:txBody>{texts}</p:txBody></p:sp>"


def run(text: str, look: str = "") -> str:
    return f"<a:r><a:rPr {look}/><a:t>{escape(text)}</a:t></a:r>"


def frame(kind: str, inside: str = "") -> str:
    """What is drawn in a frame: a table, a chart."""
    data = f'<a:graphicData uri="{_OFFICE}/drawingml/2006/{kind}">{inside}</a:graphicData>'
    return f"<p:graphicFrame><a:graphic>{data}</a:graphic></p:graphicFrame>"


def slides(path: Path, *made: tuple[str, str, str]) -> Path:
    """Slides, each as its shapes, its notes and its attributes; the first is the last part."""
    to, parts, listed = {}, {}, ""
    for number, (shapes, notes, attributes) in enumerate(made):
        part = f"slides/slide{len(made) - number}.xml"
        parts[f"ppt/{part}"] = f"<p:sld {_DRAWN} {attributes}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
        to[f"r{number}"] = ("slide", part)
        listed += f'<p:sldId r:id="r{number}"/>'
        if notes:
            body = f"<p:notes {_DRAWN}>{shape(run(notes), place='body')}{shape(run('7'), place='sldNum')}</p:notes>"
            parts["ppt/notesSlides/notes.xml"] = body
            parts[f"ppt/slides/_rels/slide{len(made) - number}.xml.rels"] = links(
                {"n": ("notesSlide", "../notesSlides/notes.xml")}
            )
    deck = f"<p:presentation {_DRAWN}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>"
    return packed(path, {"ppt/presentation.xml": deck, "ppt/_rels/presentation.xml.rels": links(to), **parts})


def ebook(path: Path, pages: Mapping[str, str], *, locked: str = "", times: int = 1) -> Path:
    """An e-book of these pages by their addresses, in the order of the book, which is listed so many times."""
    items = "".join(f'<item id="i{n}" href="{at}"/>' for n, at in enumerate(pages))
    order = "".join(f'<itemref idref="i{n}"/>' for n, _ in enumerate(pages))
    about = "<dc:title>Herbs</dc:title><dc:creator>Ana Gil</dc:creator><dc:date>2019-02</dc:date>"
    book = f"<metadata>{about}</metadata><manifest>{items}</manifest><spine>{order * times}</spine>"
    parts = {
        "META-INF/container.xml": '<container><rootfile full-path="OEBPS/book.opf"/></container>',
        "OEBPS/book.opf": f'<package xmlns:dc="http://purl.org/dc/elements/1.1/">{book}</package>',
        **{f"OEBPS/{at.replace('%20', ' ')}": page for at, page in reversed([*pages.items()])},
    }
    if locked:
        parts["META-INF/encryption.xml"] = f'<encryption><CipherReference URI="OEBPS/{locked}"/></encryption>'
    return packed(path, parts)
