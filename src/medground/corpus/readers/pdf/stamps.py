"""What is stamped over a page: a watermark in large or turned letters, or a stamp that a viewer draws over it.

Only a stamp that says that the paper was retracted matters; its letters are no part of the text. `DRAFT` is left alone.
A stamp in a picture, or drawn as lines, cannot be read.
"""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from medground.corpus.readers.marks import is_stamp

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

    from medground.corpus.readers.pdf.glyphs import Glyph

_LARGE = 24.0
"""Size in points from which upright letters are a stamp."""
_WORD = re.compile(r"(retracted|withdrawn)", re.IGNORECASE)
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
