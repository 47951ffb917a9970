"""A PDF as a textbook without its addresses, and where a quote of any PDF is printed."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rapidfuzz import fuzz

from medground.corpus.readers.pdf.glyphs import opened_pdf
from medground.corpus.readers.pdf.sections import without_addresses
from medground.errors import BadDocument
from medground.pubmed.characters import letters_of
from medground.values.document import Box, Document, LinePlace

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument


# Where a quote is printed: boxes on pages, checked against the file and cut at the quote's ends, or nothing.

SURE = 90.0
"""Least match, in percent, between a quote and what the file has in its boxes."""


def highlights(path: Path, document: Document, spans: Sequence[tuple[int, int]]) -> list[tuple[Box, ...]]:
    """The boxes of slices of a document's text in its PDF, one for each printed line that holds some of it.

    The first and the last box are cut at the ends of the slice, where the letters of its line can be counted in the
    file. A slice gets no boxes at all where the file has other text there: it was changed, or read wrongly. Letters
    and digits are compared, at 0.9.

    If the PDF at `path` cannot be opened any more, nothing is highlighted.
    """
    from pypdfium2 import PdfiumError

    try:
        opened = opened_pdf(path)
    except (PdfiumError, BadDocument, OSError):
        return [()] * len(spans)
    try:
        return [_checked(opened, document, start, end) for start, end in spans]
    finally:
        opened.close()


def _checked(opened: PdfDocument, document: Document, start: int, end: int) -> tuple[Box, ...]:
    places = document.places(start, end)
    if not places or places[-1][2] > len(opened):
        return ()
    printed: list[str] = []
    boxes: list[Box] = []
    for number, on_page in groupby(places, key=lambda place: place[2]):
        page = opened[number - 1]
        text = page.get_textpage()
        try:
            for place in on_page:
                printed.append(text.get_text_bounded(*place[3:]))
                boxes.append(_cut(text, document.text, place, start, end))
        finally:
            text.close()
            page.close()
    quote = letters_of(document.text[start:end])
    shown = (printed, without_addresses(printed))  # a book's text is without them
    agrees = any(fuzz.partial_ratio(quote, letters_of("".join(lines))) >= SURE for lines in shown)
    return tuple(boxes) if agrees else ()


def _cut(page: Any, text: str, place: LinePlace, start: int, end: int) -> Box:
    """The box of a line, without what it has before `start` and after `end`."""
    first, last, number, left, bottom, right, top = place
    box = Box(number, left, bottom, right, top)
    if start <= first and last <= end:
        return box
    drawn = list(_drawn(page, box))
    if len(drawn) != len(letters_of(text[first:last])) or drawn != sorted(drawn):
        return box  # letters that the text has otherwise, or a line that runs to the left or upward
    before = len(letters_of(text[first:start])) if start > first else 0
    within = len(letters_of(text[first : min(end, last)]))
    kept = drawn[before:within]
    if not kept:
        return box
    begins = int(kept[0][0]) if before else left
    if within < len(drawn):  # half of the way to the next letter: that is where its full stop is
        right = math.ceil((kept[-1][1] + drawn[within][0]) / 2)
    return box._replace(left=begins, right=right)


def _drawn(page: Any, box: Box) -> Iterator[tuple[float, float]]:
    """Left and right edge of each letter and digit in a box, in the order of the file."""
    import pypdfium2.raw as pdfium

    edges = [ctypes.c_double() for _ in range(4)]
    for at in range(pdfium.FPDFText_CountChars(page.raw)):
        pdfium.FPDFText_GetCharBox(page.raw, at, *edges)
        left, right, bottom, top = (edge.value for edge in edges)
        inside = box.bottom <= (bottom + top) / 2 <= box.top and box.left <= (left + right) / 2 <= box.right
        if inside:
            yield from [(left, right)] * len(letters_of(chr(pdfium.FPDFText_GetUnicode(page.raw, at))))
