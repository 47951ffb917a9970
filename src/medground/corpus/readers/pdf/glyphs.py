"""The glyphs of a PDF page, read with PDFium: what is printed where, in which style, and what is invisible."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import normalize

from medground.corpus.banners import is_stamp
from medground.corpus.readers.base import content_of, is_packed

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfObject, PdfPage, PdfTextPage

# What is stamped over a page: a watermark in large or turned letters, or a stamp that a viewer draws over it.

_LARGE = 24.0
"""Size in points from which upright letters are a stamp."""
_WORD = re.compile(r"(?i)(retracted|withdrawn)")
_LONGEST = 400
_MOST_NOTES = 100
_NOTE_BYTES = 2000


def unstamped(glyphs: Sequence[Glyph]) -> tuple[list[Glyph], str]:
    """The glyphs without a stamp that says that the paper was retracted, and what the stamp says."""
    most = Counter(g.style.quadrant for g in glyphs).most_common(1)[0][0] if glyphs else 0
    kept: list[Glyph] = []
    said = ""
    for style, run in groupby(glyphs, key=lambda glyph: glyph.style):
        letters = list(run)
        if not style.hidden and len(letters) <= _LONGEST and (words := _stamp("".join(g.text for g in letters))):
            bases = [g.base for g in letters if g.text.strip()]
            if style.size >= _LARGE or style.quadrant != most or max(bases) - min(bases) > style.size:
                said = said or words
                continue
        kept += letters
    return kept, said


def stamped_on(page: PdfPage) -> str:
    """What a stamp, a watermark or a text box that lies on the page says, if it is that the paper was retracted."""
    import pypdfium2.raw as pdfium

    kinds = (pdfium.FPDF_ANNOT_STAMP, pdfium.FPDF_ANNOT_FREETEXT, pdfium.FPDF_ANNOT_WATERMARK)
    for at in range(min(pdfium.FPDFPage_GetAnnotCount(page.raw), _MOST_NOTES)):
        note = pdfium.FPDFPage_GetAnnot(page.raw, at)
        try:
            if pdfium.FPDFAnnot_GetSubtype(note) in kinds and (words := _stamp(_contents(note))):
                return words
        finally:
            pdfium.FPDFPage_CloseAnnot(note)
    return ""


def _contents(note: object) -> str:
    import pypdfium2.raw as pdfium

    size = pdfium.FPDFAnnot_GetStringValue(note, b"Contents", None, 0)
    if not 2 < size <= _NOTE_BYTES:
        return ""
    buffer = (ctypes.c_ushort * (size // 2))()
    pdfium.FPDFAnnot_GetStringValue(note, b"Contents", buffer, size)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0")


def _stamp(text: str) -> str:
    """The words of a stamp, each once, as one may be repeated over the page; empty if it says anything else."""
    parts = text.split()
    if all(len(part) == 1 for part in parts):  # R E T R A C T E D
        text = "".join(parts)
    words = " ".join(dict.fromkeys(_WORD.sub(r" \1 ", text).split()))
    return words if words and is_stamp(words) else ""


_TINY = 2.0
"""Smallest size in points that anybody can read on paper."""
_BRIGHT = 240
"""Fill colour from which a glyph may be lost on a white page; a look at the rendered page decides."""
_FAINT = 25
"""Opacity (of 255) below which nothing can be seen."""
_SCANNED = 0.5
"""Share of a page that one image covers when the page is a scan; invisible text over it is the scan's own."""
_RAISED = 0.35
"""How far a superscript is above its line, in sizes, where the font has it as a glyph."""
WHITE = "white"
"""Why a text in white is hidden, until the rendered page has been looked at."""

_BOLD = re.compile(r"(?i)bold|black|heavy|demi|-bd\b|,bd\b|cmbx|medi\b")
_ITALIC = re.compile(r"(?i)ital|obli|slant|-it\b|cmti|cmsl")
_INVISIBLE_MODES = (3, 7)
_SAME = {"\x02": "-", "\xad": "-", "\u2010": "-", "\u2011": "-", "\xa0": " ", "\u2009": " ", "\u202f": " ", "\t": " "}


