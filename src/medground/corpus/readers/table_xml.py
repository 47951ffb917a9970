"""The tables of JATS, in the markup of HTML or of OASIS: cells with what they span, and footnotes by their marks."""

import re
from collections.abc import Iterator

from lxml import etree

from medground.corpus.readers.table_rows import Cell, lines_of
from medground.corpus.readers.xml import Element, flat_text, name_of

_MARK = re.compile(r"[a-z*†‡§¶‖#, ]{1,5}|\d")
_INDENTED = re.compile(r"[\u00a0\u2000-\u200a\u3000]|  ")
_LONGEST_NOTE = 200
_CELLS = ("td", "th", "entry")
_GONE = "mark"


def table_lines(wrap: Element) -> Iterator[str]:
    """The rows of the tables of a `table-wrap` as sentences, then its footnotes."""
    notes: dict[str, str] = {}
    for note in wrap.iterfind("table-wrap-foot//fn"):
        mark, text = flat_text(note.find("label")), flat_text(note, leave_out=("label",))
        notes.update((key, text) for key in (note.get("id"), mark) if key)
    for note in wrap.iterfind("table-wrap-foot//p"):
        if not (note.text or "").strip() and len(note) and name_of(note[0]) == "sup":
            mark = flat_text(note[0])
            notes.setdefault(mark, flat_text(note).removeprefix(mark).strip())
    for table in wrap.iter("table", "tgroup"):
        _take_marks(table, notes)
        heads = len([*table.iterfind("thead/tr"), *table.iterfind("thead/row")])
        rows = [[_cell(cell) for cell in row if name_of(cell) in _CELLS] for row in table.iter("tr", "row")]
        yield from lines_of([row for row in rows if row], heads or None)
    foot = wrap.find("table-wrap-foot")
    for part in foot if foot is not None else ():
        if text := flat_text(part):
            yield text


def _take_marks(table: Element, notes: dict[str, str]) -> None:
    """Take the marks of footnotes out of the cells, which keep what the footnotes say: `20.1a` is no value."""
    for mark in [*table.iter("xref", "sup")]:
        said = flat_text(mark)
        refers = name_of(mark) == "xref" and mark.get("ref-type") in ("table-fn", "fn", "table")
        if (refers or (name_of(mark) == "sup" and said in notes)) and _MARK.fullmatch(said):
            cell = next((outer for outer in mark.iterancestors() if name_of(outer) in _CELLS), None)
            note = notes.get(mark.get("rid") or "") or notes.get(said)
            if cell is not None and note and len(note) <= _LONGEST_NOTE:
                cell.set("note", "\n".join(filter(None, (cell.get("note"), note))))
            mark.tag = _GONE
    etree.strip_elements(table, _GONE, with_tail=False)


def _cell(cell: Element) -> Cell:
    start, style = next(cell.itertext(), ""), cell.get("style") or ""
    return Cell(
        flat_text(cell),
        is_head=cell.tag == "th",
        is_indented=bool(_INDENTED.match(start.lstrip("\n"))) or "indent" in style or "padding-left" in style,
        rows=_span(cell.get("rowspan")) if not cell.get("morerows") else _span(cell.get("morerows")) + 1,
        columns=_span(cell.get("colspan")),
        notes=tuple(filter(None, (cell.get("note") or "").split("\n"))),
    )


def _span(value: str | None) -> int:
    return int(value) if value and value.isdecimal() and len(value) < 5 else 1
