"""What a Word file prints: the characters of its paragraphs, the cells of its tables, its notes.

Deleted, moved and hidden text is left out. Text that prints but cannot be read is counted and reported.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from textwrap import shorten

from lxml.etree import _Element as Element

from medground.corpus.readers.compose import caution_on_hidden, written
from medground.corpus.readers.table_rows import Cell
from medground.corpus.readers.word_formulas import NOT_PRINTED, formula_text
from medground.corpus.readers.word_styles import VAL, Look, Styles, W, is_hidden, is_on, look_of, value_at
from medground.corpus.readers.xml import name_of
from medground.home.files import tables

_SIGNS: Mapping[str, str] = {font: table["signs"] for font, table in tables("corpus/readers", "symbol_fonts").items()}
_FIRST_SIGN = 0x20
_PRIVATE = range(0xF000, 0xF100)
"""Where Word puts the characters of fonts of signs."""
_PRINTED = {**dict.fromkeys(("tab", "br", "cr", "ptab"), " "), "noBreakHyphen": "-"}
_NOTES = ("footnoteReference", "endnoteReference")
_UNREAD = {"altChunk": "embedded file", "checkBox": "box to tick", "ddList": "list to choose from"}
_DRAWN = ("diagram", "chart")
_CITES = re.compile(r"ADDIN|CITATION|NOTEREF|CITE")
_SHOWN = 100
_MOST_COLUMNS = 1_000


def within(outer: Iterable[Element], *names: str) -> Iterator[Element]:
    """The elements of these names in order, also in content controls and the like, but none in another of them."""
    for part in outer:
        name = name_of(part)
        if name in names:
            yield part
        elif name not in NOT_PRINTED:
            yield from within(part, *names)


class Printed:
    """The texts of one file as they print; what is not in them is kept, for its cautions.

    Args:
        styles: the styles of the file.
        notes: its footnotes and endnotes, by the name of what refers to them and their number.
    """

    def __init__(self, styles: Styles, notes: Mapping[tuple[str, str], Element]) -> None:
        self._styles = styles
        self._notes = notes
        self._style = ""
        self._beside: list[str] = []
        self._hidden: list[str] = []
        self._struck: list[str] = []
        self._unread = Counter[str]()
        self._cites = False

    def paragraph(self, paragraph: Element) -> str:
        """The text of a paragraph; its notes and text boxes wait for `beside`."""
        outer = self._style, self._cites
        self._style, self._cites = value_at(paragraph, "pPr/pStyle"), False
        parts: list[str] = []
        self._collect(paragraph, parts)
        self._style, self._cites = outer
        return " ".join("".join(parts).split())

    def beside(self) -> list[str]:
        """The notes and text boxes of the paragraphs that were read last."""
        found, self._beside = self._beside, []
        return [text for text in found if text]

    def rows(self, table: Element) -> list[list[Cell]]:
        """The rows of a table; a cell that is merged with others stands in each of their places."""
        grid: list[list[Cell]] = []
        for row in within(table, "tr"):
            if row.find(f"{W}trPr/{W}del") is not None:
                continue
            cells = [Cell("")] * _number(value_at(row, "trPr/gridBefore"), 0)
            for cell in within(row, "tc"):
                merged = cell.find(f"{W}tcPr/{W}vMerge")
                follows = merged is not None and merged.get(VAL, "continue") == "continue"
                above = grid[-1][len(cells)] if follows and grid and len(cells) < len(grid[-1]) else None
                cells += [above or Cell(self._flat(cell))] * _number(value_at(cell, "tcPr/gridSpan"), 1)
            grid.append(cells)
        return grid

    def _flat(self, outer: Element) -> str:
        """Paragraphs on one line; of a table among them, the cells."""
        found = (
            self._flat_table(block) if name_of(block) == "tbl" else self.paragraph(block) for block in blocks(outer)
        )
        return " ".join(filter(None, found))

    def _flat_table(self, table: Element) -> str:
        rows = ([self._flat(cell) for cell in within(row, "tc")] for row in within(table, "tr"))
        return "; ".join(text for row in rows if (text := ", ".join(filter(None, row))))

    def cautions(self, body: Element) -> tuple[str, ...]:
        """What a reader must know of the file: what of it is not in the text."""
        told = [*caution_on_hidden(self._hidden, "The file")]
        if struck := " ".join(self._struck).strip():
            shown = shorten(struck, _SHOWN, placeholder=" …")
            told.append(f"The file has text that is struck out; it was left out: “{shown}”")
        if self._unread:
            counted = ", ".join(f"{what} ({count})" for what, count in sorted(self._unread.items()))
            told.append(f"The file has parts that could not be read: {counted}")
        if comments := sum(1 for _ in body.iter(f"{W}commentReference")):
            told.append(f"The file has comments beside its text ({comments}); they were left out")
        return tuple(told)

    def _collect(self, outer: Iterable[Element], parts: list[str]) -> None:
        for node in outer:
            name = name_of(node)
            if name == "r":
                self._run(node, parts)
            elif name == "oMath":
                parts.append(formula_text(node))
            elif name == "txbxContent":
                self._beside.append(self._flat(node))
            elif name == "textpath":
                self._beside.append(node.get("string", ""))
            elif name in _PRINTED:  # as in slides
                parts.append(_PRINTED[name])
            elif what := _what_is_unread(node, name):
                self._unread[what] += 1
            elif name not in NOT_PRINTED:
                self._collect(node, parts)

    def _run(self, run: Element, parts: list[str]) -> None:
        """What a run prints: text, signs of fonts, hyphens; a raised number is what it means."""
        own = self._look(run)
        look = {**self._styles.look(self._style, own.get("rStyle", "")), **own}
        said: list[str] = []
        for node in run:
            name = name_of(node)
            if name in ("t", "sym"):
                said.append(self._characters(node, name, look.get("rFonts", "")))
            elif name in _PRINTED:
                said.append(_PRINTED[name])
            elif name in ("fldChar", "instrText"):
                self._field(node, name)
            elif name in _NOTES:
                said.append(self._note(name, node.get(f"{W}id", "")))
            elif name == "ruby":
                self._collect(within(node, "rubyBase"), said)
            elif len(node):
                self._collect((node,), said)
        text = "".join(said)
        if is_hidden(run, look):
            self._hidden.append(text)
        elif is_on(look, "strike") or is_on(look, "dstrike"):
            self._struck.append(text)
        elif look.get("vertAlign") != "superscript":
            parts.append(text)
        else:
            parts.append(self._raised(text, "".join(parts[-3:])))

    def _note(self, kind: str, number: str) -> str:
        """What stands for a note, which prints below."""
        note = self._notes.get((kind, number))
        self._beside += [] if note is None else [self._flat(note)]
        return ""

    def _look(self, run: Element) -> Look:
        """How a run is set by itself."""
        return look_of(run.find(f"{W}rPr"))

    def _raised(self, text: str, before: str) -> str:
        """What stands for raised text; others than readers mark it."""
        return "" if self._cites else written(text, before)

    def _field(self, node: Element, name: str) -> None:
        """Follow a field: what a reference manager shows raised is a citation, also after a number."""
        if name == "instrText":
            self._cites = self._cites or _CITES.search(node.text or "") is not None
        elif node.get(f"{W}fldCharType") == "end":
            self._cites = False

    def _characters(self, node: Element, name: str, font: str) -> str:
        """A text, or one sign of a font; the letters of a font of signs are what they look like."""
        if name == "sym":
            return self._sign(_hexadecimal(node.get(f"{W}char", "")), node.get(f"{W}font", ""))
        text = node.text or ""
        if font not in _SIGNS and text.isprintable():  # an ordinary text
            return text
        codes = ((letter, ord(letter)) for letter in text)
        return "".join(
            self._sign(code, font if font in _SIGNS else "Symbol")
            if code in _PRIVATE or (font in _SIGNS and letter.isascii())
            else letter
            for letter, code in codes
        )

    def _sign(self, code: int, font: str) -> str:
        """What a character of a font of signs shows; one that is not known is counted."""
        signs = _SIGNS.get(font, "")
        code -= _PRIVATE.start if code in _PRIVATE else 0
        if _FIRST_SIGN <= code < _FIRST_SIGN + len(signs):
            return signs[code - _FIRST_SIGN]
        self._unread[f"sign of the font {font}"] += 1
        return "\ufffd"


def blocks(outer: Iterable[Element]) -> Iterator[Element]:
    """Paragraphs and tables, in order; what is in a table that only frames it stands by itself."""
    for block in within(outer, "p", "tbl", "oMathPara"):
        cells = [[*within(row, "tc")] for row in within(block, "tr")] if name_of(block) == "tbl" else []
        if cells and all(len(row) == 1 for row in cells):
            yield from (inner for row in cells for inner in blocks(row[0]))
        else:
            yield block


def _number(said: str, otherwise: int) -> int:
    return min(int(said), _MOST_COLUMNS) if said.isdecimal() else otherwise


def _hexadecimal(said: str) -> int:
    try:
        return int(said, 16)
    except ValueError:
        return 0


def _what_is_unread(node: Element, name: str) -> str:
    """What prints and cannot be read, such as a formula of old Word; empty of anything else."""
    if name == "OLEObject":
        return "formula kept as an object" if node.get("ProgID", "").startswith("Equation") else "embedded object"
    drawn = node.get("uri", "").rpartition("/")[2] if name == "graphicData" else ""
    return drawn if drawn in _DRAWN else _UNREAD.get(name, "")