Box = tuple[float, float, float, float]
"""Left, bottom, right, top, in points."""


class Style(NamedTuple):
    """How a piece of text is set. `quadrant` is its direction in quarter turns; `hidden` says why it is invisible."""

    size: float
    bold: bool
    italic: bool
    quadrant: int
    hidden: str


class Glyph(NamedTuple):
    """A character (a ligature is several) on its baseline, in the direction of reading of its page."""

    text: str
    left: float
    right: float
    base: float
    style: Style


@dataclass(frozen=True)
class Page:
    """A page as read: its number from 1, its glyphs in the order of the file, and whether an image covers it."""

    number: int
    glyphs: list[Glyph]
    bounds: Box
    """Turned as the glyphs are."""
    quadrant: int
    """Quarter turns between the page and its text."""
    scanned: bool
    stamp: str = ""
    """What is stamped over it, such as a watermark `RETRACTED`; empty if nothing that matters is."""
    sideways: Page | None = None
    """What is set in another direction on it, such as a table, turned so that it can be read."""

    def box(self, left: float, bottom: float, right: float, top: float) -> tuple[int, int, int, int]:
        """A box of the turned page on the page as the file has it, in whole points that contain it."""
        x0, y0, x1, y1 = turned_box((left, bottom, right, top), -self.quadrant)
        return math.floor(x0), math.floor(y0), math.ceil(x1), math.ceil(y1)


def opened_pdf(path: Path) -> PdfDocument:
    """A PDF file, plain or gzip."""
    from pypdfium2 import PdfDocument

    return PdfDocument(content_of(path) if is_packed(path) else path)


def read_glyphs(page: PdfPage, number: int, drawn: Sequence[PdfObject]) -> Page:
    """The glyphs of a page on which this is drawn; those that run in another direction than most are apart."""
    bounds = page.get_bbox()
    scanned = _is_scan(drawn, bounds)
    with closing(page.get_textpage()) as text:
        glyphs, stamp = unstamped(_Reader(text, bounds, scanned).glyphs())
    quadrants = Counter(g.style.quadrant for g in glyphs).most_common(2) or [(0, 0)]
    stamp = stamp or stamped_on(page)

    def read(quadrant: int) -> Page:
        kept = [g for g in glyphs if g.style.quadrant == quadrant]
        return Page(number, kept, turned_box(bounds, quadrant), quadrant, scanned, stamp)

    is_more = len(quadrants) > 1 and quadrants[1][1] >= _SIDEWAYS
    return replace(read(quadrants[0][0]), sideways=read(quadrants[1][0]) if is_more else None)


