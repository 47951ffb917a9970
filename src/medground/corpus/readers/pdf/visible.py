"""What of a page can be seen: a text that leaves no mark on the rendered page is hidden, whatever hides it.

White on white, covered by a shape or a picture, faded out, clipped, in a layer that is switched off: all look alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from medground.corpus.readers.pdf.glyphs import WHITE, Glyph, Page, turned

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

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
    glyphs = [glyph for run in _runs(page.glyphs) for glyph in _judged(run, rendering, page)]
    lost = sum(g.style.hidden == _COVERED for g in glyphs)
    if lost > _TRUSTED * len(glyphs):
        glyphs = [g._replace(style=g.style._replace(hidden="")) if g.style.hidden == _COVERED else g for g in glyphs]
    return replace(page, glyphs=glyphs)


def _runs(glyphs: Sequence[Glyph]) -> Iterator[list[Glyph]]:
    """Glyphs beside each other in one style on one line."""
    for _, run in groupby(glyphs, key=lambda glyph: (glyph.style, glyph.base)):
        yield list(run)


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
