"""Excel workbooks (XLSX): each sheet that is a table of records is read as a CSV file is.

Read with zipfile and lxml, which are here anyway. openpyxl gives no number as Excel shows it either, and had no release
since June 2024.
"""

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from itertools import chain
from pathlib import Path

from medground.corpus.readers.base import Item, valid
from medground.corpus.readers.compose import written
from medground.corpus.readers.packages import link_of, linked, linked_as, part_xml, unpacking
from medground.corpus.readers.spreadsheet import table_items
from medground.corpus.readers.xml import Element, name_of, records
from medground.errors import BadDocument

_MOST_COLUMNS = 2_000
_ESCAPED = re.compile(r"_x([0-9A-F]{4})_")
_DAY = frozenset("ydhs")
_FORMATS: Mapping[int, str] = {
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    **dict.fromkeys((*range(14, 23), 45, 46, 47), "yyyy-mm-dd"),
}
"""Formats of numbers that no file writes out."""
_LITERAL = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|[_*].|general|;.*')
_DECIMALS = re.compile(r"\.([0#?]+)")


def read_xlsx(path: Path) -> Iterator[Item]:
    """The records of all sheets, then which of them are no tables of records or hidden.

    Raises BadDocument: none is.
    """
    refused: list[BadDocument] = []
    is_read = False
    for name, rows in sheets_of(path):
        try:
            with valid(path), unpacking("XLSX"):
                for first in rows:
                    yield from table_items(chain([first], rows), path)
                    is_read = True
        except BadDocument as refusal:
            reason = f"sheet “{name}”: {refusal.reason}"
            refused.append(BadDocument(reason, file=path, position=refusal.position))
    if not is_read:
        raise refused[0] if refused else BadDocument("the workbook has no sheet with cells", file=path)
    yield from refused


def sheets_of(path: Path) -> Iterator[tuple[str, Iterator[tuple[int, list[str]]]]]:
    """The sheets, each with the texts of its rows that are not empty and their numbers; read in turn.

    Raises BadDocument: it is no workbook.
    """
    with valid(path), unpacking("XLSX"), zipfile.ZipFile(path) as archive:
        top = zipfile.Path(archive, "xl/workbook.xml")
        book, parts = part_xml(top), linked(top)
        strings = [_said(one) for part in linked_as(top, "sharedStrings") for one in records(part, {"si"}, {"sst"})]
        formats = [one for part in linked_as(top, "styles") for one in _formats(part_xml(part))]
        is_of_mac = book.find("{*}workbookPr[@date1904='1']") is not None
        cells = Cells(strings, formats, datetime(1904, 1, 1) if is_of_mac else datetime(1899, 12, 30))
        for sheet in book.iterfind("{*}sheets/{*}sheet"):
            kind, part = parts[link_of(sheet)]
            if kind == "worksheet":
                is_shown = sheet.get("state", "visible") == "visible"
                yield sheet.get("name", ""), cells.rows(part) if is_shown else _hidden()


def _hidden() -> Iterator[tuple[int, list[str]]]:
    yield from ()
    raise ValueError("hidden in the workbook; show it there to have it read")


def _formats(styles: Element) -> Iterator[str]:
    """How the number of a cell is shown, by the number of its style, without literal text."""
    own = {one.get("numFmtId"): one.get("formatCode", "") for one in styles.iterfind("{*}numFmts/{*}numFmt")}
    for style in styles.iterfind("{*}cellXfs/{*}xf"):
        number = style.get("numFmtId", "0")
        yield _LITERAL.sub("", own.get(number, _FORMATS.get(int(number), "")).casefold())


def _said(item: Element) -> str:
    """A text of several runs, without how it is pronounced; a raised number is what it means."""
    parts: list[str] = []
    for node in item.iterfind(".//{*}t"):
        text, (run, *_) = node.text or "", node.iterancestors()
        if run.find("{*}rPr/{*}vertAlign[@val='superscript']") is not None:
            text = written(text, "".join(parts[-3:]))
        if name_of(run) != "rPh":
            parts.append(text)
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), "".join(parts))


@dataclass(frozen=True)
class Cells:
    """What the cells of a workbook show.

    Args:
        strings: the texts that its cells share.
        formats: how numbers are shown, by the number of a cell's style.
        begins: the day from which days are counted.
    """

    strings: Sequence[str]
    formats: Sequence[str]
    begins: datetime

    def rows(self, part: zipfile.Path) -> Iterator[tuple[int, list[str]]]:
        """The rows of a sheet that are not empty, and their numbers."""
        number = 0
        for row in records(part, {"row"}, {"worksheet"}):
            number = int(row.get("r", number + 1))
            found: dict[int, str] = {}
            column = 0
            for cell in row.iterfind("{*}c"):
                letters = cell.get("r", "").rstrip("0123456789")
                column = reduce(lambda total, letter: 26 * total + ord(letter) - 64, letters, 0) or column + 1
                if text := self._text(cell).strip():
                    found[column] = text
            last = max(found, default=0)
            if last > _MOST_COLUMNS:
                raise ValueError(f"more than {_MOST_COLUMNS:,} columns; split it")
            if found:
                yield number, [found.get(at, "") for at in range(1, last + 1)]

    def _text(self, cell: Element) -> str:
        value = cell.findtext("{*}v") or ""
        match cell.get("t", "n"):
            case "inlineStr":
                return _said(cell)
            case "s":
                return self.strings[int(value)]
            case "b":
                return str(value == "1").upper()
            case "n" if value:
                return self._number(float(value), self.formats[int(cell.get("s", 0))] if self.formats else "")
            case "e":
                return ""
        return value

    def _number(self, number: float, code: str) -> str:
        """A number as its format shows it; a day as ISO writes it, so that no one takes the month for the day."""
        if _DAY.intersection(code):
            at = self.begins + timedelta(seconds=round(86_400 * number))
            form = "%Y-%m-%d" if number.is_integer() else "%H:%M" if number < 1 else "%Y-%m-%d %H:%M"
            return f"{at:{'%Y' if set(code) == {'y'} else form}}"
        decimals = _DECIMALS.search(code)
        places = len(decimals[1]) if decimals else 0
        if "%" in code:
            return f"{100 * number:.{places}f}%"
        if not code.strip("0"):  # whole, with zeros before it, or as it is
            return f"{number:.0f}".zfill(len(code)) if code or number.is_integer() else f"{number:.11g}"
        shown = f"{number:{',' * (',' in code)}.{places}f}"
        return shown.rstrip("0").rstrip(".") if decimals and "#" in decimals[1] else shown