class _Reader:
    """Reads glyphs one by one through PDFium's C interface, which is what is fast."""

    def __init__(self, text: PdfTextPage, bounds: Box, scanned: bool) -> None:
        import pypdfium2.raw as pdfium

        self._pdfium = pdfium
        self._text = text
        self._bounds = bounds
        self._scanned = scanned
        self._styles: dict[int | None, Style] = {}

    def glyphs(self) -> list[Glyph]:
        """All glyphs of the page, in the order of the file."""
        pdfium, raw = self._pdfium, self._text.raw
        box, x, y = pdfium.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
        found: list[Glyph] = []
        previous = style = None
        start = (0.0, 0.0)
        for at in range(pdfium.FPDFText_CountChars(raw)):
            code = pdfium.FPDFText_GetUnicode(raw, at)
            if code in (0, 10, 13) or (code == 32 and pdfium.FPDFText_IsGenerated(raw, at) == 1):
                continue
            pointer = ctypes.cast(pdfium.FPDFText_GetTextObject(raw, at), ctypes.c_void_p).value
            if pointer != previous or style is None:
                previous = pointer
                style = self._styles.get(pointer) or self._styles.setdefault(pointer, self._style(at))
            pdfium.FPDFText_GetLooseCharBox(raw, at, box)
            pdfium.FPDFText_GetCharOrigin(raw, at, x, y)
            text = _readable(code)
            if found and start == (x.value, y.value):  # one glyph of the file that stands for several characters
                found[-1] = found[-1]._replace(text=found[-1].text + text)
                continue
            start = x.value, y.value
            shown = style
            if "0" <= text <= "9" and style.quadrant == 0 and self._is_raised(at, y.value, style.size):
                y.value += _RAISED * style.size
                shown = style._replace(size=round(0.7 * style.size, 2))
            left, bottom, right, top = self._bounds
            seen = box.right > left and box.left < right and box.top > bottom and box.bottom < top
            if not style.hidden and not seen:
                shown = shown._replace(hidden="off the page")
            left, right, base = box.left, box.right, y.value
            if shown.quadrant:
                left, _, right, _ = turned_box((box.left, box.bottom, box.right, box.top), shown.quadrant)
                base = turned(x.value, y.value, shown.quadrant)[1]
            found.append(Glyph(text, left, right, base, shown))
        return found

    def _is_raised(self, at: int, base: float, size: float) -> bool:
        """Whether a digit is a superscript that the font has as a glyph of its own."""
        edges = [ctypes.c_double() for _ in range(4)]
        self._pdfium.FPDFText_GetCharBox(self._text.raw, at, *edges)
        return bool(edges[2].value > base + 0.15 * size)

    def _style(self, at: int) -> Style:
        pdfium, raw = self._pdfium, self._text.raw
        matrix = pdfium.FS_MATRIX()
        pdfium.FPDFText_GetMatrix(raw, at, matrix)
        size = pdfium.FPDFText_GetFontSize(raw, at) * (math.hypot(matrix.c, matrix.d) or 1.0)
        quadrant = round(math.atan2(matrix.b, matrix.a) / (math.pi / 2)) % 4
        name, flags = ctypes.create_string_buffer(200), ctypes.c_int()
        pdfium.FPDFText_GetFontInfo(raw, at, name, 200, flags)
        font = name.value.decode("latin-1")
        bold = bool(_BOLD.search(font)) or pdfium.FPDFText_GetFontWeight(raw, at) >= 600
        italic = bool(_ITALIC.search(font)) or bool(flags.value & 64)
        return Style(round(size, 2), bold, italic, quadrant, self._hidden(at, size))

    def _hidden(self, at: int, size: float) -> str:
        """Why a text is invisible; `WHITE` is still to be judged by a look at the page."""
        pdfium, raw = self._pdfium, self._text.raw
        mode = pdfium.FPDFTextObj_GetTextRenderMode(pdfium.FPDFText_GetTextObject(raw, at))
        colour = [ctypes.c_uint() for _ in range(4)]
        pdfium.FPDFText_GetFillColor(raw, at, *colour)
        *shades, opacity = (part.value for part in colour)
        if mode in _INVISIBLE_MODES or (mode == 0 and opacity < _FAINT):
            return "" if self._scanned else "invisible"
        if size < _TINY:
            return "tiny"
        return WHITE if mode == 0 and min(shades) >= _BRIGHT else ""


def turned(x: float, y: float, quadrant: int) -> tuple[float, float]:
    """A point after turning the page back by quarter turns, so that its text runs to the right."""
    return ((x, y), (y, -x), (-x, -y), (-y, x))[quadrant % 4]


def turned_box(box: Box, quadrant: int) -> Box:
    """A box after turning the page back."""
    (x0, y0), (x1, y1) = turned(*box[:2], quadrant), turned(*box[2:], quadrant)
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def _readable(code: int) -> str:
    """A character as text: ligatures are resolved; what has no meaning outside its font is a replacement character."""
    if 0xD800 <= code <= 0xDFFF or 0xE000 <= code <= 0xF8FF or code > 0x10FFFF:
        return "\ufffd"
    text = chr(code)
    text = normalize("NFKC", text) if "\ufb00" <= text <= "\ufb06" else _SAME.get(text, text)
    return "\ufffd" if text < " " or "\x7f" <= text < "\xa0" else text


