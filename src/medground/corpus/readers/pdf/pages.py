"""The pages of an opened PDF as lines: what can be seen, what nobody can see, which pages are pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from medground.corpus.readers.base import Reading
from medground.corpus.readers.cautions import caution_on_hidden
from medground.corpus.readers.pdf.glyphs import WHITE, Glyph, Page, read_glyphs, turned
from medground.corpus.readers.pdf.lines import Line, lines_of

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage


# What of a page can be seen: a text that leaves no mark on the rendered page is hidden, whatever hides it.

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
    """The rendered page, upright."""

    def __init__(self, sheet: PdfPage) -> None:
        import numpy as np

        self._zoom = min(_ZOOM, _MOST_PIXELS / max(*sheet.get_size(), 1))
        picture = sheet.render(scale=self._zoom, may_draw_forms=False).to_numpy()[..., :3]
        self._picture: Any = np.rot90(picture, k=sheet.get_rotation() // 90)  # a viewer turns the page clockwise
        self._left, self._bottom, _, _ = sheet.get_bbox()

    def shows(self, glyph: Glyph) -> bool:
        """Whether there is a mark where a glyph is."""
        size, quadrant = glyph.style.size, glyph.style.quadrant
        x0, y0 = turned(glyph.left, glyph.base - 0.1 * size, -quadrant)
        x1, y1 = turned(glyph.right, glyph.base + 0.6 * size, -quadrant)
        height = self._picture.shape[0]
        left, right = (int((x - self._left) * self._zoom) for x in (min(x0, x1), max(x0, x1)))
        top, bottom = (int(height - (y - self._bottom) * self._zoom) for y in (max(y0, y1), min(y0, y1)))
        part = self._picture[max(top, 0) : bottom + 1, max(left, 0) : right + 1].reshape(-1, 3)
        if not part.size:
            return False
        return bool((part.max(axis=0).astype(int) - part.min(axis=0)).max() >= _CONTRAST)


_REPORT = 50
_FIRST = 2
"""A copy from a repository has a cover before its first page."""


@dataclass
class Pages:
    """What the pages hold, in order.

    Attributes:
        sheets: each page, without its glyphs.
        lines: the lines of each page that can be seen, from top to bottom.
        hidden: lines that nobody can see.
        pictures: numbers of the pages that are pictures without text.
        unreadable: numbers of the pages that cannot be read.
    """

    sheets: list[Page] = field(default_factory=list)
    lines: list[list[Line]] = field(default_factory=list)
    hidden: list[Line] = field(default_factory=list)
    pictures: list[int] = field(default_factory=list)
    unreadable: list[int] = field(default_factory=list)

    def marks(self) -> list[str]:
        """Stamps that are on one of the first pages or on most; a volume may hold one article that has one."""
        stamps = [sheet.stamp for sheet in self.sheets if sheet.stamp]
        first = any(sheet.stamp for sheet in self.sheets[:_FIRST])
        return stamps[:1] if first or 2 * len(stamps) > len(self.sheets) else []

    def cautions(self) -> tuple[str, ...]:
        """What a reader must know of the file."""
        said: list[str] = []
        for page, why in dict.fromkeys((line.page, line.hidden) for line in self.hidden):
            pieces = [line.text for line in self.hidden if (line.page, line.hidden) == (page, why)]
            said += caution_on_hidden(pieces, f"Page {page}", why)
        if self.pictures:
            are = "it is" if len(self.pictures) == 1 else "each is"
            said.append(f"{_named(self.pictures)} without text ({are} a picture) could not be read.")
        if self.unreadable:
            said.append(f"{_named(self.unreadable)} could not be read: the file is damaged there.")
        return tuple(said)

    @property
    def meaningless(self) -> float:
        """Share of characters of which the fonts do not say what they are."""
        text = "".join(line.text for lines in self.lines for line in lines)
        return text.count("\ufffd") / max(len(text), 1)


def read_pages(document: PdfDocument) -> Iterator[Reading | Pages]:
    """Read page by page; last comes what was read. Only the lines of a page stay in memory."""
    from pypdfium2 import PdfiumError

    pages, count = Pages(), len(document)
    for at in range(count):
        if at and at % _REPORT == 0:
            yield Reading(at, count)
        try:
            sheet = document[at]
        except PdfiumError:
            pages.unreadable.append(at + 1)
            continue
        try:
            read = as_seen(sheet, read_glyphs(sheet, at + 1))
        finally:
            sheet.close()
        lines = lines_of(read)
        shown = [line for line in lines if not line.hidden]
        if read.scanned and not shown:
            pages.pictures.append(read.number)
        pages.sheets.append(replace(read, glyphs=[]))
        pages.lines.append(shown)
        pages.hidden += (line for line in lines if line.hidden)
    yield pages


def _named(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:10])) + (" and others" if len(numbers) > 10 else "")
    return f"Page {shown}" if len(numbers) == 1 else f"Pages {shown}"