def _is_scan(drawn: Sequence[PdfObject], bounds: Box) -> bool:
    import pypdfium2.raw as pdfium

    area = (bounds[2] - bounds[0]) * (bounds[3] - bounds[1])
    boxes = (one.get_bounds() for one in drawn if one.type == pdfium.FPDF_PAGEOBJ_IMAGE)
    return any((right - left) * (top - bottom) > _SCANNED * area > 0 for left, bottom, right, top in boxes)


_SIDEWAYS = 40
"""Glyphs set in another direction that may be a table; fewer are the label of an axis."""
_COVERED = "covered or faded"
_ZOOM = 2
"""Pixels per point of the page that is looked at."""
_MOST_PIXELS = 8000
"""Most pixels of a side: a larger page is looked at from farther away. A page may claim a side of any length."""
_CONTRAST = 24
"""Least difference in brightness (of 255) between a text and its background, in any colour."""
_SAMPLE = 6
"""How many glyphs of a run are looked at; white ones all are."""
_TRUSTED = 0.5
"""If more of a page than this could not be seen, the look has failed, not the page."""


def as_seen(sheet: PdfPage, page: Page) -> Page:
    """The page with the texts marked as hidden that cannot be seen on it, and with visible white text as visible.

    On a scan, the text is that of the picture, so only white text is judged.
    """
    if not page.glyphs or (page.scanned and all(g.style.hidden != WHITE for g in page.glyphs)):
        return page
    rendering = _Rendering(sheet)
    runs = groupby(page.glyphs, key=lambda glyph: (glyph.style, glyph.base))  # beside each other, in one style
    glyphs = [glyph for _, run in runs for glyph in _judged([*run], rendering, page)]
    lost = sum(g.style.hidden == _COVERED for g in glyphs)
    if lost > _TRUSTED * len(glyphs):
        glyphs = [g._replace(style=g.style._replace(hidden="")) if g.style.hidden == _COVERED else g for g in glyphs]
    return replace(page, glyphs=glyphs)


def _judged(run: list[Glyph], rendering: _Rendering, page: Page) -> list[Glyph]:
    style = run[0].style
    drawn = [glyph for glyph in run if glyph.text.strip()]
    if not drawn or (style.hidden and style.hidden != WHITE) or (page.scanned and style.hidden != WHITE):
        return run
    if style.hidden == WHITE:
        seen = sum(rendering.shows(glyph) for glyph in drawn)
        hidden = "" if 2 * seen >= len(drawn) else WHITE
    else:
        sample = drawn[:: -(-len(drawn) // _SAMPLE)]
        hidden = "" if any(rendering.shows(glyph) for glyph in sample) else _COVERED
    changed = style._replace(hidden=hidden)
    return run if changed == style else [glyph._replace(style=changed) for glyph in run]


class _Rendering:
    def __init__(self, sheet: PdfPage) -> None:
        import numpy as np

        self._zoom = min(_ZOOM, _MOST_PIXELS / max(*sheet.get_size(), 1))
        picture = sheet.render(scale=self._zoom, may_draw_forms=False).to_numpy()[..., :3]
        self._picture: Any = np.rot90(picture, k=sheet.get_rotation() // 90)  # a viewer turns the page clockwise
        self._left, self._bottom, _, _ = sheet.get_bbox()

    def shows(self, glyph: Glyph) -> bool:
        """Whether there is a mark where a glyph is."""
        size, quadrant = glyph.style.size, glyph.style.quadrant
        box = turned_box((glyph.left, glyph.base - 0.1 * size, glyph.right, glyph.base + 0.6 * size), -quadrant)
        height = self._picture.shape[0]
        left, right = (int((x - self._left) * self._zoom) for x in box[::2])
        bottom, top = (int(height - (y - self._bottom) * self._zoom) for y in box[1::2])
        part = self._picture[max(top, 0) : bottom + 1, max(left, 0) : right + 1].reshape(-1, 3)
        if not part.size:
            return False
        return bool((part.max(axis=0).astype(int) - part.min(axis=0)).max() >= _CONTRAST)
